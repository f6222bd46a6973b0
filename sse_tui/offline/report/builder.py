"""Reads records once, and keeps what every form of the report is made of."""

from __future__ import annotations

from dataclasses import dataclass, field

from sse_tui.analysis.analysis import Analysis
from sse_tui.analysis.objectives import objective_rows
from sse_tui.analysis.turn import Turn
from sse_tui.diagnosis import Finding
from sse_tui.metrics import Bounds, Objective
from sse_tui.offline.report.expectation import Expectation, Judgement, judge
from sse_tui.offline.report.timeline import Timeline
from sse_tui.recording import Redactor
from sse_tui.recording.records import Note, Record, Request, Response
from sse_tui.version import __version__

__all__ = ["Objective", "Report", "ReportBuilder", "is_failure", "ranked"]

SEVERITIES = ("error", "warning", "info")


@dataclass
class Report:
    """A report on a recording that was read to its end.

    `name` is what the input is called, `damage` what could not be read of it, `judgements` whether the expectations
    held, in their order, turn by turn; `objectives` is the table of the bounds that were given.
    """

    name: str
    analysis: Analysis
    timelines: dict[int, Timeline]
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
    return finding.severity in {"error": ("error",), "warning": ("error", "warning")}.get(fail_on, ())


def ranked(findings: list[Finding]) -> list[Finding]:
    """Findings, the worst first."""
    return sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))


class ReportBuilder:
    """Feed it the records of a recording, then ask for the report.

    `redactor` learns the secrets of the requests and the responses.
    """

    def __init__(self, analysis: Analysis, redactor: Redactor | None = None) -> None:
        self._redactor = redactor or Redactor()
        self._analysis = analysis
        self._timelines: dict[int, Timeline] = {}
        self._timed = analysis.header.clock != "none"
        self._running: Timeline | None = None

    def feed(self, record: Record) -> None:
        """Take the next record."""
        timeline = self._running
        if isinstance(record, Request | Response):
            self._redactor.record(record)
        if record.conn:
            if timeline is None or timeline.conn != record.conn:
                timeline = self._running = self._timeline(record)
            timeline.record(record)
        elif isinstance(record, Note) and timeline is not None:
            timeline.note(record)
        for entry in self._analysis.feed(record):
            if timeline is not None and entry.item is not None:
                timeline.entry(entry, entry.item)

    def _timeline(self, record: Record) -> Timeline:
        timeline = self._timelines.get(record.conn)
        if timeline is None:
            timeline = Timeline(record.conn, self._timed, record.t if self._timed else 0)
            self._timelines[record.conn] = timeline
        return timeline

    def report(
        self,
        name: str,
        expectations: list[Expectation] | None = None,
        damage: list[str] | None = None,
        bounds: Bounds | None = None,
    ) -> Report:
        """The report. Nothing may be fed afterwards. With `bounds` it has their table."""
        self._analysis.finish()
        report = Report(name, self._analysis, self._timelines, list(damage or []), redactor=self._redactor)
        report.judgements = [
            judge(expectation, turn) for turn in report.turns for expectation in expectations or []
        ]
        if bounds is not None and self._timed:
            report.objectives = objective_rows(bounds, report.turns)
        return report
