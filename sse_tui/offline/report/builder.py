"""Reads records once, and keeps what every form of the report is made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sse_tui.analysis.analysis import Analysis
from sse_tui.analysis.objectives import objective_rows
from sse_tui.analysis.turn import Turn
from sse_tui.diagnosis import WORST_FIRST, Finding, Setting
from sse_tui.limits import MAX_EVENT_BYTES
from sse_tui.metrics import Bounds, Objective
from sse_tui.offline.report.expectation import Expectation, Judgement, judge
from sse_tui.offline.report.timeline import Timeline
from sse_tui.recording import Redactor
from sse_tui.recording.records import Header, Note, Record, Request, Response
from sse_tui.version import __version__

TIMELINES = 1_000
"""Connections whose timeline is kept: more than any form of the report draws."""


@dataclass
class Report:
    """A report on a recording that was read to its end.

    `name` is what the input is called, `damage` what could not be read of it, `judgements` whether the expectations
    held, in their order, turn by turn; `objectives` is the table of the bounds that were given.
    """

    name: str
    analysis: Analysis
    timelines: dict[int, Timeline] = field(default_factory=dict)
    damage: list[str] = field(default_factory=list)
    judgements: list[Judgement] = field(default_factory=list)
    objectives: list[Objective] = field(default_factory=list)
    redactor: Redactor = field(default_factory=Redactor)
    tool: str = f"sse-tui {__version__}"

    @property
    def turns(self) -> list[Turn]:
        """The turns of the recording, in order."""
        return self.analysis.turns

    @property
    def timed(self) -> bool:
        """Whether its times mean anything."""
        return self.analysis.header.clock != "none"

    @property
    def findings(self) -> list[Finding]:
        """All findings, the worst first, else in the order of their discovery."""
        return ranked(self.analysis.findings)

    def count(self, severity: str) -> int:
        """How many findings are of a severity."""
        return sum(finding.severity == severity for finding in self.analysis.findings)

    def without_secrets(self, text: str) -> str:
        """Text made of the report, without the secrets of its requests: a capture of another tool still has them."""
        return self.redactor.text(text)

    def failed(self, fail_on: str) -> bool:
        """Whether an expectation failed, or a finding is as bad as `fail_on` ("error", "warning", "never")."""
        return any(not judgement.passed for judgement in self.judgements) or any(
            is_failure(finding, fail_on) for finding in self.analysis.findings
        )


def is_failure(finding: Finding, fail_on: str) -> bool:
    """Whether a finding fails the report."""
    return fail_on != "never" and WORST_FIRST.index(finding.severity) <= WORST_FIRST.index(fail_on)


def ranked(findings: list[Finding]) -> list[Finding]:
    """Findings, the worst first."""
    return sorted(findings, key=lambda finding: WORST_FIRST.index(finding.severity))


def report_of(
    header: Header,
    records: Iterable[Record],
    name: str,
    *,
    dialect: str | None = None,
    expectations: Sequence[Expectation] = (),
    slo: Bounds | None = None,
    redactor: Redactor | None = None,
    max_event_bytes: int = MAX_EVENT_BYTES,
    rules: Mapping[str, Setting] | None = None,
    ignored: Sequence[str] = (),
) -> Report:
    """Read `records` to their end. `name` is what the report calls them, `dialect` None detects each turn's.

    `rules` are the user's severities by rule, or "off", `ignored` patterns of text that is left out of answers.
    `redactor` learns the secrets of the requests and the responses; with `slo` there is a table of objectives.
    """
    analysis = Analysis(
        header, dialect=dialect, max_event_bytes=max_event_bytes, rules=rules, ignored=ignored
    )
    report = Report(name, analysis, redactor=redactor or Redactor())
    running: Timeline | None = None
    for record in records:
        if isinstance(record, Request | Response):
            report.redactor.record(record)
        if conn := record.conn:
            if running is None or running.conn != conn:
                fresh = Timeline(conn, report.timed, record.t if report.timed else 0)
                running = report.timelines.get(conn, fresh)
                if len(report.timelines) < TIMELINES:
                    report.timelines[conn] = running
            running.record(record)
        elif isinstance(record, Note) and running is not None:
            running.note(record)
        for entries in analysis.slices(record):
            if running is not None:
                for entry in entries:
                    if entry.item is not None:
                        running.entry(entry, entry.item)
    analysis.finish()
    report.judgements = [judge(expectation, turn) for turn in report.turns for expectation in expectations]
    if slo is not None and report.timed:
        report.objectives = objective_rows(slo, report.turns)
    return report
