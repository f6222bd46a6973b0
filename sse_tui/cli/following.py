"""Shows the items of a live stream as they arrive, for the headless commands, and stops early in order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import TypeVar

from sse_tui.cli.output import Output

T = TypeVar("T")
WATCH_S = 0.25
LAST_ITEMS_S = 0.5


async def follow(
    source: AsyncIterator[T], show: Callable[[T], bool | None], out: Output, stop: Callable[[], None]
) -> bool:
    """Show every item until the source ends or `show` returns True; True if the source ended by itself.

    To stop early, and when this is cancelled, `stop` is called and the rest is read but not shown, so that a recording
    gets its last records. Raises `BrokenPipeError` once the reader of stdout has gone, even while there is nothing to
    write.
    """
    following = _Following(source, show, out, stop)
    reading = asyncio.ensure_future(following.read())
    watcher = asyncio.ensure_future(following.watch())
    try:
        await asyncio.wait({reading})
    except asyncio.CancelledError:
        following.end()
        # A source that cannot stop, such as an endpoint that is still loading its model, is cancelled.
        await asyncio.wait({reading}, timeout=LAST_ITEMS_S)
        raise
    finally:
        watcher.cancel()
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
    return reading.result()


class _Following:
    def __init__(
        self,
        source: AsyncIterator[T],
        show: Callable[[T], bool | None],
        out: Output,
        stop: Callable[[], None],
    ) -> None:
        self._source = source
        self._show = show
        self._out = out
        self._stop = stop
        self._showing = True
        self._gone = False

    def end(self) -> None:
        """Show nothing more, and stop the source."""
        self._showing = False
        self._stop()

    async def watch(self) -> None:
        """End everything once the reader of stdout has gone."""
        while True:
            await asyncio.sleep(WATCH_S)
            if self._out.abandoned():
                self._gone = True
                # On every round: the session may not have started when it was first called.
                self.end()

    async def read(self) -> bool:
        failure: Exception | None = None
        async for item in self._source:
            if not self._showing:
                continue
            try:
                stopped = self._show(item)
            except Exception as error:
                failure, stopped = error, True
            if stopped:
                self.end()
        if failure is not None:
            raise failure
        if self._gone:
            raise BrokenPipeError
        return self._showing
