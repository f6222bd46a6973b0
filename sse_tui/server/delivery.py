"""One reader's response: events pulled from the store at the reader's own pace, heartbeats while there are none.

Everything that is there at a wake-up goes out as one write; nothing is ever held back to make a write larger. A reader
that cannot keep up blocks only itself, in its own `send`; if the events that it needs next were evicted meanwhile, it
is disconnected.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.types import Receive, Scope, Send

from sse_tui.eventstream import comment
from sse_tui.server.generation import Run
from sse_tui.server.settings import ServerSettings
from sse_tui.server.store import EventStore, EvictedError

# A single line end: a comment with a blank line after it is a phantom event to decoders that dispatch on any
# blank line once an id was seen (httpx-sse, openai, anthropic).
HEARTBEAT = comment(" heartbeat")

STREAM_HEADERS = {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-cache, no-store, no-transform",
    "X-Accel-Buffering": "no",
}


class ReaderDroppedError(Exception):
    """Ends a response without its last chunk, so that no client mistakes it for a complete one."""


class _Wakeup:
    """What a reader waits for: events, a heartbeat that is due, the client's disconnection.

    There is one timer for each heartbeat period, not one for each wait: when it fires early, because something was sent
    meanwhile, it is set again for the rest of the period.
    """

    def __init__(self, settings: ServerSettings, task: asyncio.Task[Any]) -> None:
        self._loop = asyncio.get_running_loop()
        self._period = settings.heartbeat_s
        self._send_timeout = settings.send_timeout_s
        self._task = task
        self._waiter: asyncio.Future[None] | None = None
        self._last = self._loop.time()
        self._sending = False
        self._timer = self._loop.call_later(self._period, self._tick)
        self.events = True
        self.heartbeat = False
        self.gone = False

    def on_events(self) -> None:
        self.events = True
        self._wake()

    def on_gone(self) -> None:
        self.gone = True
        self._wake()

    async def during(self, sending: Awaitable[None]) -> None:
        """Send: meanwhile the client must read."""
        self._last = self._loop.time()
        self._sending = True
        await sending
        self._sending = False

    async def wait(self) -> None:
        """Wait until there is something to do."""
        if not (self.events or self.heartbeat or self.gone):
            self._waiter = self._loop.create_future()
            await self._waiter

    def close(self) -> None:
        self._timer.cancel()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def _tick(self) -> None:
        silence = self._loop.time() - self._last
        if self._sending and silence >= self._send_timeout:
            self._task.cancel("the client does not read")
            return
        due = silence >= self._period * 0.999
        self._timer = self._loop.call_later(self._period if due else self._period - silence, self._tick)
        if due:
            self.heartbeat = True
            self._wake()


class EventStreamResponse:
    """The ASGI response that replays `stream` after event `after` and follows it to its end.

    `run` is the generation, while it runs. `opening` is the response to the request that started it, a reader that
    is counted already; it sends a heartbeat before anything else, so that the headers and a first byte pass every proxy
    at once. A replay sends one only when it has nothing else to send yet.
    """

    def __init__(
        self,
        store: EventStore,
        stream: str,
        after: int,
        settings: ServerSettings,
        *,
        headers: dict[str, str],
        run: Run | None,
        opening: bool = False,
    ) -> None:
        self._store = store
        self._stream = stream
        self._next = after + 1
        self._settings = settings
        self._headers = STREAM_HEADERS | headers
        self._run = run
        self._opening = opening

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = [(name.lower().encode(), value.encode()) for name, value in self._headers.items()]
        start = {"type": "http.response.start", "status": 200, "headers": headers}
        if scope["method"] == "HEAD":
            await send(start)
            await send({"type": "http.response.body", "body": b""})
            return
        task = asyncio.current_task()
        assert task is not None
        wakeup = _Wakeup(self._settings, task)
        unwatch = self._store.watch(self._stream, wakeup.on_events)
        disconnect = asyncio.ensure_future(watch_disconnect(receive, wakeup.on_gone))
        if self._run is not None and not self._opening:
            self._run.attach()
        try:
            await send(start)
            await self._pump(send, wakeup)
        finally:
            if self._run is not None:
                self._run.detach()
            disconnect.cancel()
            unwatch()
            wakeup.close()

    async def _pump(self, send: Send, wakeup: _Wakeup) -> None:
        async def write(body: bytes, more: bool = True) -> None:
            await wakeup.during(send({"type": "http.response.body", "body": body, "more_body": more}))

        store, stream, limit = self._store, self._stream, self._settings.write_bytes
        silent = not self._opening
        if self._opening:
            await write(HEARTBEAT)
        while not wakeup.gone:
            if wakeup.events:
                wakeup.events = False
                try:
                    blocks, ended = store.read_from(stream, self._next, limit)
                except EvictedError as evicted:
                    await write(comment(_dropped(stream, self._next, evicted.oldest)))
                    raise ReaderDroppedError(stream) from None
                if blocks or ended:
                    self._next += len(blocks)
                    # Ask again: more may be there than fits one write.
                    wakeup.events = True
                    await write(b"".join(blocks), not ended)
                    if ended:
                        return
                    silent = False
                    continue
            if wakeup.heartbeat or silent:
                silent = False
                wakeup.heartbeat = False
                await write(HEARTBEAT)
            await wakeup.wait()


def _dropped(stream: str, seq: int, oldest: int | None) -> str:
    kept = "nothing is kept" if oldest is None else f"the oldest kept is {stream}-{oldest}"
    return f" dropped: this client fell behind, event {stream}-{seq} is no longer kept, {kept}"


async def watch_disconnect(receive: Receive, on_gone: Callable[[], None]) -> None:
    """Call `on_gone` when the client is no longer there."""
    while (await receive())["type"] != "http.disconnect":
        pass
    on_gone()


class QuietDrops(logging.Filter):
    """Keeps dropped readers out of the server's error log: dropping them is intended, not a fault."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        return not isinstance(error, (ReaderDroppedError, asyncio.CancelledError))
