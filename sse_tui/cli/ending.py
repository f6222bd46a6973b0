"""How a headless run ends: the worst finding on stderr, and the exit code."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sse_tui.cli import narration
from sse_tui.cli.exits import Exit
from sse_tui.errors import SseTuiError

# Errors that say what a rule of another name says.
_RULE_OF_CODE = {"not-an-event-stream": "wrong-content-type", "stopped-by-provider": "provider-stop"}
_NAMED = 4  # of the other rules that found something

if TYPE_CHECKING:
    from sse_tui.diagnosis import Finding


def ended(findings: Iterable[Finding], problem: SseTuiError | None = None) -> Exit:
    """The exit code of a run with these findings, whose stream had that problem, which is raised.

    A rule of the diagnosis that failed is a bug of our own and comes first: after it no verdict is to be trusted.
    Every headless command that runs the rules ends with this.
    """
    failed = [finding for finding in findings if finding.rule == "internal"]
    for finding in failed:
        narration.error(f"internal: {finding.message}")
    if problem is None:
        return Exit.INTERNAL if failed else Exit.OK
    if not failed:
        raise problem
    narration.error(problem)
    return Exit.INTERNAL


def tell_worst(findings: Iterable[Finding], problem: SseTuiError | None = None) -> None:
    """Write the worst finding to stderr in one line, unless `problem` is worse or says the same.

    What a finding says for information is true of many healthy streams: only whoever asks for it wants to know.
    """
    from sse_tui.diagnosis import WORST_FIRST

    others = [finding for finding in findings if finding.severity != "info" and finding.rule != "internal"]
    same = [finding for finding in others if problem is not None and _same(finding, problem)]
    # What else is said of the event that reports the error is that error once more: that it is not JSON, for example.
    said = {(finding.conn, finding.start) for finding in same if finding.event is not None}
    rest = [
        finding for finding in others if finding not in same and (finding.conn, finding.start) not in said
    ]
    if not rest:
        return
    worst = min(rest, key=lambda finding: WORST_FIRST.index(finding.severity))
    if problem is not None and worst.severity != "error":
        return
    rules = sorted({finding.rule for finding in rest} - {worst.rule})
    named = ", ".join(rules[:_NAMED])
    if len(rules) > _NAMED:
        named += f" and {len(rules) - _NAMED:,} more"
    also = f" Also: {named}." if rules else ""
    narration.finding(worst.severity, f"{worst.rule}: {worst.message}{_place(worst)}{also}")


def _same(finding: Finding, problem: SseTuiError) -> bool:
    rule = _RULE_OF_CODE.get(problem.code, problem.code)
    return finding.rule == rule or problem.message.rstrip(".") in finding.message


def _place(finding: Finding) -> str:
    """Where it is, as far as that is known."""
    at = [f"event {finding.event:,}"] if finding.event is not None else []
    at += [f"byte {finding.start:,}"] if finding.start is not None else []
    at += [f"{finding.t / 1e6:,.0f} ms"] if finding.t is not None else []
    at += [f"{finding.count:,} times"] if finding.count > 1 else []
    return f" ({', '.join(at)})" if at else ""
