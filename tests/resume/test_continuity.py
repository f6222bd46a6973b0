"""Verdicts: each test tells the events before a break, and those after it."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterable

import pytest

from sse_tui.resume import Continuity, Verdict

Event = tuple[str, str]


def numbered(first: int, last: int, prefix: str = "s-") -> list[Event]:
    return [(f"{prefix}{n}", f"text {n}") for n in range(first, last + 1)]


def judge(*connections: Iterable[Event], answered: str | None = None) -> tuple[Verdict | None, list[str]]:
    """The verdict, and the text that a reader keeps."""
    continuity = Continuity()
    kept: list[str] = []
    last = ""
    for number, events in enumerate(connections):
        continuity.connected(last, answered if number else None)
        for name, data in events:
            last = name or last
            if continuity.event(name, data):
                kept.append(data)
    return continuity.verdict(), kept


def texts(*events: Event) -> list[str]:
    return [data for _, data in events]


def test_without_a_reconnect_there_is_no_verdict() -> None:
    assert judge(numbered(1, 5))[0] is None
    assert Continuity().verdict() is None


@pytest.mark.parametrize("prefix", ["", "s-", "2024-7:", "é"])
def test_the_next_number_is_lossless(prefix: str) -> None:
    verdict, kept = judge(numbered(1, 5, prefix), numbered(6, 9, prefix))
    assert verdict == Verdict("lossless", 0, "every event came once")
    assert kept == texts(*numbered(1, 9))


def test_a_gap_is_counted() -> None:
    verdict, _ = judge(numbered(1, 5), numbered(9, 12))
    assert verdict == Verdict("lost", 3, "3 missing")


def test_an_overlap_is_counted_and_dropped() -> None:
    verdict, kept = judge(numbered(1, 5), numbered(4, 8))
    assert verdict == Verdict("repeated", 2, "2 repeated and dropped, nothing missing")
    assert kept == texts(*numbered(1, 8))


def test_a_replay_from_the_start_is_a_repeat() -> None:
    verdict, kept = judge(numbered(1, 5), numbered(1, 8))
    assert verdict is not None
    assert (verdict.kind, verdict.n) == ("repeated", 5)
    assert kept == texts(*numbered(1, 8))


def test_a_regenerated_answer_is_a_restart() -> None:
    other = [("s-1", "text 1"), ("s-2", "something else"), ("s-3", "again")]
    verdict, kept = judge(numbered(1, 5), other)
    assert verdict is not None
    assert verdict.kind == "restarted"
    assert kept[5:] == ["something else", "again"]


def test_after_a_restart_nothing_is_dropped() -> None:
    other = [("s-1", "text 1"), ("s-2", "something else"), ("s-3", "text 3")]
    verdict, kept = judge(numbered(1, 5), other)
    assert verdict is not None
    assert verdict.kind == "restarted"
    assert kept[5:] == ["something else", "text 3"]


def test_another_stream_is_a_restart() -> None:
    verdict, _ = judge(numbered(1, 5, "a-"), numbered(1, 5, "b-"))
    assert verdict == Verdict("restarted", 0, "the IDs went from 'a-5' to 'b-1'")


def test_verdicts_add_up_over_reconnects() -> None:
    verdict, kept = judge(numbered(1, 3), numbered(4, 6), numbered(8, 9), numbered(9, 10), numbered(13, 13))
    assert verdict == Verdict("lost", 3, "3 missing; 1 repeated and dropped")
    assert kept == texts(*numbered(1, 6), *numbered(8, 10), *numbered(13, 13))


def test_a_connection_that_brings_nothing_changes_nothing() -> None:
    verdict, _ = judge(numbered(1, 3), [], [], numbered(4, 6))
    assert verdict is not None
    assert verdict.kind == "lossless"


def test_before_any_event_it_is_unknown() -> None:
    verdict, _ = judge(numbered(1, 3), [])
    assert verdict is not None
    assert verdict.kind == "unknown"


def test_204_says_that_nothing_is_missing() -> None:
    continuity = Continuity()
    continuity.connected("")
    continuity.event("1", "a")
    continuity.nothing_more()
    assert continuity.verdict() == Verdict("lossless", 0, "every event came once")


def test_equal_steps_are_a_numbering_too() -> None:
    by_ten = [(str(n), f"t{n}") for n in range(0, 100, 10)]
    assert judge(by_ten[:5], by_ten[5:])[0] == Verdict("lossless", 0, "every event came once")
    assert judge(by_ten[:5], by_ten[7:])[0] == Verdict("lost", 2, "2 missing")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (["1", "2", "5", "6", "7"], "8"),  # uneven once, uneven for good
        (["9", "8", "7"], "6"),
        (["0", "10", "20"], "35"),
        (["1", "x", "2", "3"], "4"),
    ],
)
def test_uneven_steps_are_no_numbering(before: list[str], after: str) -> None:
    verdict, kept = judge([(name, f"d{name}") for name in before], [(after, "new")])
    assert verdict is not None
    assert verdict.kind == "unknown"
    assert kept[-1] == "new"


def test_one_event_is_enough_where_the_next_number_follows() -> None:
    assert judge(numbered(1, 1), numbered(2, 3))[0] == Verdict("lossless", 0, "every event came once")
    assert judge(numbered(3, 3), numbered(9, 9))[0] == Verdict("lost", 5, "5 missing")


def test_times_are_no_numbering() -> None:
    times = [("1700000000123", "a"), ("1700000000456", "b"), ("1700000000999", "c"), ("1700000002000", "d")]
    verdict, kept = judge(times[:3], times[3:])
    assert verdict is not None
    assert verdict.kind == "unknown"
    assert len(kept) == 4
    verdict, _ = judge(times[:1], times[1:])
    assert verdict is not None
    assert verdict.kind == "unknown"


OPAQUE = [(name, f"d{n}") for n, name in enumerate(["urn:b", "c9", "x7f3", "zz", "k1", "k9"])]


def test_ids_without_order_cannot_tell() -> None:
    verdict, _ = judge(OPAQUE[:3], OPAQUE[3:])
    assert verdict == Verdict("unknown", 0, "cannot tell whether 'zz' follows 'x7f3'")


def test_ids_without_order_with_an_overlap_can() -> None:
    verdict, kept = judge(OPAQUE[:4], OPAQUE[2:])
    assert verdict is not None
    assert (verdict.kind, verdict.n) == ("repeated", 2)
    assert kept == texts(*OPAQUE)


def test_the_answers_header_can_tell() -> None:
    assert judge(OPAQUE[:3], OPAQUE[3:], answered="x7f3")[0] == Verdict(
        "lossless", 0, "every event came once"
    )
    verdict, _ = judge(OPAQUE[:3], OPAQUE[4:], answered="zz")
    assert verdict is not None
    assert verdict.kind == "unknown"
    assert "resumed after 'zz'" in verdict.detail


def test_numbers_weigh_more_than_the_header() -> None:
    verdict, _ = judge(numbered(1, 3), numbered(5, 6), answered="s-3")
    assert verdict is not None
    assert verdict.kind == "lost"


def test_events_that_inherit_an_id_are_not_repeats() -> None:
    before = [("1", "a"), ("1", "b"), ("2", "c"), ("2", "d")]
    verdict, kept = judge(before, [("2", "e"), ("3", "f")])
    assert verdict is not None
    assert verdict.kind == "lossless"
    assert kept == ["a", "b", "c", "d", "e", "f"]


def test_a_replay_of_events_that_inherit_an_id() -> None:
    before = [("1", "a"), ("1", "b"), ("2", "c"), ("2", "d")]
    verdict, kept = judge(before, [*before, ("3", "e")])
    assert verdict is not None
    assert (verdict.kind, verdict.n) == ("repeated", 4)
    assert kept == ["a", "b", "c", "d", "e"]


def test_once_settled_old_ids_are_not_repeats() -> None:
    """A stream may come back to an id: only what a reconnect begins with is a replay."""
    verdict, kept = judge(numbered(1, 3), [*numbered(4, 5), ("s-4", "text 4")])
    assert verdict is not None
    assert verdict.kind == "lossless"
    assert kept[-1] == "text 4"


def test_without_ids_a_replay_is_a_restart() -> None:
    verdict, _ = judge([("", "1"), ("", "2"), ("", "3")], [("", "1"), ("", "2")])
    assert verdict is not None
    assert verdict.kind == "restarted"


def test_without_ids_a_short_history() -> None:
    verdict, _ = judge([("", "1")], [("", "1"), ("", "2"), ("", "3")])
    assert verdict is not None
    assert verdict.kind == "unknown"


def test_without_ids_a_greeting_is_no_restart() -> None:
    verdict, _ = judge([("", "hello"), ("", "2")], [("", "hello"), ("", "3")])
    assert verdict == Verdict("unknown", 0, "there are no IDs to compare")


def test_long_streams_cost_little_and_old_repeats_are_found_by_number() -> None:
    continuity = Continuity()
    continuity.connected("")
    tracemalloc.start()
    for n in range(60_000):
        continuity.event(f"s-{n}", f"text {n}")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5_000_000
    continuity.connected("s-59999")
    assert not continuity.event("s-3", "text 3")
    assert not continuity.event("s-59999", "text 59999")
    assert continuity.event("s-60000", "x")
    verdict = continuity.verdict()
    assert verdict is not None
    assert (verdict.kind, verdict.n) == ("repeated", 2)
