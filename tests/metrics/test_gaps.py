from __future__ import annotations

from collections.abc import Iterable

import pytest

from sse_tui.metrics import Gaps, Stats, Tpot

MS = 1_000_000


def fed(*times: float, same_read: Iterable[int] = ()) -> Gaps:
    """Token-bearing events at these ms, each in a read of its own but those at the positions `same_read`."""
    gaps, read = Gaps(), 0
    shared = set(same_read)
    for position, t in enumerate(times):
        read += position not in shared
        gaps.token(round(t * MS), read)
    return gaps


def test_nothing_and_one_event_have_no_gaps() -> None:
    for gaps in (Gaps(), fed(5)):
        assert gaps.stats() == Stats()
        assert gaps.tpot(10) == Tpot(None, None)
        assert gaps.tpot(10).per_second is None
        assert gaps.coalesced_share is None
        assert gaps.events_per_read is None
    assert Gaps().tokens_per_event(10) is None
    assert fed(5).tokens_per_event(None) is None


def test_content_at_0_100_200_and_a_usage_chunk_later_have_a_mean_gap_of_100() -> None:
    gaps = fed(0, 100, 200)  # the usage chunk at 900 ms bears no token and never gets here
    stats = gaps.stats()
    assert (stats.n, stats.mean, stats.max) == (2, 100, 100)


def test_itl_and_tpot_agree_and_leave_the_first_token_out() -> None:
    gaps = fed(*(1_000 + 50 * i for i in range(10)))
    assert gaps.stats().p50 == 50
    assert gaps.tpot(10) == Tpot(50, "usage")
    assert gaps.tpot(10).per_second == 20


def test_events_of_one_read_are_coalesced_and_never_zero() -> None:
    gaps = fed(0, 0, 40, 40, 40, 80, same_read=(1, 3, 4))
    assert gaps.coalesced == 3
    assert gaps.coalesced_share == 0.6
    assert (gaps.stats().n, gaps.stats().min) == (2, 40)
    assert list(gaps.recent) == [None, 40, None, None, 40]


def test_two_reads_with_the_same_stamp_are_a_gap_that_was_observed() -> None:
    assert fed(10, 10).stats().min == 0


def test_a_chunk_of_several_tokens_is_one_sample_and_tpot_comes_from_usage() -> None:
    gaps = fed(0, 90, 180)
    assert gaps.stats().p50 == 90
    assert gaps.tpot(7) == Tpot(30, "usage")
    assert gaps.tokens_per_event(7) == pytest.approx(7 / 3)


@pytest.mark.parametrize("unknown", [None, 0, 1])
def test_without_usable_usage_tpot_counts_events_and_says_so(unknown: int | None) -> None:
    assert fed(0, 90, 180).tpot(unknown) == Tpot(90, "events")


def test_hidden_reasoning_is_not_part_of_the_window() -> None:
    gaps = fed(0, 50, 100)
    assert gaps.tpot(1_003, hidden=1_000) == Tpot(50, "usage")
    assert gaps.tokens_per_event(1_003, hidden=1_000) == 1
    assert gaps.tokens_per_event(1_000, hidden=1_000) is None


def test_the_gap_across_a_reconnect_is_kept_apart() -> None:
    gaps = Gaps()
    for t, read, conn in ((0, 1, 1), (20, 2, 1), (5_020, 3, 2), (5_040, 4, 2)):
        gaps.token(t * MS, read, conn=conn)
    assert gaps.resume_gaps == [5_000]
    assert list(gaps.between) == [20, 20]
    assert gaps.tpot(None) == Tpot(pytest.approx(20), "events")  # type: ignore[arg-type]
    assert gaps.stutters == 0


def test_stutters_are_gaps_above_a_tenth_of_a_second() -> None:
    assert fed(0, 100, 200.001, 400).stutters == 2


def test_reads_and_the_events_they_complete() -> None:
    gaps = Gaps()
    for events in (0, 3, 1, 0):
        gaps.read(events)
    assert gaps.events_per_read == 2


def test_without_times_no_gap_is_made_up() -> None:
    gaps = Gaps()
    gaps.timed = False
    for read in range(3):
        gaps.read(1)
        gaps.token(0, read)
    assert gaps.stats() == Stats()
    assert gaps.tpot(3) == Tpot()
    assert gaps.coalesced == 2
    assert gaps.coalesced_share is None
    assert gaps.events_per_read is None


def test_rates_of_a_running_stream() -> None:
    gaps = fed(*range(0, 2_000, 50))
    assert gaps.rate(1_950 * MS) == 20
    assert gaps.rate(10_000 * MS) == 0


def test_what_came_at_once_after_a_reconnect_was_not_made_in_no_time() -> None:
    gaps = Gaps()
    for read in range(5):  # a token every 10 ms
        gaps.token(read * 10 * MS, read, conn=1)
    for _ in range(20):  # what the server made meanwhile
        gaps.token(240 * MS, 5, conn=2)
    for read in range(6, 11):
        gaps.token((240 + (read - 5) * 10) * MS, read, conn=2)
    assert gaps.resume_gaps == [200]
    assert gaps.tpot(None) == Tpot(pytest.approx(10), "events")  # type: ignore[arg-type]
    assert gaps.tpot(30) == Tpot(pytest.approx(10), "usage")  # type: ignore[arg-type]
    assert gaps.tpot(60).ms == pytest.approx(10 * 29 / 59)


def test_tpot_is_unknown_when_all_came_at_once_after_a_reconnect() -> None:
    gaps = Gaps()
    gaps.token(0, 0, conn=1)
    for _ in range(3):
        gaps.token(500 * MS, 1, conn=2)
    assert gaps.tpot(4) == Tpot()


def test_the_gap_before_a_read_that_waited_is_not_observed() -> None:
    gaps = Gaps()
    gaps.token(0, 1)
    gaps.token(20 * MS, 2)
    gaps.unobserved(3, 0)
    gaps.token(1_000 * MS, 3)
    gaps.token(1_000 * MS, 3)
    gaps.token(1_020 * MS, 4)
    assert gaps.coalesced == 2
    assert gaps.stats().max == 20
