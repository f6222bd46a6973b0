"""A report in each of its formats."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from sse_tui.offline.report.builder import Report

Format = Literal["text", "json", "md", "html", "junit"]


def render(report: Report, form: Format = "text", fail_on: str = "error") -> str:
    """The report in a format. For JUnit, findings from the severity `fail_on` on are failures.

    Secrets of the requests are masked in every format: a report is made to be shared.
    """
    # Each format is imported when it is asked for: a third of the time a short report takes.
    match form:
        case "json":
            from sse_tui.offline.report import report_json
            from sse_tui.text.json_line import to_json

            return to_json(_masked(report_json.render(report), report.without_secrets)) + "\n"
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


def _masked(value: Any, mask: Callable[[str], str]) -> Any:
    """A JSON value with `mask` applied to each string in it; the names of fields stay as they are."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, Mapping):
        return {name: _masked(item, mask) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_masked(item, mask) for item in value]
    return value
