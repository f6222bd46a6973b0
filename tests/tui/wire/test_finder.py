from __future__ import annotations

from typing import Any

from sse_tui.tui.wire.finder import Finder, ranges

TEXTS = ["When", " a Stream", " drops", "stream", "", "STREAM!"] * 50


def ticking(step: float) -> Any:
    now = 0.0

    def clock() -> float:
        nonlocal now
        now += step
        return now

    return clock


def test_all_matches_are_found_in_order_and_case_is_ignored() -> None:
    finder = Finder("stream", TEXTS.__getitem__)
    assert finder.scan(len(TEXTS), ticking(0.0), 1.0)
    assert list(finder.matches[:4]) == [1, 3, 5, 7]
    assert len(finder.matches) == 150


def test_a_slice_ends_in_time_and_the_next_one_goes_on() -> None:
    finder = Finder("stream", TEXTS.__getitem__)
    slices = 1
    while not finder.scan(len(TEXTS), ticking(1.0), 0.5):
        slices += 1
        assert slices < 20
    assert slices > 2
    assert len(finder.matches) == 150


def test_rows_that_come_later_are_searched_by_going_on() -> None:
    finder = Finder("drops", TEXTS.__getitem__)
    assert finder.scan(2, ticking(0.0), 1.0)
    assert list(finder.matches) == []
    assert finder.scan(3, ticking(0.0), 1.0)
    assert list(finder.matches) == [2]


def test_next_and_previous_wrap_around() -> None:
    finder = Finder("drops", TEXTS.__getitem__)
    assert finder.after(0) is None
    assert finder.before(0) is None
    finder.scan(12, ticking(0.0), 1.0)
    assert (finder.after(2), finder.after(8), finder.after(1)) == (8, 2, 2)
    assert (finder.before(2), finder.before(8), finder.before(5)) == (8, 2, 2)
    assert (finder.rank(2), finder.rank(8), finder.rank(3)) == (1, 2, 0)


def test_ranges_of_a_query_in_a_line() -> None:
    assert ranges("Stream a stream", "stream") == [(0, 6), (9, 15)]
    assert ranges("aaa", "aa") == [(0, 2)]
    assert ranges("abc", "") == []
