"""Reading a request's JSON body within its limits."""

from __future__ import annotations

from starlette.requests import Request

from sse_tui.engine.context_room import largest_body
from sse_tui.engine.interface import EngineInfo
from sse_tui.fields import essence
from sse_tui.server.api_errors import ApiError
from sse_tui.text.wording import many


async def read_json_body(request: Request, limit: int, info: EngineInfo) -> bytearray:
    """The body of a request to the engine `info`.

    Raises 415 when its Content-Type is not JSON, 413 when it is larger than `limit` bytes, 400 when it is larger than
    messages that fit the engine's context need. Of a body whose declared length says so nothing is read.
    """
    kind = essence(request.headers.get("content-type"))
    # A browser sends JSON to another origin only after a preflight request; other types it sends without one, which
    # would let any web page use the endpoint.
    if kind != "application/json":
        given = f"it is {kind}" if kind else "it is missing"
        message = f"The Content-Type must be application/json, but {given}."
        raise ApiError(415, "unsupported_media_type", message)
    room = largest_body(info)
    declared = request.headers.get("content-length", "")
    if declared.isascii() and declared.isdigit():
        _require(int(declared), limit, room, info)
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        _require(len(body), limit, room, info)
    return body


def _require(size: int, limit: int, room: int | None, info: EngineInfo) -> None:
    # The rest of the body is not read, so the connection cannot be used again.
    close = {"Connection": "close"}
    if size > limit:
        raise ApiError(413, "body_too_large", f"The body is larger than {limit:,} bytes.", headers=close)
    if room is not None and size > room:
        message = f"The body is larger than {room:,} bytes; the context holds {many(info.n_ctx, 'token')}."
        raise ApiError(400, "context_length_exceeded", message, param="messages", headers=close)
