"""What a recording says, for people and programs: one `Report`, drawn as text, Markdown, HTML, JSON or JUnit."""

from sse_tui.offline.report.builder import Report, report_of
from sse_tui.offline.report.expectation import Expectation, Judgement, judge, parse_expectations

__all__ = ["Expectation", "Judgement", "Report", "judge", "parse_expectations", "report_of"]
