"""The language of fault plans."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sse_tui.errors import UsageError
from sse_tui.faults import FaultSpec, Plan, parse_plan


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("cut@event=41", [FaultSpec("cut", "event", 41)]),
        ("reset@bytes=1000", [FaultSpec("reset", "bytes", 1000)]),
        ("cut@now", [FaultSpec("cut", "now")]),
        ("stall=8s@now", [FaultSpec("stall", "now", None, 8000)]),
        ("stall=500ms@time=2s", [FaultSpec("stall", "time", 2000, 500)]),
        ("stall=1.5m@event=1", [FaultSpec("stall", "event", 1, 90_000)]),
        ("cut@time=2.5s", [FaultSpec("cut", "time", 2500)]),
        ('cut@text="word"', [FaultSpec("cut", "text", "word")]),
        (r'cut@text="a\"b\\c\n;@="', [FaultSpec("cut", "text", 'a"b\\c\n;@=')]),
        ("cut@event=1;reset@event=2", [FaultSpec("cut", "event", 1), FaultSpec("reset", "event", 2)]),
        (" cut @ event=1 ; reset @ now ; ", [FaultSpec("cut", "event", 1), FaultSpec("reset", "now")]),
    ],
)
def test_what_is_a_plan(text: str, faults: list[FaultSpec]) -> None:
    assert list(parse_plan(text).faults) == faults


@pytest.mark.parametrize(
    ("text", "position", "said"),
    [
        ("", 1, "expected an action (cut, reset, stall), found the end"),
        ("cutt@now", 1, "Did you mean cut?"),
        ("Cut@now", 1, "Did you mean cut?"),
        ("cut", 4, "expected '@' and a trigger"),
        ("cut=3@now", 4, "expected '@'"),
        ("cut@", 5, "expected a trigger (event, bytes, time, text, now)"),
        ("cut@evnt=3", 5, "Did you mean event?"),
        ("cut@event", 10, "as in event=41"),
        ("cut@event=", 11, "a whole number of at least 1"),
        ("cut@event=0", 11, "a whole number of at least 1"),
        ("cut@event=-1", 11, "a whole number"),
        ("cut@event=1.5", 12, "a semicolon or the end, found '.'"),
        ("cut@event=٣", 11, "a whole number"),
        ("cut@now=3", 8, "a semicolon or the end, found '='"),
        ("stall@now", 6, "'=' and a duration, as in stall=8s"),
        ("stall=@now", 7, "a duration such as 500ms"),
        ("stall=8@now", 8, "a unit (ms, s, m), found '@'"),
        ("stall=8h@now", 8, "a unit (ms, s, m), found 'h'"),
        ("stall=0.5ms@now", 7, "whole milliseconds"),
        ("cut@time=x", 10, "a duration"),
        ("cut@text=word", 10, "text in double quotes"),
        ('cut@text="word', 15, "the closing quote, found the end"),
        ('cut@text=""', 11, "some text between the quotes"),
        (r'cut@text="\q"', 12, "one of"),
        ("cut@now;;", 9, "expected an action"),
        ("cut@now reset@now", 9, "a semicolon or the end, found 'reset'"),
        ("drip=1B/100ms@now", 1, "'drip' is not supported by this version"),
        ("truncate@now", 1, "'truncate' is not supported"),
        ("cut@headers", 5, "'headers' is not supported by this version"),
        ("cut@p=0.05", 5, "'p' is not supported"),
        ("rest@now", 1, "Did you mean reset?"),
    ],
)
def test_what_is_none_and_where(text: str, position: int, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_plan(text)
    assert caught.value.code == "fault-plan"
    assert f"position {position}:" in caught.value.message
    assert said in str(caught.value)


_counts = st.integers(1, 10**12)
_text = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20)
_triggers = st.one_of(
    st.tuples(st.just("now"), st.none()),
    st.tuples(st.sampled_from(["event", "bytes"]), _counts),
    st.tuples(st.just("time"), st.integers(0, 10**9)),
    st.tuples(st.just("text"), _text),
)


@st.composite
def _faults(draw: st.DrawFn) -> FaultSpec:
    action = draw(st.sampled_from(["cut", "reset", "stall"]))
    trigger, at = draw(_triggers)
    return FaultSpec(action, trigger, at, draw(st.integers(0, 10**9)) if action == "stall" else 0)


@given(st.lists(_faults(), min_size=1, max_size=5))
def test_the_canonical_text_parses_to_the_same_plan(faults: list[FaultSpec]) -> None:
    plan = Plan(tuple(faults))
    again = parse_plan(str(plan))
    assert again == plan
    assert str(again) == str(plan)


@given(st.text(max_size=40))
def test_any_text_is_a_plan_or_a_usage_error(text: str) -> None:
    try:
        plan = parse_plan(text)
    except UsageError:
        return
    assert parse_plan(str(plan)) == plan


def test_zeros_before_a_number_do_not_make_it_larger_than_it_may_be() -> None:
    assert parse_plan("cut@event=0000000000000000000000041") == parse_plan("cut@event=41")
    for number in ("00000008749938880976781311", "9" * 5000, "0", "000", ""):
        with pytest.raises(UsageError):
            parse_plan(f"cut@event={number}")
    with pytest.raises(UsageError):
        parse_plan(f"stall={'9' * 5000}s@now")
