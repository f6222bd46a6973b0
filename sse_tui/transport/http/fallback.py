"""What the stamping transport cannot do (HTTP/2, proxies), by httpcore over the same stamped connections."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import Any

import httpcore
import httpx

from sse_tui.errors import ConnectError, SseTuiError, UsageError
from sse_tui.recording.records import CloseReason
from sse_tui.transport.clock import SessionClock
from sse_tui.transport.http.body import BodyEnd, ResponseBody
from sse_tui.transport.http.dialer import Dialer, nowhere
from sse_tui.transport.http.http2_frames import FrameSplitter
from sse_tui.transport.http.tcp import Read
from sse_tui.transport.http.tls import TlsStream, TruncatedTls, WireStream
from sse_tui.transport.problems import authority, first_byte_timed_out, lost_before_headers

# What closing a connection may raise that has failed already.
_CLOSING = (RuntimeError, httpcore.NetworkError, httpcore.ProtocolError, OSError)


class FallbackTransport(httpx.AsyncBaseTransport):
    """One request, one connection, by httpcore. The extensions are those of the stamping transport."""

    def __init__(
        self, clock: SessionClock, context: ssl.SSLContext, http2: bool, proxy: httpx.Proxy | None
    ) -> None:
        self._clock = clock
        self._context = context
        self._http2 = http2
        self._proxy = proxy

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        url = request.url
        limits = dict(request.extensions.get("timeout", {}))
        dialer = Dialer(self._clock, request.extensions.get("phase", nowhere), limits.get("connect"))
        network = _Network(dialer, request.extensions.get("opened", nowhere))
        sending = _Sending(self._clock, dialer)
        pool = self._pool(network)
        try:
            response = await pool.handle_async_request(
                httpcore.Request(
                    request.method,
                    _url(url),
                    headers=request.headers.raw,
                    content=await request.aread(),
                    extensions={"trace": sending, "timeout": limits},
                )
            )
        except BaseException as error:
            with contextlib.suppress(*_CLOSING):
                await pool.aclose()
            problem = self._problem(url, error, limits.get("read"), sending.done, network.stream)
            if problem is None:
                raise
            raise problem from error
        limits.pop("read", None)  # httpcore looks it up at each read; the body has limits of its own
        stream = network.stream
        assert stream is not None
        t = max(stream.last.t, sending.sent)
        dialer.phase("headers", t, t - sending.sent)
        return HttpcoreBody(response, pool, stream).response(
            request, response.status, response.headers, sending.sent, t, **response.extensions
        )

    def _pool(self, network: httpcore.AsyncNetworkBackend) -> httpcore.AsyncConnectionPool:
        """A pool for one request: setting up each connection is part of what is measured."""
        given, proxy = self._proxy, None
        if given is not None:
            # Its own certificate is judged as the server's is; without a context httpcore takes one of its own making.
            context = self._context if given.url.scheme == "https" else None
            proxy = httpcore.Proxy(_url(given.url), given.raw_auth, given.headers.raw, context)
        return httpcore.AsyncConnectionPool(
            self._context, proxy=proxy, http2=self._http2, network_backend=network
        )

    def _problem(
        self, url: httpx.URL, error: BaseException, limit: float | None, sent: bool, stream: _Stream | None
    ) -> SseTuiError | None:
        """The error where there was no response, in the words of the stamping transport; None to leave it as it is.

        `sent`: the request was, over `stream`.
        """
        hint = "Check HTTP_PROXY, HTTPS_PROXY and NO_PROXY."
        if isinstance(error, ConnectError):
            if self._proxy is None or error.code not in ("dns", "connect", "connect-refused"):
                return None
            where = f"the proxy {authority(self._proxy.url)}"
            return ConnectError("proxy", f"Could not connect to {where}: {error.message}", hint)
        # httpcore blames itself for whatever h2 raises, also for what the server sent.
        if isinstance(error, httpcore.LocalProtocolError) and not sent:
            return UsageError("bad-header", f"The request cannot be sent: {error}.")
        if isinstance(error, httpcore.ProxyError):
            return ConnectError("proxy", f"The proxy answered {error}.", hint)
        if isinstance(error, TimeoutError):
            return first_byte_timed_out(url, limit)
        if isinstance(error, httpcore.NetworkError | httpcore.ProtocolError | OSError | ValueError):
            return lost_before_headers(url, _ending(error, stream).detail, b"")
        return None


class HttpcoreBody(ResponseBody):
    """The body of one of httpcore's responses: what one read of the connection brought is one read.

    A task reads all of it, because a cancellation inside httpcore would close the connection. It waits before each
    read of the connection until one is wanted: httpcore itself would read ahead and the server never feel a stall.
    """

    def __init__(
        self, response: httpcore.Response, pool: httpcore.AsyncConnectionPool, stream: _Stream
    ) -> None:
        super().__init__(stream.wire)
        self._pool = pool
        self._stream = stream
        self._pieces: list[bytes] = []
        self._wanted, self._ready = asyncio.Event(), asyncio.Event()
        self._closing: asyncio.Task[None] | None = None
        stream.before_read = self._before_read
        self._reading = asyncio.ensure_future(self._read_all(response.aiter_stream()))

    async def read(self) -> Read | None:
        if self._first is not None:
            read, self._first = self._first, None
            return read
        while True:
            if self._ready.is_set():
                self._ready.clear()
                data = b"".join(self._pieces)
                self._pieces.clear()
                if data:
                    return self._stream.last._replace(data=data)
            if self.ending is not None:
                return None
            self._wanted.set()
            await self._ready.wait()

    def close(self) -> None:
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._aclose())

    async def closed(self) -> None:
        if self._closing is not None:
            await self._closing

    async def _read_all(self, pieces: AsyncIterator[bytes]) -> None:
        try:
            async for piece in pieces:
                self._pieces.append(piece)
            self.ending = BodyEnd(CloseReason.EOF, "")
        except Exception as error:
            # Any: beside its own exceptions httpcore lets those of h2 and hpack through.
            self.ending = _ending(error, self._stream)
        finally:
            self._ready.set()

    async def _before_read(self) -> None:
        """httpcore has given all that the last read of the connection brought."""
        if self._pieces:
            self._wanted.clear()
            self._ready.set()
        await self._wanted.wait()

    async def _aclose(self) -> None:
        self._reading.cancel()
        await asyncio.gather(self._reading, return_exceptions=True)
        with contextlib.suppress(*_CLOSING):
            await self._pool.aclose()
        self._wire.close()


# httpcore's interfaces have a `timeout`; that of connecting is left to `Dialer`, and one of writing is never set.


class _Network(httpcore.AsyncNetworkBackend):
    """Connections for httpcore, opened by `Dialer`. `stream` is the outermost one, through TLS and proxy."""

    def __init__(self, dialer: Dialer, opened: Callable[[WireStream], object]) -> None:
        self.dialer = dialer
        self.opened = opened
        self.stream: _Stream | None = None

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        return self.wrapped(await self.dialer.tcp(host, port))

    def wrapped(self, wire: WireStream) -> _Stream:
        self.opened(wire)
        self.stream = _Stream(wire, self)
        return self.stream


class _Stream(httpcore.AsyncNetworkStream):
    """One of our connections as httpcore wants it; `last` is its latest read."""

    def __init__(self, wire: WireStream, network: _Network) -> None:
        self.wire = wire
        self.last = Read(b"", 0, "read")
        self.before_read: Callable[[], Awaitable[None]] | None = None
        session = wire.session if isinstance(wire, TlsStream) else None
        self.frames = FrameSplitter() if session and session.selected_alpn_protocol() == "h2" else None
        self._network = network

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109
        frames = self.frames
        if frames is not None and (frame := frames.take()):
            return frame
        if self.before_read is not None:
            await self.before_read()
        async with asyncio.timeout(timeout):
            self.last = await self.wire.read()
            if frames is None:
                return self.last.data
            while self.last.data:
                frames.feed(self.last.data)
                if frame := frames.take():
                    return frame
                self.last = await self.wire.read()
            return b""

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109
        try:
            await self.wire.write(buffer)
        except OSError as error:  # httpcore then still reads the response of a server that answered early
            raise httpcore.WriteError(str(error)) from error

    async def aclose(self) -> None:
        self.wire.close()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109
    ) -> httpcore.AsyncNetworkStream:
        tls = await self._network.dialer.tls(self.wire, ssl_context, server_hostname or "")
        return self._network.wrapped(tls)

    def get_extra_info(self, info: str) -> Any:
        return self.wire.session if info == "ssl_object" and isinstance(self.wire, TlsStream) else None


class _Sending:
    """When the request had been sent, from httpcore's trace; a CONNECT to a proxy is not the request."""

    def __init__(self, clock: SessionClock, dialer: Dialer) -> None:
        self._clock = clock
        self._dialer = dialer
        self._began: int | None = None
        self.sent = clock.now()
        self.done = False

    async def __call__(self, event: str, info: dict[str, Any]) -> None:
        if event.endswith("send_request_headers.started"):
            self._began = None if info["request"].method == b"CONNECT" else self._clock.now()
        elif event.endswith("send_request_body.complete") and self._began is not None:
            self.sent = self._dialer.passed("sent", self._began)
            self.done = True


def _url(url: httpx.URL) -> httpcore.URL:
    return httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)


def _ending(error: Exception, stream: _Stream | None) -> BodyEnd:
    text = str(error) or type(error).__name__
    if isinstance(error, TruncatedTls):
        return BodyEnd(CloseReason.INCOMPLETE, text)
    if isinstance(error, ConnectionResetError):
        return BodyEnd(CloseReason.RESET, "the server reset the connection")
    if stream is not None and stream.frames is not None:
        # Needs h2, which is not installed where nothing speaks HTTP/2.
        from sse_tui.transport.http.http2_errors import http2_ending

        return http2_ending(error, retired=stream.frames.retired)
    if "incomplete" in text or "without sending complete" in text:
        return BodyEnd(CloseReason.INCOMPLETE, text)
    return BodyEnd(CloseReason.ERROR, text)
