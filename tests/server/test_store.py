"""The memory store: sequence numbers, bounds, ages by a clock of the test, and waking."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
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


def test_of_the_streams_that_ended_only_the_last_are_kept() -> None:
    kept = store(max_streams=2)
    for name in ("running", "a", "b", "c"):
        kept.create(name, "")
        kept.append(name, b"x")
    for name in ("b", "a", "c"):
        kept.finish(name)
    assert kept.state("b") is None, "it ended first"
    assert all(kept.state(name) for name in ("running", "a", "c"))
    assert kept.size == 3


def test_a_sweep_says_when_the_next_is_due() -> None:
    clock = Clock()
    kept = store(clock, max_age_s=10)
    assert kept.sweep() is None
    for name in ("a", "b"):
        clock.now += 3
        kept.create(name, "")
        kept.finish(name)
    assert kept.sweep() == 7
    clock.now += 8
    assert kept.sweep() == 2
    assert kept.state("a") is None
    clock.now += 2.5
    assert kept.sweep() is None


def operations(work: Callable[[], object]) -> int:
    """How many bytecode instructions `work` runs."""
    count = 0

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal count
        frame.f_trace_opcodes = True
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("full", [False, True], ids=["roomy", "full"])
def test_a_stream_costs_the_same_after_100_000_streams(full: bool) -> None:
    """Also where each append has to make room, and where each end pushes an older stream out."""
    limits: dict[str, Any] = {"max_bytes": 1000, "max_streams": 50_000} if full else {"max_streams": 200_000}
    kept = store(**limits)

    def one(number: int) -> None:
        kept.create(f"{number}", "me")
        for _ in range(3):
            kept.append(f"{number}", b"x" * 100)
        kept.finish(f"{number}")
        kept.state(f"{number}")

    for number in range(10):
        one(number)
    first = operations(lambda: one(10))
    for number in range(11, 100_000):
        one(number)
    assert operations(lambda: one(100_000)) <= first * 1.2
    assert kept.state("100000")


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
    steps=st.lists(
        st.tuples(st.integers(0, 5), st.sampled_from(["append", "append", "finish", "wait"])), max_size=80
    ),
    max_bytes=st.integers(0, 8),
    max_streams=st.integers(1, 3),
)
def test_what_is_known_after_streams_ended(
    steps: list[tuple[int, str]], max_bytes: int, max_streams: int
) -> None:
    """Running streams are known; of the ended ones the last few that are young enough. The size is that of all."""
    clock = Clock()
    kept = store(clock, max_bytes=max_bytes, max_streams=max_streams, max_age_s=3)
    running = list("012345")
    ended: list[tuple[str, float]] = []
    for name in running:
        kept.create(name, "")
    for stream, step in steps:
        if step == "wait":
            clock.now += 1
        elif str(stream) in running:
            if step == "append":
                kept.append(str(stream), b"x")
            else:
                kept.finish(str(stream))
                running.remove(str(stream))
                ended.append((str(stream), clock.now))
        kept.sweep()
        young = [name for name, when in ended[-max_streams:] if clock.now - when <= 3]
        states = {name: kept.state(name) for name in "012345"}
        assert {name for name, state in states.items() if state} == {*running, *young}
        assert kept.size == sum(state.next - state.oldest for state in states.values() if state) <= max_bytes


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
