from __future__ import annotations

import pytest

from sse_tui.metrics import Idle, IdleView

S = 1_000_000_000


def test_nothing_has_happened() -> None:
    assert Idle().view(5 * S) == IdleView(None, None, None, None, None, None, None)


def test_heartbeats_do_not_hide_that_nothing_progresses() -> None:
    idle = Idle()
    idle.last_bytes = 0
    idle.last_event = 0
    idle.progress(0)
    for t in range(5, 65, 5):
        idle.last_bytes = t * S
        idle.beat(t * S)
    view = idle.view(62 * S)
    assert (view.bytes, view.events, view.progress) == (2_000, 62_000, 62_000)
    assert (view.beat_ago, view.beat_period) == (2_000, 5_000)


def test_events_without_progress_reset_the_event_clock_only() -> None:
    idle = Idle()
    for t in (0, 10):
        idle.last_bytes = t * S
        idle.last_event = t * S
    idle.progress(0)
    view = idle.view(12 * S)
    assert (view.events, view.progress) == (2_000, 12_000)


def test_the_period_is_not_known_from_one_gap() -> None:
    idle = Idle()
    idle.beat(0)
    idle.beat(15 * S)
    assert idle.beats.period is None
    idle.beat(31 * S)
    assert idle.beats.period == 15_500


def test_beats_after_silence_tell_the_period_although_answers_came_between() -> None:
    idle = Idle()
    for t in (0, 15, 30):
        idle.beat(t * S)
    idle.progress(40 * S)
    for t in (55, 115):
        idle.beat(t * S)
        idle.progress((t + 1) * S)
    assert idle.beats.period == 15_000


def test_a_beat_on_a_fixed_timer_is_learned_in_the_middle_of_an_answer() -> None:
    idle = Idle()
    for t in (0, 15, 30, 45):
        idle.beat(t * S)
        idle.progress((t + 1) * S)
    assert idle.beats.period == 15_000


def test_two_beats_in_one_read_are_no_period() -> None:
    idle = Idle()
    for t in (0, 0, 10, 10, 20, 20):
        idle.beat(t * S)
    assert idle.beats.period == 10_000
    assert idle.beats.count == 6


@pytest.mark.parametrize(
    ("silent", "limit", "left"),
    [
        (0, 30, 30_000),
        (29.5, 30, 500),
        (30, 55, 25_000),
        (55, 60, 5_000),
        (61, 100, 39_000),
        (124, 125, 1_000),
        (125, 240, 115_000),
        (299, 300, 1_000),
    ],
)
def test_countdown_to_the_next_known_limit(silent: float, limit: int, left: float) -> None:
    idle = Idle()
    idle.last_bytes = 0
    view = idle.view(round(silent * S))
    assert (view.limit_s, view.limit_in) == (limit, left)


def test_beyond_the_last_limit_there_is_none() -> None:
    idle = Idle()
    idle.last_bytes = 0
    assert (idle.view(301 * S).limit_s, idle.view(301 * S).limit_in) == (None, None)
