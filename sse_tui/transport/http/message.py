"""The request as it is sent, and the records of what went over the wire."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import replace

import httpx

from sse_tui.bodies import is_stream_type
from sse_tui.errors import UsageError
from sse_tui.fields import first, has, is_token, without
from sse_tui.recording.records import Headers, Request, Response
from sse_tui.transport.http.origins import OriginCookies
from sse_tui.transport.stream_request import StreamRequest
from sse_tui.version import __version__

LAST_EVENT_ID = "last-event-id"
STREAM_ID = "x-stream-id"  # in a response of our endpoint: the name of the stream
_MCP_SESSION = "mcp-session-id"
# What a request for an event stream carries (HTML standard, section 9.2.3) unless the caller sets it. No content
# coding: a compressor on the way may hold events back until its buffer is full.
_DEFAULTS = (
    ("Accept", "text/event-stream"),
    ("Cache-Control", "no-cache"),
    ("Accept-Encoding", "identity"),
    ("User-Agent", f"sse-tui/{__version__}"),
)


def build(request: StreamRequest, last_event_id: str, cookies: OriginCookies) -> httpx.Request:
    """The request for one attempt. Raises UsageError for a URL or a header that cannot be sent."""
    try:
        url = httpx.URL(request.url)
    except (httpx.InvalidURL, TypeError) as error:
        raise UsageError("bad-url", f"{request.url!r} is not a URL ({error}).") from error
    if not sendable(url):
        raise UsageError(
            "bad-url",
            f"{request.url!r} is not an http or https URL.",
            "Write it as http://host:port/path, the port at most 65535.",
        )
    if not is_token(request.method):
        raise UsageError("bad-method", f"{request.method!r} is not a request method.", "It must be one word.")
    request = without_userinfo(request)
    headers = without(request.headers, LAST_EVENT_ID)
    headers += [field for field in _DEFAULTS if not has(headers, field[0])]
    if last_event_id:
        headers.append(("Last-Event-ID", last_event_id))
    try:
        raw = [(name.encode("ascii"), value.encode("utf-8")) for name, value in headers]
        return httpx.Request(
            request.method.upper(),
            request.url,
            headers=raw,
            content=request.body,
            cookies=cookies.of(url),
        )
    except (ValueError, httpx.InvalidURL) as error:
        raise UsageError("bad-request", f"The request cannot be sent: {error}.") from error


def without_userinfo(request: StreamRequest) -> StreamRequest:
    """The request with the credentials of its URL in an Authorization header, so that no record shows them in a URL."""
    url = httpx.URL(request.url)
    if not url.userinfo:
        return request
    headers = list(request.headers)
    if not has(headers, "authorization"):
        pair = f"{url.username}:{url.password}".encode()
        headers.append(("Authorization", "Basic " + base64.b64encode(pair).decode("ascii")))
    return replace(request, url=str(url.copy_with(username=None, password=None)), headers=tuple(headers))


def resuming_get(request: StreamRequest, response: Headers) -> StreamRequest:
    """The GET that goes on with a stream which `request` began and `response` answered.

    As MCP's Streamable HTTP asks for it: to the same address and in the same session, without the message.
    """
    headers = without(request.headers, "accept", "content-type", "content-length")
    session = first(response, _MCP_SESSION)
    if session is not None and not has(headers, _MCP_SESSION):
        headers.append((_MCP_SESSION, session))
    return replace(request, method="GET", headers=headers, body=None)


def sendable(url: httpx.URL) -> bool:
    """Whether a request can be sent to `url` at all: http or https, a host, a valid port."""
    return url.scheme in ("http", "https") and bool(url.host) and (url.port or 0) <= 65535


def request_record(t: int, turn: int, conn: int, sent: httpx.Request, dialect: str | None) -> Request:
    """The record for a request about to be sent."""
    body = sent.content
    text: str | None = None
    binary: str | None = None
    if body:
        try:
            text = body.decode("utf-8")
        except UnicodeDecodeError:
            binary = base64.b64encode(body).decode("ascii")
    return Request(
        t=t,
        turn=turn,
        conn=conn,
        method=sent.method,
        url=str(sent.url),
        headers=header_text(sent.headers.raw),
        body=text,
        body_b64=binary,
        dialect=dialect,
    )


def response_record(t: int, turn: int, conn: int, response: httpx.Response, readable: bool) -> Response:
    """The record for a response's head. `readable`: its body is read although its media type may be another."""
    typed = is_stream_type(response.headers.get("content-type", ""))
    return Response(
        t=t,
        turn=turn,
        conn=conn,
        status=response.status_code,
        http_version=response.http_version,
        headers=header_text(response.headers.raw),
        refused=None if typed or response.status_code != 200 else not readable,
        irregular=response.extensions.get("irregular", []),
    )


def header_text(raw: Sequence[tuple[bytes, bytes]]) -> Headers:
    """Headers as text: values that are UTF-8 decoded as such, others byte for byte (Latin-1)."""
    return [(name.decode("latin-1"), _value(value)) for name, value in raw]


def _value(value: bytes) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")
