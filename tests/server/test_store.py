"""The memory store: sequence numbers, bounds, ages by a clock of the test, and waking."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sse_tui.server.settings import ServerSettings
from sse_tui.server.store import EventStore, EvictedError


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def store(clock: Clock | None = None, **limits: Any) -> EventStore:
    settings = ServerSettings(**{f"store_{name}": value for name, value in limits.items()})
    return EventStore(settings, clock or Clock())


async def test_events_come_back_from_any_place_in_order() -> None:
    kept = store()
    kept.create("a", "me")
    for seq in range(5):
        kept.append("a", b"%d" % seq)
    for seq in range(6):
        batch = kept.read_from("a", seq, 1000)
        assert batch.blocks == [b"%d" % each for each in range(seq, 5)]
        assert not batch.ended
    kept.finish("a")
    assert (kept.read_from("a", 5, 1000)).ended
    assert (kept.state("a")) == ("me", 0, 5, True)


async def test_a_read_is_bounded_in_bytes_but_never_empty() -> None:
    kept = store()
    kept.create("a", "")
    for _ in range(4):
        kept.append("a", b"x" * 10)
    kept.finish("a")
    assert kept.read_from("a", 0, 1) == ([b"x" * 10], False)
    assert kept.read_from("a", 0, 25) == ([b"x" * 10] * 2, False)
    assert kept.read_from("a", 2, 25) == ([b"x" * 10] * 2, True)


async def test_the_oldest_events_of_a_long_stream_go() -> None:
    kept = store(max_events=3)
    kept.create("a", "")
    for seq in range(500):
        kept.append("a", b"%d" % seq)
    with pytest.raises(EvictedError) as caught:
        kept.read_from("a", 496, 1000)
    assert caught.value.oldest == 497
    assert (kept.read_from("a", 497, 1000)).blocks == [b"497", b"498", b"499"]
    assert kept.size == 9


async def test_bytes_of_all_streams_are_bounded_and_finished_streams_go_first() -> None:
    clock = Clock()
    kept = store(clock, max_bytes=100)
    for name in ("old", "newer"):
        kept.create(name, "")
        kept.append(name, b"x" * 30)
        clock.now += 1
        kept.finish(name)
    kept.create("running", "")
    kept.append("running", b"x" * 50)
    assert kept.size == 80
    with pytest.raises(EvictedError) as caught:
        kept.read_from("old", 0, 1000)
    assert caught.value.oldest is None
    assert kept.state("old") == ("", 1, 1, True), "known, though nothing of it is kept"
    assert (kept.read_from("newer", 0, 1000)).blocks
    kept.append("running", b"y" * 99)
    assert kept.size == 99
    assert (kept.read_from("running", 1, 1000)).blocks == [b"y" * 99]


async def test_a_stream_is_forgotten_some_time_after_its_end_and_not_before() -> None:
    clock = Clock()
    kept = store(clock, max_age_s=10)
    kept.create("a", "")
    kept.append("a", b"x")
    clock.now = 1000
    assert kept.state("a"), "a running stream has no age"
    kept.finish("a")
    clock.now = 1010
    assert kept.state("a")
    clock.now = 1010.1
    assert kept.state("a") is None
    assert kept.size == 0
    with pytest.raises(EvictedError):
        kept.read_from("a", 0, 1000)


async def test_readers_are_woken_until_they_stop_watching() -> None:
    kept = store()
    kept.create("a", "")
    kept.create("b", "")
    woken: list[str] = []
    unwatch = kept.watch("a", lambda: woken.append("one"))
    kept.watch("a", lambda: woken.append("two"))
    kept.append("b", b"x")
    assert woken == []
    kept.append("a", b"x")
    assert woken == ["one", "two"]
    unwatch()
    kept.finish("a")
    assert woken == ["one", "two", "two"]
    kept.watch("unknown", lambda: woken.append("never"))()


def test_a_finished_stream_takes_nothing_more_and_names_are_unique() -> None:
    kept = store()
    kept.create("a", "")
    kept.finish("a")
    with pytest.raises(ValueError, match="finished"):
        kept.append("a", b"x")
    with pytest.raises(ValueError, match="exists"):
        kept.create("a", "")


@given(
    sizes=st.lists(st.tuples(st.integers(0, 2), st.integers(1, 40)), max_size=120),
    max_events=st.integers(1, 20),
    max_bytes=st.integers(40, 300),
)
async def test_never_over_the_bounds_and_what_is_kept_is_right(
    sizes: list[tuple[int, int]], max_events: int, max_bytes: int
) -> None:
    kept = store(max_events=max_events, max_bytes=max_bytes)
    sent: list[list[bytes]] = [[], [], []]
    for name in "012":
        kept.create(name, "")
    for stream, size in sizes:
        block = bytes([len(sent[stream]) % 256]) * size
        sent[stream].append(block)
        kept.append(str(stream), block)
        assert kept.size <= max_bytes
    total = 0
    for stream in range(3):
        state = kept.state(str(stream))
        assert state is not None
        assert state.next == len(sent[stream])
        assert state.next - state.oldest <= max_events
        blocks = (kept.read_from(str(stream), state.oldest, 10**9)).blocks
        assert blocks == sent[stream][state.oldest :]
        total += sum(map(len, blocks))
    assert total == kept.size
