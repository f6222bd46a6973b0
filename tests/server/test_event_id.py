"""Event ids are parsed back to what they name, and nothing else is mistaken for one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sse_tui.server.event_id import EventId, new_stream, parse_event_id


@given(st.integers(0, 10**11))
def test_there_and_back(seq: int) -> None:
    place = EventId(new_stream(), seq)
    assert parse_event_id(str(place)) == place


@pytest.mark.parametrize(
    "end", ["", "-", "-x", "-1x", "--1", "-01", "-+1", "- 1", "-1 ", "-1\n", "-٣", "-" + "9" * 40]
)
def test_what_is_no_id(end: str) -> None:
    assert parse_event_id("ab" * 12 + end) is None


@given(st.text())
def test_any_text_is_no_id_or_comes_back_the_same(text: str) -> None:
    place = parse_event_id(text)
    assert place is None or str(place) == text


def test_names_are_unlike() -> None:
    assert len({new_stream() for _ in range(1000)}) == 1000
