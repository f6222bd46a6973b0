"""The report as JUnit XML, for a pipeline: one test case an expectation, and one a rule that found something."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from sse_tui.analysis.turn import Turn
from sse_tui.diagnosis import Finding
from sse_tui.offline.report import parts
from sse_tui.offline.report.builder import Report, is_failure
from sse_tui.text.safety import xml


def render(report: Report, fail_on: str = "error") -> str:
    """The document. `fail_on` is the severity from which a finding is a failure: "error", "warning", "never"."""
    suites = [_suite(report, turn, fail_on) for turn in report.turns]
    head = '<?xml version="1.0" encoding="UTF-8"?>'
    return "\n".join([head, "<testsuites>", *suites, "</testsuites>", ""])


def _suite(report: Report, turn: Turn, fail_on: str) -> str:
    name = report.name if len(report.turns) == 1 else f"{report.name} turn {turn.number}"
    cases = [*_expectations(report, turn), *_rules(turn, fail_on)] or [_case("outcome", "stream")]
    failures = sum("<failure" in case for case in cases)
    end = turn.clocks.clocks().stream_end
    time = f' time="{end / 1000:.6f}"' if end is not None else ""
    head = f'<testsuite name={_attr(name)} tests="{len(cases)}" failures="{failures}" errors="0" skipped="0"{time}>'
    return "\n".join([head, *cases, "</testsuite>"])


def _expectations(report: Report, turn: Turn) -> Iterator[str]:
    for judgement in report.judgements:
        if judgement.turn == turn.number:
            found = f"found {judgement.found}"
            yield _case(judgement.expectation.text, "expect", "" if judgement.passed else found, found)


def _rules(turn: Turn, fail_on: str) -> Iterator[str]:
    by_rule: dict[str, list[Finding]] = {}
    for finding in turn.findings:
        by_rule.setdefault(finding.rule, []).append(finding)
    for rule, findings in by_rule.items():
        words = "\n".join(_words(finding) for finding in findings)
        failing = [finding for finding in findings if is_failure(finding, fail_on)]
        yield _case(rule, "rule", failing[0].message if failing else "", words)


def _words(finding: Finding) -> str:
    head = f"{finding.severity} {finding.rule} ({parts.location(finding)})"
    lines = [head, finding.message, finding.advice, parts.quoted(finding), finding.reference]
    return "\n".join(line for line in lines if line)


def _case(name: str, group: str, failure: str = "", words: str = "") -> str:
    head = f"<testcase classname={_attr('sse-tui.' + group)} name={_attr(name)}"
    if failure:
        return f"{head}><failure message={_attr(failure)}>{_text(words)}</failure></testcase>"
    return f"{head}><system-out>{_text(words)}</system-out></testcase>" if words else f"{head}/>"


def _attr(text: str) -> str:
    value = escape(xml(text))
    for char in "\n\r\t":
        # A parser would make spaces of them.
        value = value.replace(char, f"&#{ord(char)};")
    return f'"{value}"'


def _text(text: str) -> str:
    return escape(xml(text), quote=False).replace("\r", "&#13;")
