"""What the stamping transport does not do (HTTP/2, proxies), by httpx's own, in the same shape.

Reads are stamped after httpx gave them, so their clock is "read", and phases come from httpcore's trace
events.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import struct
from collections.abc import AsyncIterator
from typing import Any

import httpx

from sse_tui.errors import ConnectError
from sse_tui.recording.records import CloseReason
from sse_tui.transport.clock import SessionClock
from sse_tui.transport.http.body import BodyEnd, BodyStream
from sse_tui.transport.http.stamping import PhaseSink
from sse_tui.transport.http.tcp import Read
from sse_tui.transport.problems import authority, first_byte_timed_out, lost_before_headers, tls_failed


class HttpxBody:
    """The body of a response of httpx's. A read that is cut short goes on in the background for the next
    call.
    """

    def __init__(self, response: httpx.Response, clock: SessionClock) -> None:
        self._response = response
        self._clock = clock
        self._pieces: AsyncIterator[bytes] = response.aiter_raw()
        self._pending: asyncio.Task[bytes | None] | None = None
        self._closing: asyncio.Task[None] | None = None
        self.ending: BodyEnd | None = None

    async def read(self) -> Read | None:
        while self.ending is None:
            if self._pending is None:
                self._pending = asyncio.ensure_future(self._next())
            try:
                data = await asyncio.shield(self._pending)
            except httpx.HTTPError as error:
                self._pending = None
                self.ending = _ending(error)
                return None
            self._pending = None
            if data is None:
                self.ending = BodyEnd(CloseReason.EOF, "")
            elif data:
                return Read(data, self._clock.now(), "read")
        return None

    def close(self) -> None:
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._aclose())

    def reset(self) -> bool:
        network = self._response.extensions.get("network_stream")
        sock = network.get_extra_info("socket") if network is not None else None
        could = sock is not None and hasattr(sock, "setsockopt")
        if sock is not None and could:
            with contextlib.suppress(OSError):
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()
        return could

    async def closed(self) -> None:
        if self._closing is not None:
            await self._closing

    async def _next(self) -> bytes | None:
        return await anext(self._pieces, None)

    async def _aclose(self) -> None:
        if self._pending is not None:
            self._pending.cancel()
            await asyncio.gather(self._pending, return_exceptions=True)
        with contextlib.suppress(httpx.HTTPError, OSError):
            await self._response.aclose()


class FallbackTransport(httpx.AsyncBaseTransport):
    """httpx's transport, its phases and its errors told as the stamping transport tells them."""

    def __init__(self, clock: SessionClock, context: ssl.SSLContext, http2: bool, proxy: str | None) -> None:
        self._clock = clock
        self._proxy = httpx.URL(proxy) if proxy else None
        self._inner = httpx.AsyncHTTPTransport(verify=context, http1=True, http2=http2, proxy=proxy)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        trace = _Trace(self._clock, request.extensions.get("phase"))
        timeout = request.extensions.get("timeout", {})
        inner = httpx.Request(
            request.method,
            request.url,
            headers=request.headers,
            stream=request.stream,
            extensions={"trace": trace, "timeout": {**timeout, "write": None, "pool": None}},
        )
        host = request.url.host
        try:
            response = await self._inner.handle_async_request(inner)
        except httpx.ConnectTimeout as error:
            raise ConnectError(
                "connect-timeout",
                f"No connection to {authority(request.url)} within {timeout.get('connect'):g} s.",
                "The connect timeout can be raised.",
            ) from error
        except httpx.ReadTimeout as error:
            raise first_byte_timed_out(request.url, timeout.get("read")) from error
        except httpx.ProxyError as error:
            raise ConnectError(
                "proxy", f"The proxy failed: {error}.", "Check HTTP_PROXY and NO_PROXY."
            ) from error
        except httpx.ConnectError as error:
            cause = error.__cause__ or error.__context__
            while cause is not None and not isinstance(cause, OSError):
                cause = cause.__cause__ or cause.__context__
            if isinstance(cause, ssl.SSLError):
                raise tls_failed(host, cause) from error
            if self._proxy is not None:
                raise ConnectError(
                    "proxy",
                    f"Could not connect to the proxy {authority(self._proxy)} ({error}).",
                    "Check HTTP_PROXY and NO_PROXY.",
                ) from error
            raise ConnectError(
                "connect", f"Could not connect to {authority(request.url)} ({error})."
            ) from error
        except httpx.HTTPError as error:
            raise lost_before_headers(request.url, str(error) or type(error).__name__, b"") from error
        t = self._clock.now()
        trace.phase("headers", t, t - trace.sent)
        response.request = request
        body = HttpxBody(response, self._clock)
        return httpx.Response(
            status_code=response.status_code,
            headers=response.headers.raw,
            stream=BodyStream(body),
            request=request,
            extensions={**response.extensions, "body": body, "sent": trace.sent, "headers_at": t},
        )

    async def aclose(self) -> None:
        await self._inner.aclose()


class _Trace:
    """httpcore's trace events as phases."""

    def __init__(self, clock: SessionClock, phase: PhaseSink | None) -> None:
        self._clock = clock
        self._sink = phase
        self._started: dict[str, int] = {}
        self._sending = 0
        self.sent = clock.now()

    def phase(self, name: str, t: int, dt: int) -> None:
        if self._sink is not None:
            self._sink(name, t, dt)

    async def __call__(self, event: str, info: dict[str, Any]) -> None:
        now = self._clock.now()
        step, _, state = event.rpartition(".")
        step = step.rpartition(".")[2]
        if state == "started":
            self._started[step] = now
            if step == "send_request_headers":
                self._sending = now
        elif state == "complete":
            name = {"connect_tcp": "tcp", "start_tls": "tls"}.get(step)
            if name is not None:
                self.phase(name, now, now - self._started.get(step, now))
            elif step == "send_request_body":
                self.sent = now
                self.phase("sent", now, now - self._sending)


def _ending(error: httpx.HTTPError) -> BodyEnd:
    text = str(error) or type(error).__name__
    if "incomplete" in text or "without sending complete" in text:
        return BodyEnd(CloseReason.INCOMPLETE, text)
    if isinstance(error, httpx.ReadError) or "StreamReset" in text or "ConnectionTerminated" in text:
        return BodyEnd(CloseReason.RESET, text)
    return BodyEnd(CloseReason.ERROR, text)
