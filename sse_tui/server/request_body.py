"""Reading a request's JSON body within its limits."""

from __future__ import annotations

from starlette.requests import Request

from sse_tui.fields import essence
from sse_tui.server.api_errors import ApiError


async def read_json_body(request: Request, limit: int) -> bytes:
    """The body. Raises 415 when its Content-Type is not JSON, 413 when it is larger than `limit` bytes."""
    kind = essence(request.headers.get("content-type"))
    # A browser sends JSON to another origin only after a preflight request; other types it sends without one, which
    # would let any web page use the endpoint.
    if kind != "application/json":
        given = f"it is {kind}" if kind else "it is missing"
        message = f"The Content-Type must be application/json, but {given}."
        raise ApiError(415, "unsupported_media_type", message)
    declared = request.headers.get("content-length", "")
    if declared.isascii() and declared.isdigit() and int(declared) > limit:
        raise _too_large(limit)
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > limit:
            raise _too_large(limit)
    return bytes(body)


def _too_large(limit: int) -> ApiError:
    return ApiError(
        413, "body_too_large", f"The body is larger than {limit:,} bytes.", headers={"Connection": "close"}
    )
