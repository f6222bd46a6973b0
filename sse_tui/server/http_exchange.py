"""One request and its answer, between the ASGI application and the connection."""

from __future__ import annotations

import asyncio
import http
import logging
import urllib.parse
from typing import Any, Protocol

import httptools
from starlette.types import ASGIApp, Message, Scope

from sse_tui.server.api_errors import ApiError
from sse_tui.server.request_reader import RequestHead

_BODY_AHEAD = 64 * 2**10
"""How much of a body is read before the application takes it."""

_REASONS = {status.value: status.phrase for status in http.HTTPStatus}

_errors = logging.getLogger("uvicorn.error")


class Link(Protocol):
    """The connection, as an exchange uses it.

    `full` is done when the peer has taken most of what was sent; None while there is room.
    """

    full: asyncio.Future[None] | None

    def write(self, data: bytes) -> None:
        """Send bytes."""

    def on_body_wanted(self) -> None:
        """The application waits for the request's body."""

    def on_response_start(self, status: int) -> bool:
        """The answer begins; whether the connection stays open after it."""

    def on_response_end(self, keep_alive: bool) -> None:
        """The answer is written."""

    def abort(self) -> None:
        """End the connection now, so that nobody takes a part for the whole answer."""


class HttpExchange:
    """The `receive` and `send` of one ASGI request.

    The request's body is asked for only when the application asks: a request that is refused by its head is not read.
    """

    def __init__(self, head: RequestHead, link: Link, defaults: list[tuple[bytes, bytes]]) -> None:
        self._head = head
        self._link = link
        self._defaults = defaults
        self._changed = asyncio.Event()
        self._body: list[bytes] = []
        self._held = 0
        self._whole = False
        self._delivered = False
        self._expects_continue = head.expects_continue
        self._keep_alive = head.keep_alive
        self._chunked = False
        # What is left of a declared length; None where the end of the answer shows otherwise.
        self._left: int | None = None
        self.wants_body = False
        self.started = False
        self.ended = False
        self.gone = False

    def feed(self, body: bytes, whole: bool) -> None:
        """More of the request's body; `whole` when that was all."""
        if body and not self.ended:
            self._body.append(body)
            self._held += len(body)
        self._whole = self._whole or whole
        self.wants_body = not self._whole and self._held < _BODY_AHEAD
        self._changed.set()

    def disconnect(self) -> None:
        """The peer is gone."""
        self.gone = True
        self._changed.set()

    async def run(self, app: ASGIApp, scope: Scope) -> None:
        """Let the application answer."""
        try:
            await app(scope, self.receive, self.send)
        except BaseException as error:
            _errors.error("Exception in ASGI application\n", exc_info=error)
            # Starlette answers, and raises all the same.
            if self.ended:
                return
            if self.started or self.gone:
                self._link.abort()
            else:
                await self._fail()
        else:
            if not self.ended and not self.gone:
                _errors.error("The ASGI application returned without a complete response.")
                self._link.abort()

    async def receive(self) -> Message:
        """ASGI's receive."""
        if not self._whole and not self.gone and self._held < _BODY_AHEAD:
            if self._expects_continue and not self.started:
                self._expects_continue = False
                self._link.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            self.wants_body = True
            self._link.on_body_wanted()
        while not (self._body or self.gone or self.ended or (self._whole and not self._delivered)):
            self._changed.clear()
            await self._changed.wait()
        if self.gone or self.ended or self._delivered:
            return {"type": "http.disconnect"}
        body = b"".join(self._body)
        self._body.clear()
        self._held = 0
        self._delivered = self._whole
        return {"type": "http.request", "body": body, "more_body": not self._whole}

    async def send(self, message: Message) -> None:
        """ASGI's send."""
        if self._link.full is not None:
            await self._link.full
        if self.gone:
            return
        if not self.started:
            self._start(message["status"], list(message.get("headers", ())))
            return
        body, more = message.get("body", b""), message.get("more_body", False)
        if self._head.method == "HEAD":
            body = b""
        elif self._chunked:
            body = (b"%x\r\n%b\r\n" % (len(body), body) if body else b"") + (b"" if more else b"0\r\n\r\n")
        elif self._left is not None:
            self._left -= len(body)
            if self._left < 0 or (self._left and not more):
                raise RuntimeError("The body is not as long as its Content-Length.")
        if body:
            self._link.write(body)
        if not more:
            self.ended = True
            self._changed.set()
            self._link.on_response_end(self._keep_alive)

    def _start(self, status: int, fields: list[tuple[bytes, bytes]]) -> None:
        self.started = True
        self._keep_alive = self._link.on_response_start(status) and self._keep_alive
        lines = [f"HTTP/1.1 {status} {_REASONS.get(status, '')}\r\n".encode()]
        bodiless = self._head.method == "HEAD" or status in (204, 304)
        framed, closing = bodiless, False
        for name, value in self._defaults + fields:
            if b"\r" in value or b"\n" in value:
                raise RuntimeError("A header value has a line break.")
            name = name.lower()
            if name == b"content-length":
                framed = True
                self._left = int(value)
            elif name == b"connection" and value.lower() == b"close":
                closing, self._keep_alive = True, False
            lines.append(b"%b: %b\r\n" % (name, value))
        if not framed:
            # HTTP/1.0 knows no chunks: the end of the connection is the end of the body (RFC 9112, section 6.1).
            self._chunked = self._head.version == "1.1"
            if self._chunked:
                lines.append(b"transfer-encoding: chunked\r\n")
            else:
                self._keep_alive = False
        if not self._keep_alive and not closing:
            lines.append(b"connection: close\r\n")
        lines.append(b"\r\n")
        self._link.write(b"".join(lines))

    async def _fail(self) -> None:
        error = ApiError(500, "internal_error", "The request failed.", kind="server_error").response()
        await self.send({"type": "http.response.start", "status": 500, "headers": error.raw_headers})
        await self.send({"type": "http.response.body", "body": error.body})


def raw_response(error: ApiError, defaults: list[tuple[bytes, bytes]]) -> bytes:
    """`error` as the last answer on a connection."""
    response = error.response()
    lines = [f"HTTP/1.1 {error.status} {_REASONS.get(error.status, '')}".encode()]
    lines += [b"%b: %b" % field for field in [*defaults, *response.raw_headers, (b"connection", b"close")]]
    return b"\r\n".join([*lines, b"", bytes(response.body)])


def asgi_request(head: RequestHead, connection: dict[str, Any]) -> tuple[RequestHead, Scope]:
    """The request as the application gets it; `connection` is what it has in common with others on its connection.

    Raises `ApiError` for a URL or a version that cannot be served.
    """
    if head.version not in ("1.0", "1.1"):
        raise ApiError(505, "bad_version", f"HTTP/{head.version} is not supported; use HTTP/1.1.")
    try:
        url = httptools.parse_url(head.target)
        path = urllib.parse.unquote((url.path or b"/").decode("ascii"))
    except (httptools.HttpParserInvalidURLError, UnicodeDecodeError):
        raise ApiError(400, "bad_url", "The request's URL is not valid.") from None
    if url.host is not None:
        # The URL's host counts, not the field (RFC 9112, section 3.2.2).
        host = url.host if url.port is None else b"%b:%d" % (url.host, url.port)
        head = head._replace(
            fields=[(name, host if name == b"host" else value) for name, value in head.fields]
        )
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": head.version,
        "method": head.method,
        "path": path,
        "raw_path": url.path or b"/",
        "query_string": url.query or b"",
        "root_path": "",
        "headers": head.fields,
    }
    return head, scope | connection
