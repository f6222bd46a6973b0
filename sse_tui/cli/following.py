"""Shows what comes as it comes, for the headless commands, and ends in order when it should not go on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import TypeVar

from sse_tui.cli.output import Output

T = TypeVar("T")
WATCH_S = 0.25


async def follow(
    source: AsyncIterator[T], show: Callable[[T], bool], out: Output, stop: Callable[[], None]
) -> bool:
    """Show what comes until it ends, or until `show` gives False; gives whether it ended by itself.

    To end early, `stop` is called and the rest is read and not shown, so that a recording gets its last
    records. Raises `BrokenPipeError` when the reader of stdout has gone, even while nothing comes that could
    be written.
    """
    gone = False

    async def watch() -> None:
        nonlocal gone
        while True:
            await asyncio.sleep(WATCH_S)
            if out.abandoned():
                gone = True
                # Again each time: there may be nothing to stop yet.
                stop()

    watcher = asyncio.ensure_future(watch())
    failure: Exception | None = None
    showing = True
    try:
        async for item in source:
            if not showing or gone:
                continue
            try:
                showing = show(item)
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
