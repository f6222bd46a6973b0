"""The stamping transport: HTTP/1.1 on a raw socket, with httpx's requests and responses.

This carries one request on one connection of its own and reports when each phase ended. There is no pool: a stream
occupies its connection, and setting up each connection is part of what is measured.

A request's `extensions` may hold "phase" (called with name, end and length in nanoseconds as each phase ends),
"opened" (called with the connection before anything is sent) and "timeout" (as httpx has it: "connect" covers name
resolution, TCP and TLS; "read" counts from the request written to the headers). A response's `extensions` hold "body",
the `StampedBody` that gives reads with their times.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import Callable
from typing import Any

import httpx

from sse_tui.errors import UsageError
from sse_tui.transport.clock import SessionClock
from sse_tui.transport.http.body import StampedBody
from sse_tui.transport.http.dialer import Dialer, nowhere
from sse_tui.transport.http.http1 import ResponseReader, encode_request
from sse_tui.transport.http.response_head import HeadError, Http1Error
from sse_tui.transport.http.tcp import Read
from sse_tui.transport.http.tls import WireStream
from sse_tui.transport.problems import (
    PORTS,
    first_byte_timed_out,
    lost_before_headers,
    not_http,
    unreadable_response,
)


class StampingTransport(httpx.AsyncBaseTransport):
    """One request, one connection, every read stamped."""

    def __init__(self, clock: SessionClock, context: Callable[[], ssl.SSLContext]) -> None:
        self._clock = clock
        self._context = context

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        limits: dict[str, Any] = request.extensions.get("timeout", {})
        body = await request.aread()
        try:
            message = encode_request(request.method, request.url.raw_path, request.headers.raw, body)
        except ValueError as error:
            raise UsageError("bad-header", f"The request cannot be sent: {error}.") from error
        url = request.url
        host, port = url.raw_host.decode("ascii"), url.port or PORTS[url.scheme]
        # Made before anything is timed: reading the authorities' certificates is not part of the handshake.
        context = self._context() if url.scheme == "https" else None
        dialer = Dialer(self._clock, request.extensions.get("phase", nowhere), limits.get("connect"))
        stream: WireStream = await dialer.tcp(host, port)
        if context is not None:
            stream = await dialer.tls(stream, context, host)
        request.extensions.get("opened", nowhere)(stream)
        limit = limits.get("read")
        try:
            async with asyncio.timeout(limit):
                return await self._exchange(dialer, stream, request, message)
        except BaseException as error:
            stream.close()
            if isinstance(error, TimeoutError):
                raise first_byte_timed_out(url, limit) from error
            raise

    async def _exchange(
        self, dialer: Dialer, stream: WireStream, request: httpx.Request, message: bytes
    ) -> httpx.Response:
        """Send the request and read up to the end of the response's head."""
        start = self._clock.now()
        with contextlib.suppress(OSError):
            # A server may respond and close before it has read everything: the response counts.
            await stream.write(message)
        sent = dialer.passed("sent", start)
        reader = ResponseReader(request.method)
        beginning = b""
        while reader.head is None:
            try:
                read = await stream.read()
            except OSError as error:
                raise lost_before_headers(request.url, str(error), beginning) from error
            if not read.data:
                raise lost_before_headers(request.url, "the server closed the connection", beginning)
            beginning = beginning or read.data[:200]
            try:
                first = reader.feed(read.data)
            except HeadError as error:
                raise unreadable_response(request.url, str(error)) from error
            except Http1Error as error:
                raise not_http(request.url, str(error), beginning) from error
        head = reader.head
        t = max(read.t, sent)  # a response to a request that is still being sent
        dialer.phase("headers", t, t - sent)
        return StampedBody(stream, reader, Read(first, t, read.clock, read.waited)).response(
            request,
            head.status,
            head.headers,
            sent,
            t,
            http_version=head.http_version.encode("ascii"),
            reason_phrase=head.reason,
            irregular=sorted(head.irregular),
        )
