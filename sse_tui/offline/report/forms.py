"""A report in each of its formats."""

from __future__ import annotations

from typing import Literal

from sse_tui.offline.report.builder import Report

Format = Literal["text", "json", "md", "html", "junit"]


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
