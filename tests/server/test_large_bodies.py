"""Large bodies take turns, with pauses between them, and only so many wait."""

from __future__ import annotations

import asyncio
import threading
import time
from itertools import pairwise

import pytest

from sse_tui.server.api_errors import ApiError
from sse_tui.server.large_bodies import LargeBodies


async def test_one_at_a_time_and_a_pause_after_each() -> None:
    bodies = LargeBodies(1000)
    spans: list[tuple[float, float]] = []

    def parse(body: bytearray) -> int:
        start = time.monotonic()
        time.sleep(0.01)
        spans.append((start, time.monotonic()))
        return len(body)

    sizes = await asyncio.gather(*(bodies.parse(bytearray(size), parse) for size in (1, 2, 3)))
    assert sizes == [1, 2, 3]
    for (start, end), (following, _) in pairwise(spans):
        assert following - end >= 2 * (end - start)


async def test_no_more_wait_than_allowed_but_one_may_always() -> None:
    bodies = LargeBodies(100)
    go_on = threading.Event()

    def parse(body: bytearray) -> int:
        assert go_on.wait(10)
        return len(body)

    first = asyncio.create_task(bodies.parse(bytearray(500), parse))
    await asyncio.sleep(0)
    with pytest.raises(ApiError) as refused:
        await bodies.parse(bytearray(1), parse)
    assert (refused.value.status, refused.value.code) == (503, "overloaded")
    assert refused.value.headers["Retry-After"]
    go_on.set()
    assert await first == 500
    assert await bodies.parse(bytearray(60), parse) == 60


async def test_what_parsing_raises_comes_through_and_the_next_has_its_turn() -> None:
    bodies = LargeBodies(100)
    with pytest.raises(ZeroDivisionError):
        await bodies.parse(bytearray(1), lambda body: 1 // (len(body) - 1))
    assert await bodies.parse(bytearray(2), len) == 2


async def test_one_who_leaves_the_queue_leaves_no_gap() -> None:
    bodies = LargeBodies(100)
    go_on = threading.Event()
    first = asyncio.create_task(bodies.parse(bytearray(40), lambda body: go_on.wait(10)))
    second = asyncio.create_task(bodies.parse(bytearray(40), len))
    await asyncio.sleep(0)
    second.cancel()
    await asyncio.wait([second])
    third = asyncio.create_task(bodies.parse(bytearray(50), len))
    await asyncio.sleep(0)
    go_on.set()
    assert await first
    assert await third == 50
