"""Shows the items of a live stream as they arrive, for the headless commands, and stops early in order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import TypeVar

from sse_tui.cli.output import Output

T = TypeVar("T")
WATCH_S = 0.25


async def follow(
    source: AsyncIterator[T], show: Callable[[T], bool | None], out: Output, stop: Callable[[], None]
) -> bool:
    """Show every item until the source ends or `show` returns True; True if the source ended by itself.

    To stop early, `stop` is called and the rest is read but not shown, so that a recording gets its last
    records. Raises `BrokenPipeError` once the reader of stdout has gone, even while there is nothing to write.
    """
    gone = False

    async def watch() -> None:
        nonlocal gone
        while True:
            await asyncio.sleep(WATCH_S)
            if out.abandoned():
                gone = True
                # On every round: the session may not have started when it was first called.
                stop()

    watcher = asyncio.ensure_future(watch())
    failure: Exception | None = None
    showing = True
    try:
        async for item in source:
            if not showing or gone:
                continue
            try:
                showing = not show(item)
            except Exception as error:
                failure, showing = error, False
            if not showing:
                stop()
    finally:
        watcher.cancel()
    if failure is not None:
        raise failure
    if gone:
        raise BrokenPipeError
    return showing
