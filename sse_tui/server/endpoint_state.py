"""The endpoint's state: its engine, its store, the running generations, and the two ways to a stream.

`start` makes a stream, `resume` returns to one. Everything about HTTP is in the route modules.
"""

from __future__ import annotations

import asyncio
import hashlib
import time

from starlette.responses import Response
from starlette.types import ASGIApp

from sse_tui.engine.interface import EngineInfo, Generation
from sse_tui.errors import EngineError
from sse_tui.server.api_errors import ApiError, from_engine, quoted
from sse_tui.server.backend import Backend
from sse_tui.server.chat_request import ChatRequest
from sse_tui.server.chunks import ChatChunks
from sse_tui.server.delivery import EventStreamResponse
from sse_tui.server.event_id import EventId, parse_event_id
from sse_tui.server.generation import Run
from sse_tui.server.large_bodies import LargeBodies
from sse_tui.server.settings import ServerSettings
from sse_tui.server.status import EndpointState
from sse_tui.server.store import EventStore, StreamState
from sse_tui.text.wording import many
from sse_tui.version import __version__


class Endpoint:
    """What all requests share."""

    def __init__(self, backend: Backend, settings: ServerSettings, store: EventStore | None = None) -> None:
        self.backend = backend
        self.settings = settings
        self.store = store or EventStore(settings)
        self.runs: dict[str, Run] = {}
        self.whole: set[Generation] = set()
        self.large_bodies = LargeBodies(2 * settings.max_body_bytes)
        self._sweeping = False
        # There is one token, so everyone who knows it owns the same streams.
        self.owner = hashlib.sha256((settings.token or "").encode()).hexdigest()

    def check_model(self, name: str | None, info: EngineInfo) -> None:
        """Raise 404 for a model that is not the one loaded; no name means the one loaded."""
        if name is not None and name not in (info.model, "default"):
            message = f"The model {quoted(name)} does not exist here; {info.model!r} is loaded."
            raise ApiError(404, "model_not_found", message, param="model")

    def submit(self, request: ChatRequest) -> Generation:
        """Queue the generation. Raises `ApiError` when the endpoint or its engine cannot take it."""
        engine = self.backend.require()
        self.check_model(request.model, engine.info)
        if len(self.runs) + len(self.whole) >= self.settings.max_streams:
            message = f"The limit of {many(self.settings.max_streams, 'running generation')} is reached."
            raise ApiError(
                429, "too_many_streams", message, kind="rate_limit_error", headers={"Retry-After": "1"}
            )
        try:
            return engine.submit(request.generation)
        except EngineError as error:
            raise from_engine(error.code, error.message) from error

    def chunks(self, request: ChatRequest) -> ChatChunks:
        """The chunks for the answer to `request`."""
        info = self.backend.require().info
        return ChatChunks(
            id=f"chatcmpl-{request.generation.id}",
            model=info.model,
            fingerprint=f"sse-tui-{__version__}",
            created=int(time.time()),
            include_usage=request.include_usage,
        )

    async def start(self, request: ChatRequest) -> EventStreamResponse:
        """A new stream. Its response waits until the engine accepts the request, at most `accept_wait_s`."""
        run = Run(
            request.generation.id,
            self.submit(request),
            self.chunks(request),
            owner=self.owner,
            store=self.store,
            settings=self.settings,
            on_end=self._on_end,
        )
        self.runs[run.stream] = run
        # Not `await run.accepted`: a client that leaves cancels this task, which would cancel the future with it.
        await asyncio.wait([run.accepted])
        run.accepted.result()
        headers = {"X-Stream-Id": run.stream, "Location": f"/v1/streams/{run.stream}"}
        headers["X-Seed"] = str(request.generation.seed)
        return EventStreamResponse(
            self.store, run.stream, -1, self.settings, headers=headers, run=run, opening=True
        )

    def resume(self, last_event_id: str, stream: str | None = None) -> ASGIApp:
        """The rest of a stream after `last_event_id`; 204 when the stream has ended and that was its last event.

        Raises 404 when the id is not an event of one of this client's streams (or of `stream`), 409 when the next
        event is no longer kept.
        """
        last = parse_event_id(last_event_id)
        if last is None or stream not in (None, last.stream):
            raise unknown_event(last_event_id)
        state = self._state_of(last.stream)
        if state is None or last.seq >= state.next:
            raise unknown_event(last_event_id)
        return self._continue(last, state, {"Last-Event-ID": str(last)})

    def from_start(self, stream: str) -> ASGIApp:
        """All of a stream, from its first event. Raises 404 for one that is not this client's."""
        return self._continue(EventId(stream, -1), self.require_stream(stream), {})

    def require_stream(self, stream: str) -> StreamState:
        """The stream's state. Raises 404 if it is not one of this client's."""
        state = self._state_of(stream)
        if state is None:
            raise ApiError(404, "stream_not_found", f"There is no stream {quoted(stream)}.", param="id")
        return state

    def _state_of(self, stream: str) -> StreamState | None:
        state = self.store.state(stream)
        return state if state is not None and state.owner == self.owner else None

    async def shut_down(self) -> None:
        """Accept no new request, end every generation with an event that says so, and let the readers receive it."""
        self.backend.enter(EndpointState.STOPPING)
        runs, whole = list(self.runs.values()), list(self.whole)
        for run in runs:
            run.stop(self.backend.unavailable())
        for generation in whole:
            generation.cancel()
        await asyncio.gather(*(run.ended(self.settings.drain_s) for run in runs))

    def _continue(self, last: EventId, state: StreamState, headers: dict[str, str]) -> ASGIApp:
        if state.finished and last.seq + 1 == state.next:
            # It tells an EventSource to stop (HTML standard, section 9.2).
            return Response(status_code=204)
        if last.seq + 1 < state.oldest:
            raise evicted(last, state)
        headers = headers | {"X-Stream-Id": last.stream}
        run = self.runs.get(last.stream)
        return EventStreamResponse(self.store, last.stream, last.seq, self.settings, headers=headers, run=run)

    def _on_end(self, run: Run) -> None:
        self.runs.pop(run.stream, None)
        if not self._sweeping:
            self._sweep()

    def _sweep(self) -> None:
        """Let the store forget old streams in time: it does so whenever it is used, but it may not be used again."""
        wait = self.store.sweep()
        self._sweeping = wait is not None
        if wait is not None:
            asyncio.get_running_loop().call_later(wait + 1, self._sweep)


def unknown_event(last_event_id: str) -> ApiError:
    """404: the id is not known, so neither is what follows it."""
    message = f"No stream has the event {quoted(last_event_id)}: it is unknown, expired, or not yours."
    return ApiError(404, "unknown_event_id", message, param="Last-Event-ID")


def evicted(last: EventId, state: StreamState) -> ApiError:
    """409: the stream is known, but a replay after `last` would have a gap."""
    oldest = str(EventId(last.stream, state.oldest)) if state.next > state.oldest else None
    asked = f"The event after {last}" if last.seq >= 0 else f"The start of {last.stream}"
    message = f"{asked} is no longer kept. " + (f"The oldest kept is {oldest}." if oldest else "No event is.")
    extra = {"oldest_event_id": oldest}
    return ApiError(409, "event_evicted", message, param="Last-Event-ID", extra=extra)
