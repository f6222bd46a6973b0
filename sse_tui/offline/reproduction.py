"""Whether records still show a finding: the predicate for `minimize`, and the search for what to ask it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from sse_tui.analysis.analysis import Analysis
from sse_tui.diagnosis import WORST_FIRST, Finding
from sse_tui.recording.records import Header, Record

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def findings_of(records: Sequence[Record], header: Header, dialect: str | None = None) -> list[Finding]:
    """Everything the rules find in these records."""
    analysis = Analysis(header, dialect=dialect)
    for record in records:
        for _ in analysis.slices(record):
            pass
    analysis.finish()
    return analysis.findings


def still_found(
    rule: str, header: Header, records: Sequence[Record], dialect: str | None = None
) -> Callable[[Sequence[Record]], bool] | None:
    """A predicate: the rule finds the same in a part as in `records`, numbers aside.

    Of several findings, the first of the most severe counts. None where the rule finds nothing.
    """
    found = [finding for finding in findings_of(records, header, dialect) if finding.rule == rule]
    if not found:
        return None
    meant = _statement(min(found, key=lambda finding: WORST_FIRST.index(finding.severity)))

    def holds(part: Sequence[Record]) -> bool:
        return any(f.rule == rule and _statement(f) == meant for f in findings_of(part, header, dialect))

    return holds


def _statement(finding: Finding) -> tuple[str, str]:
    """What a finding says, without its numbers."""
    return finding.severity, _NUMBER.sub("#", finding.message)
