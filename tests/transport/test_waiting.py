"""Waits that can be cut short."""

from __future__ import annotations

import asyncio

import pytest

from sse_tui.transport.waiting import Waiter, Woken


async def test_it_waits() -> None:
    assert await Waiter().wait(asyncio.sleep(0, "result"), 1) == "result"


async def test_its_limit() -> None:
    with pytest.raises(TimeoutError):
        await Waiter().wait(asyncio.sleep(10), 0.01)


async def test_a_timeout_from_inside_is_not_its_own() -> None:
    async def fail() -> None:
        raise TimeoutError("inside")

    with pytest.raises(TimeoutError, match="inside"):
        await Waiter().wait(fail(), 1)


async def test_waking_a_wait() -> None:
    waiter = Waiter()
    asyncio.get_running_loop().call_later(0.01, waiter.wake)
    with pytest.raises(Woken):
        await waiter.wait(asyncio.sleep(10))


async def test_waking_twice_wakes_once() -> None:
    waiter = Waiter()
    loop = asyncio.get_running_loop()
    for _ in range(2):
        loop.call_later(0.01, waiter.wake)
    with pytest.raises(Woken):
        await waiter.wait(asyncio.sleep(10))
    assert await waiter.wait(asyncio.sleep(0.01, 1), 1) == 1


async def test_waking_before_a_wait_ends_the_next_one() -> None:
    waiter = Waiter()
    waiter.wake()
    with pytest.raises(Woken):
        await waiter.wait(asyncio.sleep(10))
    assert await waiter.wait(asyncio.sleep(0, 1)) == 1


async def test_cancelling_goes_through() -> None:
    task = asyncio.create_task(Waiter().wait(asyncio.sleep(10)))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
