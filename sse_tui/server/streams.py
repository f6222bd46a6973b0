"""``/v1/streams/{id}``: GET follows or resumes a stream, as an EventSource does; DELETE cancels it."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp

from sse_tui.server.endpoint_state import Endpoint
from sse_tui.server.generation import cancelled


async def follow(request: Request) -> ASGIApp:
    """The stream after the header ``Last-Event-ID`` or the query's `last_event_id`, else from its start."""
    endpoint: Endpoint = request.app.state.endpoint
    stream = request.path_params["id"]
    # A browser's EventSource cannot set the header on its first connection, and repeats the query on all later ones:
    # so the header, which is newer then, comes first.
    last_event_id = request.headers.get("last-event-id", "") or request.query_params.get("last_event_id", "")
    if last_event_id:
        return endpoint.resume(last_event_id, stream)
    return endpoint.from_start(stream)


async def cancel(request: Request) -> Response:
    """Cancel the stream's generation. A stream that has ended stays as it is."""
    endpoint: Endpoint = request.app.state.endpoint
    stream = request.path_params["id"]
    endpoint.require_stream(stream)
    run = endpoint.runs.get(stream)
    if run is not None:
        run.stop(cancelled("The generation was cancelled by a DELETE request."))
    return JSONResponse({"id": stream, "object": "stream", "cancelled": run is not None})
