"""One running generation: takes the engine's steps and writes events into the store, with or without readers.

It continues for a grace period after its last reader left, so that a reader that comes back misses nothing; then it
is cancelled.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from sse_tui.engine.interface import Final, Generation, Piece
from sse_tui.eventstream import encode
from sse_tui.server.api_errors import ApiError, from_engine, unavailable
from sse_tui.server.chunks import ChatChunks, json_text
from sse_tui.server.settings import ServerSettings
from sse_tui.server.store import EventStore

DONE = "[DONE]"


def cancelled(message: str) -> ApiError:
    """The in-band error that ends a cancelled stream; OpenAI has no finish reason for it."""
    return ApiError(499, "cancelled", message, kind="cancelled")


class Run:
    """Drives one generation into the store as stream `stream`.

    Nothing is stored before the engine has accepted the request, so that an early failure can be an HTTP error: await
    `accepted` first. It starts with one reader, the request itself, which must `detach` in the end. `on_end` is called
    once, when no event will follow.
    """

    def __init__(
        self,
        stream: str,
        generation: Generation,
        chunks: ChatChunks,
        *,
        owner: str,
        store: EventStore,
        settings: ServerSettings,
        on_end: Callable[[Run], None],
    ) -> None:
        self.stream = stream
        self._generation = generation
        self._chunks = chunks
        self._owner = owner
        self._store = store
        self._settings = settings
        self._on_end = on_end
        self._seq = 0
        # The request counts as a reader until its response is over.
        self._readers = 1
        self._why: ApiError | None = None
        self._grace: asyncio.TimerHandle | None = None
        self._loop = asyncio.get_running_loop()
        self.accepted: asyncio.Future[None] = self._loop.create_future()
        self._accept_timer = self._loop.call_later(settings.accept_wait_s, self._accept)
        self._task = self._loop.create_task(self._drive())

    def attach(self) -> None:
        """Count a new reader."""
        self._readers += 1
        if self._grace is not None:
            self._grace.cancel()
            self._grace = None

    def detach(self) -> None:
        """Count a reader that left; the last one starts the grace period."""
        self._readers -= 1
        if not self._readers and not self._task.done():
            self._grace = self._loop.call_later(self._settings.grace_s, self._abandon)

    def stop(self, why: ApiError) -> None:
        """Cancel the generation; its stream ends with `why`. Only the first reason counts."""
        if self._why is None and not self._task.done():
            self._why = why
            self._generation.cancel()

    async def ended(self, timeout_s: float) -> None:
        """Wait for the end; after `timeout_s` end the stream without waiting for the engine."""
        await asyncio.wait([self._task], timeout=timeout_s)
        if not self._task.done():
            self._task.cancel()
            await asyncio.wait([self._task])

    def _abandon(self) -> None:
        self.stop(cancelled(f"Cancelled: the stream had no reader for {self._settings.grace_s:g} s."))

    def _accept(self) -> None:
        """Open the stream with its role chunk: from here on it can be resumed, and errors are in-band."""
        if self.accepted.done():
            return
        self._accept_timer.cancel()
        self._store.create(self.stream, self._owner)
        self._emit(self._chunks.role(), self._settings.retry_ms)
        self.accepted.set_result(None)

    def _emit(self, data: str, retry: int | None = None) -> None:
        self._store.append(self.stream, encode(data=data, id=f"{self.stream}-{self._seq}", retry=retry))
        self._seq += 1

    async def _drive(self) -> None:
        try:
            async for step in self._generation:
                if isinstance(step, Final):
                    self._end(step)
                    return
                self._accept()
                if isinstance(step, Piece) and step.text:
                    self._emit(self._chunks.content(step.text))
        except asyncio.CancelledError:
            self._generation.cancel()
            self._fail(self._why or unavailable("shutting_down", "The server is shutting down.", 5))
        except Exception as error:
            self._fail(ApiError(500, "internal_error", f"Internal error: {error!r}", kind="server_error"))
        finally:
            self._accept_timer.cancel()
            if self._grace is not None:
                self._grace.cancel()
            self._on_end(self)

    def _end(self, final: Final) -> None:
        if final.finish == "error":
            self._fail(from_engine(final.error_code, final.error), final.text)
            return
        if final.finish == "cancelled":
            self._fail(self._why or cancelled("The generation was cancelled."), final.text)
            return
        self._accept()
        if final.text:
            self._emit(self._chunks.content(final.text))
        self._emit(self._chunks.finish(final))
        if self._chunks.include_usage:
            self._emit(self._chunks.usage(final))
        self._emit(DONE)
        self._store.finish(self.stream)

    def _fail(self, error: ApiError, text: str = "") -> None:
        """End with an error: by HTTP if nothing went out yet, else in-band and without a ``[DONE]``."""
        if not self.accepted.done():
            self.accepted.set_exception(error)
            return
        if text:
            self._emit(self._chunks.content(text))
        self._emit(json_text(error.document()))
        self._store.finish(self.stream)
