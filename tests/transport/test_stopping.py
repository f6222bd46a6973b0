"""Stopping a turn, whatever it waits for, and leaving nothing behind."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import time
from collections.abc import Callable

import pytest

from sse_tui.recording.records import Chunk, Reconnect, Record, Request
from sse_tui.transport import Driver
from tests.transport.playbook import Asks, Closes, Ends, Gets, Waits, conversation
from tests.transport.turns import NEVER, QUICK, Marked, Plain, make, run
from tests.transport.wire import (
    CHUNKED,
    HOLD,
    chunked,
    chunks,
    wire,
)

A, B, C = b"id: 1\ndata: a\n\n", b"id: 2\ndata: b\n\n", b"id: 3\ndata: c\n\n"
DONE = b"data: [DONE]\n\n"


def stop_soon_after(kind: type[Record]) -> Callable[[Driver, Record], None]:
    """Stop when the driver has gone on after such a record, and is waiting."""

    def on(driver: Driver, record: Record) -> None:
        if isinstance(record, kind):
            asyncio.get_running_loop().call_later(0.02, driver.stop)

    return on


async def test_stop_while_reading_closes_the_connection() -> None:
    await conversation(
        Asks(),
        CHUNKED,
        chunks(A),
        HOLD,
        Gets(A),
        Closes("client", "stopped"),
        Ends("stopped"),
        on=stop_soon_after(Chunk),
        policy=QUICK,
    )


async def test_stop_before_an_answer() -> None:
    await conversation(
        Asks(),
        HOLD,
        Closes("client", "stopped"),
        Ends("stopped"),
        on=stop_soon_after(Request),
        policy=QUICK,
    )


async def test_stop_during_the_wait_cancels_it() -> None:
    began = time.monotonic()
    await conversation(
        Asks(),
        chunked(b"retry: 60000\n", A, last=False),
        Closes("incomplete"),
        Waits("1", ms=(60_000, 90_000)),
        Closes("client", "stopped while waiting to reconnect"),
        Ends("stopped"),
        on=stop_soon_after(Reconnect),
        policy=QUICK,
        virtual=False,
    )
    assert time.monotonic() - began < 1


async def test_stop_at_once_sends_nothing_more() -> None:
    async with wire(then=[chunked(A, last=False)]) as server:
        ran = await run(server.url, on=lambda driver, _: driver.stop(), policy=QUICK)
    assert ran.outcome == "stopped"
    assert ran.of(Reconnect) == []


async def test_leaving_early_leaves_nothing_behind() -> None:
    async with wire([CHUNKED, chunks(A), HOLD]) as server:
        driver = make(server.url)
        async with contextlib.aclosing(driver.records()) as records:
            async for record in records:
                if isinstance(record, Chunk):
                    break
        await asyncio.wait_for(server.gone.wait(), 1)
        others = asyncio.all_tasks() - {asyncio.current_task()}
        assert not [task for task in others if "wire" not in repr(task)]


async def test_cancelling_the_reader_leaves_nothing_behind() -> None:
    async with wire([CHUNKED, chunks(A), HOLD]) as server:
        task = asyncio.create_task(run(server.url))
        while not server.seen or not server.seen[0].sent:
            await asyncio.sleep(0.005)
        await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(server.gone.wait(), 1)


async def test_connections_are_numbered_over_turns() -> None:
    numbers = itertools.count(1).__next__
    async with wire([chunked(A, last=False)], then=[chunked(B, DONE)]) as server:
        first = await run(server.url, next_conn=numbers, policy=QUICK, dialect=Marked())
        second = await run(server.url, next_conn=numbers, policy=NEVER, dialect=Plain())
    assert [record.conn for record in first.of(Request)] == [1, 2]
    assert [record.conn for record in second.of(Request)] == [3]
