"""The little language of expectations."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sse_tui.errors import UsageError
from sse_tui.eventstream import encode
from sse_tui.offline.report import Report, parse_expectations
from tests.offline.report.stories import delta, report_of, story


def held(report: Report) -> list[bool]:
    return [judgement.passed for judgement in report.judgements]


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        ("ttft<500ms", True),
        ("ttft<100", False),
        ("ttft <= 0.1s", True),
        ("ttft>=100000us", True),
        ("ttft>1min", False),
        ("itl.p99<20ms", False),
        ("itl.p99<=20ms", True),
        ("itl.max=20", True),
        ("tpot<21", True),
        ("complete", True),
        ("!complete", False),
        ("!truncated", True),
        ("events=5", True),
        ("events!=5", False),
        ("tokens.output>1", False),
        ("!tokens.output", True),
        ("connections<2", True),
        ("status=200", True),
        ('text="Hello there"', True),
        ("text~'lo th'", True),
        ("text~lo", True),
        ("text!~lo", False),
        ("text~/^Hel+o/", True),
        ("text=/Hello/", False),
        (r'text~"a\"b"', False),
        ("finish_reason=stop", True),
        ("finish=stop", True),
        ("model!=x", True),
        ("dialect=openai-chat", True),
        ("outcome=complete", True),
        ("error=x", False),
        ("error!=x", True),
        ("reasoning", False),
        ("rule:truncated-stream=0", True),
        ("!rule:truncated-stream", True),
        ("tokens-per-s>1", True),
    ],
)
def test_what_holds(text: str, passes: bool) -> None:
    assert held(report_of(story("Hel", "lo", " there"), text)) == [passes]


def test_several_in_every_turn() -> None:
    records = [*story("a, b"), *story("c", turn=2, conn=2, t=10**9)]
    report = report_of(records, 'text~"a, b", complete ,, events>0'.replace(",,", ","))
    assert [(judgement.turn, judgement.passed) for judgement in report.judgements] == [
        (1, True), (1, True), (1, True), (2, False), (2, True), (2, True),
    ]  # fmt: skip
    assert [judgement.expectation.text for judgement in report.judgements[:3]] == [
        'text~"a, b"',
        "complete",
        "events>0",
    ]


def test_what_was_found_is_said() -> None:
    report = report_of(
        story("x" * 100, "y"), "ttft<1, itl.p99<1, text~no, complete, tokens.output<5, events=1"
    )
    assert [judgement.found for judgement in report.judgements] == [
        "100 ms",
        "20 ms, the maximum of 1",
        repr("x" * 57 + "..."),
        "yes",
        "unknown",
        "4",
    ]


def test_without_times_no_time_is_known() -> None:
    assert held(report_of(story("a"), "ttft<500, ttft>0, complete", clock="none")) == [False, False, True]


def test_usage_and_an_error_of_the_stream() -> None:
    usage = encode(
        data='{"object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":7}}'
    )
    failed = encode(data='{"error":{"message":"no","type":"t","code":3}}')
    report = report_of(
        story("a", end=usage + failed), "tokens.output=7, tokens.input<0.01k, error~no, outcome=error"
    )
    assert held(report) == [True] * 4
    calls = delta(tool_calls=[{"index": 0, "id": "1", "function": {"name": "find", "arguments": "{}"}}])
    assert held(report_of(story("a", end=calls), "tool_calls=1, tools=find")) == [True, True]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "names no expectation"),
        ("ttfx<5", r"no measure 'ttfx'.*Did you mean ttft"),
        ("qqqq", "no measure 'qqqq'.*Known: dns"),
        ("ttft<", "character 6 at its end: expected a number to compare"),
        ("ttft<abc", "character 6 at 'abc'"),
        ("ttft<5kg", "character 7 at 'kg': kg is not a unit for ttft; use ms, s"),
        ("events<5ms", "ms is not a unit for events"),
        ("complete=yes", "complete is true or false"),
        ("text<5", "text is text"),
        ("ttft~5", "ttft is a number"),
        ("ttft<5 complete", "character 8 at 'complete': complete is not a unit"),
        ("text~'a' complete", "character 10 at 'complete': expected a comma"),
        ("!ttft<5", "! goes with a measure by itself"),
        ('text~"abc', "is not closed"),
        ("text~/(/", "invalid regular expression"),
        ("text~", "expected text to compare"),
        ("<5", "expected the name of a measure"),
        ("complete, ,ttft", "expected the name of a measure"),
        ("rule:", "no measure"),
    ],
)
def test_what_is_wrong_is_named(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        parse_expectations(text)


@given(st.text(alphabet=st.sampled_from("atf<>=!~/\"' ,.:5ms\\complete\n\0é"), max_size=30))
def test_any_text_parses_or_says_why(text: str) -> None:
    try:
        assert parse_expectations(text)
    except UsageError as error:
        assert not re.search("Traceback", str(error))  # noqa: PT017
