"""The times of reads: where they come from, that they are in order, and that they are true."""

from __future__ import annotations

import asyncio
import socket
import sys
import threading
import time
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sse_tui.recording.records import Chunk, Phase, Response
from sse_tui.transport import SessionClock
from sse_tui.transport.clock import measure_offset
from tests.transport.turns import run
from tests.transport.wire import CHUNKED, HOLD, Sleep, chunks, wire

linux = pytest.mark.skipif(sys.platform != "linux", reason="kernel stamps are a Linux feature")


def _steps(count: int, gap: float) -> list[Any]:
    return [step for n in range(count) for step in (chunks(b"data: %d\n\n" % n), Sleep(gap))]


@linux
async def test_reads_carry_the_kernels_time() -> None:
    async with wire([CHUNKED, Sleep(0.02), *_steps(10, 0.01), b"0\r\n\r\n"]) as server:
        clock = SessionClock()
        zero = time.monotonic_ns() - clock.now()
        ran = await run(server.url, clock=clock)
    got = ran.of(Chunk)
    assert clock.source == "kernel"
    assert {chunk.clock for chunk in got} == {None}
    written = [t - zero for t, data in server.seen[0].writes if data.endswith(b"\n\n\r\n")]
    assert len(got) == len(written) == 10
    late = [chunk.t - t for chunk, t in zip(got, written, strict=True)]
    assert all(-50_000 < error < 5_000_000 for error in late)
    assert sorted(late)[5] < 500_000


@linux
async def test_a_blocked_loop_does_not_delay_stamps() -> None:
    """A thread writes while the reader's loop is blocked: only the kernel can know when the bytes came."""
    listener = socket.create_server(("127.0.0.1", 0))
    clock = SessionClock()
    blocked, written = threading.Semaphore(0), threading.Semaphore(0)
    before: list[int] = []
    after: list[int] = []

    def serve() -> None:
        peer, _ = listener.accept()
        with peer:
            peer.recv(65536)
            peer.sendall(CHUNKED)
            for n in range(10):
                assert blocked.acquire(timeout=5)
                before.append(clock.now())
                peer.sendall(chunks(b"data: %d\n\n" % n))
                written.release()
            assert blocked.acquire(timeout=5)
            peer.sendall(b"0\r\n\r\n")
            written.release()

    def on(driver: object, record: object) -> None:
        if isinstance(record, Response | Chunk):
            blocked.release()
            assert written.acquire(timeout=5)
            after.append(clock.now())

    with listener:
        thread = asyncio.get_running_loop().run_in_executor(None, serve)
        ran = await run(f"http://127.0.0.1:{listener.getsockname()[1]}/", clock=clock, on=on)
        await thread
    stamps = [chunk.t for chunk in ran.of(Chunk)]
    assert len(stamps) == 10
    slack = 100_000  # of the conversion between the clocks
    assert all(t > early - slack for t, early in zip(stamps, before, strict=True))
    assert all(t < late for t, late in zip(stamps, after, strict=False))


async def test_without_kernel_stamps_the_read_is_stamped(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SessionClock()
    monkeypatch.setattr(sys, "platform", "elsewhere")
    monkeypatch.setattr(clock, "source", "kernel")
    async with wire([CHUNKED, Sleep(0.01), *_steps(3, 0.01), b"0\r\n\r\n"]) as server:
        ran = await run(server.url, clock=clock)
    assert {chunk.clock for chunk in ran.of(Chunk)} == {"read"}
    times = [chunk.t for chunk in ran.of(Chunk)]
    assert times == sorted(times)


async def test_phases_follow_each_other() -> None:
    async with wire([Sleep(0.05), CHUNKED, Sleep(0.05), chunks(b"data: x\n\n"), b"0\r\n\r\n"]) as server:
        ran = await run(server.url)
    phases = {phase.name: phase for phase in ran.of(Phase)}
    assert list(phases) == ["dns", "tcp", "sent", "headers", "first_byte"]
    assert all(phase.dt >= 0 for phase in phases.values())
    assert phases["headers"].t - phases["headers"].dt == phases["sent"].t
    assert phases["first_byte"].t - phases["first_byte"].dt == phases["headers"].t
    assert 45_000_000 < phases["headers"].dt < 500_000_000
    assert 45_000_000 < phases["first_byte"].dt < 500_000_000
    assert ran.of(Response)[0].t == phases["headers"].t
    assert ran.of(Chunk)[0].t == phases["first_byte"].t


async def test_phases_are_told_before_the_answer_comes() -> None:
    async with wire([HOLD]) as server:
        seen: list[str] = []

        def on(driver: object, record: object) -> None:
            if isinstance(record, Phase):
                seen.append(record.name)
                if record.name == "sent":
                    driver.stop()  # type: ignore[attr-defined]

        await run(server.url, on=on)
    assert seen == ["dns", "tcp", "sent"]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    body=st.binary(min_size=1, max_size=400),
    sizes=st.lists(st.integers(1, 50), min_size=1, max_size=20),
    cuts=st.lists(st.integers(1, 40), max_size=20),
)
def test_bodies_are_exact_for_all_chunkings(body: bytes, sizes: list[int], cuts: list[int]) -> None:
    """Any body, in any HTTP chunks, in any segments."""

    async def play() -> None:
        pieces, at = [], 0
        for size in sizes:
            pieces.append(body[at : at + size])
            at += size
        pieces.append(body[at:])
        message = CHUNKED + chunks(*[piece for piece in pieces if piece]) + b"0\r\n\r\n"
        segments: list[Any] = []
        at = 0
        for size in cuts:
            segments += [message[at : at + size], Sleep(0)]
            at += size
        segments.append(message[at:])
        async with wire([segment for segment in segments if segment != b""]) as server:
            ran = await run(server.url)
        assert ran.body() == body
        assert ran.closes == ["eof"]

    asyncio.run(play())


async def test_a_big_stream_is_whole() -> None:
    line = b"data: " + b"y" * 999 + b"\n\n"
    async with wire([CHUNKED, *[chunks(line * 100)] * 100, b"0\r\n\r\n"]) as server:
        ran = await run(server.url)
    assert ran.body() == line * 10_000
    assert max(len(chunk.data) for chunk in ran.of(Chunk)) <= 65536


def test_it_runs_on_uvloop() -> None:
    uvloop = pytest.importorskip("uvloop")

    async def play() -> None:
        async with wire([CHUNKED, *_steps(5, 0.002), b"0\r\n\r\n"]) as server:
            ran = await run(server.url)
        assert ran.closes == ["eof"]
        assert len(ran.of(Chunk)) >= 2

    uvloop.run(play())


def test_the_offset_between_the_clocks_is_steady() -> None:
    offsets = [measure_offset() for _ in range(20)]
    assert max(offsets) - min(offsets) < 1_000_000


def test_a_stamp_from_the_future_is_taken_for_a_stepped_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SessionClock()
    wall = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: wall() + 3_600_000_000_000)  # set an hour forward since
    t = clock.from_realtime(time.time_ns())
    assert abs(t - clock.now()) < 50_000_000
