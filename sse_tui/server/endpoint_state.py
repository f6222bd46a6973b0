"""The endpoint's state: its engine, its store, the generations that run, and the two ways to a stream.

`start` makes a stream, `resume` finds one again. Everything HTTP is in the route modules.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Callable

from sse_tui.engine.interface import EngineInfo, Generation
from sse_tui.errors import EngineError
from sse_tui.server.api_errors import ApiError, from_engine
from sse_tui.server.backend import Backend
from sse_tui.server.chat_request import ChatRequest
from sse_tui.server.chunks import ChatChunks
from sse_tui.server.delivery import EventStreamResponse
from sse_tui.server.event_id import EventId, parse_event_id
from sse_tui.server.generation import Run
from sse_tui.server.memory_store import MemoryStore
from sse_tui.server.settings import ServerSettings
from sse_tui.server.status import EndpointState
from sse_tui.server.store import EventStore, StreamState
from sse_tui.version import __version__


class Endpoint:
    """What all requests share."""

    def __init__(
        self,
        backend: Backend,
        settings: ServerSettings,
        *,
        store: EventStore | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.backend = backend
        self.settings = settings
        self.store = MemoryStore(settings.store, clock) if store is None else store
        self.runs: dict[str, Run] = {}
        self.whole: set[Generation] = set()
        # There is one token, so all who know it own the same streams.
        self.owner = hashlib.sha256((settings.token or "").encode()).hexdigest()

    def check_model(self, name: str | None, info: EngineInfo) -> None:
        """404 for a model that is not the one loaded; no name means the one loaded."""
        if name is not None and name not in (info.model, "default"):
            message = f"The model {name!r} does not exist here; loaded is {info.model!r}."
            raise ApiError(404, "model_not_found", message, param="model")

    def submit(self, request: ChatRequest) -> Generation:
        """Queue the generation. Raises `ApiError` when the endpoint or its engine cannot take it."""
        engine = self.backend.require()
        self.check_model(request.model, engine.info)
        if len(self.runs) + len(self.whole) >= self.settings.max_streams:
            message = f"{self.settings.max_streams} generations are running, which is the limit."
            raise ApiError(
                429, "too_many_streams", message, kind="rate_limit_error", headers={"Retry-After": "1"}
            )
        try:
            return engine.submit(request.generation)
        except EngineError as error:
            raise from_engine(error.code, error.message) from error

    def chunks(self, request: ChatRequest) -> ChatChunks:
        """The form of the answer to `request`."""
        info = self.backend.require().info
        return ChatChunks(
            id=f"chatcmpl-{request.generation.id}",
            model=info.model,
            fingerprint=f"sse-tui-{__version__}",
            created=int(time.time()),
            include_usage=request.include_usage,
        )

    async def start(self, request: ChatRequest) -> EventStreamResponse:
        """A new stream; the response waits until the engine took the request or `accept_wait_s` is over."""
        run = Run(
            request.generation.id,
            self.submit(request),
            self.chunks(request),
            owner=self.owner,
            include_usage=request.include_usage,
            store=self.store,
            settings=self.settings,
            on_end=self._on_end,
        )
        self.runs[run.stream] = run
        # `wait`, because awaiting the future itself would cancel it with this task.
        await asyncio.wait([run.accepted])
        run.accepted.result()
        headers = {"X-Stream-Id": run.stream, "Location": f"/v1/streams/{run.stream}"}
        headers["X-Seed"] = str(request.generation.seed)
        return EventStreamResponse(
            self.store, run.stream, -1, self.settings, headers=headers, counted=run, opening=True
        )

    async def resume(self, last_event_id: str, stream: str | None = None) -> EventStreamResponse | None:
        """The rest of a stream after `last_event_id`; None when there is no rest, for ever.

        Raises 404 when the id is not one of a stream of this client (or of `stream`), 409 when the next event
        is no longer kept.
        """
        place = parse_event_id(last_event_id)
        if place is None or stream not in (None, place.stream):
            raise unknown_event(last_event_id)
        state = await self.state_of(place.stream)
        if state is None or place.seq >= state.next:
            raise unknown_event(last_event_id)
        return self._continue(place, state, {"Last-Event-ID": str(place)})

    async def from_start(self, stream: str) -> EventStreamResponse | None:
        """All of a stream, from its first event."""
        state = await self.state_of(stream)
        if state is None:
            raise ApiError(404, "stream_not_found", f"There is no stream {stream!r}.", param="id")
        return self._continue(EventId(stream, -1), state, {})

    async def state_of(self, stream: str) -> StreamState | None:
        """The stream's state if it is this client's."""
        state = await self.store.state(stream)
        return state if state is not None and state.owner == self.owner else None

    async def shut_down(self) -> None:
        """Take nothing new, end every generation with an event that says so, and let the readers have it."""
        self.backend.enter(EndpointState.STOPPING)
        runs, whole = list(self.runs.values()), list(self.whole)
        for run in runs:
            run.stop(self.backend.unavailable())
        for generation in whole:
            generation.cancel()
        await asyncio.gather(*(run.ended(self.settings.drain_s) for run in runs))

    def _continue(
        self, place: EventId, state: StreamState, headers: dict[str, str]
    ) -> EventStreamResponse | None:
        if state.finished and place.seq + 1 == state.next:
            return None
        if place.seq + 1 < state.oldest:
            raise evicted(place, state)
        headers = headers | {"X-Stream-Id": place.stream}
        run = self.runs.get(place.stream)
        return EventStreamResponse(
            self.store, place.stream, place.seq, self.settings, headers=headers, counted=run
        )

    def _on_end(self, run: Run) -> None:
        self.runs.pop(run.stream, None)
        # The store forgets whenever it is asked for something; here because nobody may ask any more.
        asyncio.get_running_loop().call_later(self.settings.store.max_age_s + 1, self.store.sweep)


def unknown_event(last_event_id: str) -> ApiError:
    """404: nothing is known about this id, so nothing can follow it."""
    shown = last_event_id[:80]
    message = f"There is no stream with the event {shown!r}: unknown, expired, or not yours."
    return ApiError(404, "unknown_event_id", message, param="Last-Event-ID")


def evicted(place: EventId, state: StreamState) -> ApiError:
    """409: the stream is known, but a replay after `place` would have a gap."""
    oldest = str(EventId(place.stream, state.oldest)) if state.next > state.oldest else None
    asked = f"the event after {place}" if place.seq >= 0 else f"the start of {place.stream}"
    message = f"No longer kept: {asked}. The oldest that is kept: {oldest or 'none'}."
    extra = {"oldest_event_id": oldest}
    return ApiError(409, "event_evicted", message, param="Last-Event-ID", extra=extra)
