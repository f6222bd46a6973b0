"""``POST /v1/chat/completions``: a new answer, streamed or whole, or the rest of an earlier stream."""

from __future__ import annotations

import asyncio

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp

from sse_tui.engine.interface import EngineInfo, Final, Piece
from sse_tui.server.api_errors import from_engine
from sse_tui.server.chat_request import ChatRequest, parse_chat_request
from sse_tui.server.delivery import watch_disconnect
from sse_tui.server.endpoint_state import Endpoint
from sse_tui.server.event_id import new_stream
from sse_tui.server.generation import cancelled
from sse_tui.server.request_body import read_json_body
from sse_tui.server.status import EndpointState

_LARGE = 64 * 2**10
"""Bytes of a body. One of this size takes about a millisecond to parse."""


async def chat_completions(request: Request) -> ASGIApp:
    """A new answer, or with ``Last-Event-ID`` the rest of that stream: a resume never starts a second generation."""
    endpoint: Endpoint = request.app.state.endpoint
    last_event_id = request.headers.get("last-event-id", "")
    if last_event_id:
        return endpoint.resume(last_event_id)
    info = endpoint.backend.require().info
    try:
        body = await read_json_body(request, endpoint.settings.max_body_bytes, info)
    except ClientDisconnect:
        return Response(status_code=499)
    asked = await _parse(endpoint, body, info)
    if asked.stream:
        return await endpoint.start(asked)
    return await _whole(endpoint, asked, request)


async def _parse(endpoint: Endpoint, body: bytearray, info: EngineInfo) -> ChatRequest:
    """Parse the body, a large one so that other streams go on meanwhile."""

    def parse(body: bytearray) -> ChatRequest:
        return parse_chat_request(body, new_stream(), info)

    return parse(body) if len(body) <= _LARGE else await endpoint.large_bodies.parse(body, parse)


async def _whole(endpoint: Endpoint, asked: ChatRequest, request: Request) -> Response:
    """The answer as one JSON object. It cannot be resumed, so the generation ends when its client leaves."""
    chunks = endpoint.chunks(asked)
    generation = endpoint.submit(asked)
    endpoint.whole.add(generation)
    disconnect = asyncio.ensure_future(watch_disconnect(request.receive, generation.cancel))
    text, final = "", Final(finish="error")
    try:
        async for step in generation:
            if isinstance(step, Piece | Final):
                text += step.text
            if isinstance(step, Final):
                final = step
    finally:
        disconnect.cancel()
        endpoint.whole.discard(generation)
    if final.finish == "cancelled":
        stopping = endpoint.backend.state == EndpointState.STOPPING
        raise endpoint.backend.unavailable() if stopping else cancelled("The generation was cancelled.")
    if final.finish == "error":
        raise from_engine(final.error_code, final.error)
    headers = {"X-Seed": str(asked.generation.seed)}
    return Response(chunks.whole(text, final), headers=headers, media_type="application/json")
