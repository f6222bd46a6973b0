"""A report in each of its formats, and from a source to a report in one step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, Protocol

from sse_tui.analysis.analysis import Analysis
from sse_tui.limits import MAX_EVENT_BYTES
from sse_tui.metrics import Bounds
from sse_tui.offline.report.builder import Report, ReportBuilder
from sse_tui.offline.report.expectation import Expectation
from sse_tui.recording import Redactor
from sse_tui.recording.records import Header, Record

Format = Literal["text", "json", "md", "html", "junit"]


class Source(Protocol):
    """Records to report on; `notes` says once they were read what was left out."""

    header: Header

    @property
    def notes(self) -> list[str]: ...

    def __iter__(self) -> Iterator[Record]: ...


def report_of(
    source: Source,
    name: str,
    *,
    dialect: str | None = None,
    expectations: Sequence[Expectation] = (),
    slo: Bounds | None = None,
    redactor: Redactor | None = None,
    max_event_bytes: int = MAX_EVENT_BYTES,
) -> Report:
    """Read `source` to its end. `name` is what the report calls it, `dialect` None detects each turn's."""
    analysis = Analysis(source.header, dialect=dialect, max_event_bytes=max_event_bytes)
    builder = ReportBuilder(analysis, redactor)
    for record in source:
        builder.feed(record)
    return builder.report(name, list(expectations), source.notes, slo)


def render(report: Report, form: Format = "text", fail_on: str = "error") -> str:
    """The report in a format. For JUnit, findings from the severity `fail_on` on are failures.

    Secrets of the requests are masked in every format but JSON.
    """
    # Each format is imported when it is asked for: a third of the time a short report takes.
    match form:
        case "json":
            from sse_tui.offline.report import report_json
            from sse_tui.text.json_line import to_json

            return to_json(report_json.render(report)) + "\n"
        case "md":
            from sse_tui.offline.report import markdown

            text = markdown.render(report)
        case "html":
            from sse_tui.offline.report import html

            text = html.render(report)
        case "junit":
            from sse_tui.offline.report import junit

            text = junit.render(report, fail_on)
        case "text":
            from sse_tui.offline.report import plain

            text = plain.render(report)
    return report.without_secrets(text)
