"""The limits of time, each on its own and over reconnects."""

from __future__ import annotations

import asyncio
import time

import pytest

from sse_tui.errors import StreamError
from sse_tui.transport import Timeouts
from tests.transport.playbook import Asks, Closes, Ends, Waits, conversation
from tests.transport.turns import QUICK, Marked, run
from tests.transport.wire import (
    CHUNKED,
    HOLD,
    Sleep,
    Step,
    chunked,
    chunks,
)

A, B, C = b"id: 1\ndata: a\n\n", b"id: 2\ndata: b\n\n", b"id: 3\ndata: c\n\n"
DONE = b"data: [DONE]\n\n"


@pytest.mark.parametrize(
    ("script", "timeouts", "code"),
    [
        ([HOLD], Timeouts(first_byte=0.1), "first-byte-timeout"),
        ([CHUNKED, HOLD], Timeouts(first_byte=0.1), "first-byte-timeout"),
        ([CHUNKED + chunks(A), HOLD], Timeouts(idle=0.1), "idle-timeout"),
        ([CHUNKED + chunks(A), HOLD], Timeouts(total=0.1), "total-timeout"),
        ([HOLD], Timeouts(total=0.1), "total-timeout"),
    ],
)
async def test_each_timeout_is_named(script: list[Step], timeouts: Timeouts, code: str) -> None:
    began = time.monotonic()
    ran, _ = await conversation(
        Asks(),
        *script,
        Closes("timeout"),
        Ends("truncated" if script != [HOLD] else "failed", code),
        timeouts=timeouts,
    )
    assert 0.09 <= time.monotonic() - began < 1
    assert ran.driver.error is not None
    assert f"Raise --{code}" in ran.driver.error.hint


async def test_comments_feed_the_idle_timeout() -> None:
    beats = [step for _ in range(4) for step in (chunks(b": hb\n"), Sleep(0.06))]
    await conversation(
        Asks(),
        CHUNKED,
        chunks(A),
        *beats,
        b"0\r\n\r\n",
        Closes("eof"),
        Ends("ended"),
        timeouts=Timeouts(idle=0.15),
    )


async def test_an_idle_timeout_is_resumed() -> None:
    await conversation(
        Asks(),
        CHUNKED + chunks(A),
        HOLD,
        Closes("timeout", "No data came for 0.05 s."),
        Waits("1"),
        Asks("1"),
        chunked(B, DONE),
        Closes("eof"),
        Ends("complete"),
        timeouts=Timeouts(idle=0.05),
        policy=QUICK,
        dialect=Marked(),
    )


async def test_the_total_time_covers_the_waits() -> None:
    await conversation(
        Asks(),
        chunked(b"retry: 5000\n", A, last=False),
        Closes("incomplete"),
        Waits("1", ms=(5000, 7500)),
        Closes("timeout"),
        Ends("truncated", "total-timeout"),
        timeouts=Timeouts(total=0.1),
        policy=QUICK,
        virtual=False,
    )


async def test_the_total_time_ends_an_attempt_to_reconnect_as_it_ends_a_stream() -> None:
    ran, _ = await conversation(
        Asks(),
        chunked(A, last=False),
        Closes("incomplete"),
        Waits("1"),
        Asks("1"),
        HOLD,
        Closes("timeout"),
        Ends("truncated", "total-timeout"),
        policy=QUICK,
        timeouts=Timeouts(total=0.5),
    )
    assert isinstance(ran.driver.error, StreamError)


async def test_a_connect_timeout_names_the_step() -> None:
    async def never(*_: object, **__: object) -> object:
        await asyncio.sleep(10)
        return []

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asyncio.get_running_loop(), "getaddrinfo", never)
        ran = await run("http://host.invalid/", timeouts=Timeouts(connect=0.05))
    assert ran.driver.error is not None
    assert ran.driver.error.code == "connect-timeout"
    assert "resolving" in ran.driver.error.message
