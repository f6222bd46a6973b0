"""Opening a connection: name resolution, TCP and TLS, each a phase with its time and its errors."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TypeAlias

from sse_tui.transport.clock import SessionClock
from sse_tui.transport.http.addresses import connect, resolve
from sse_tui.transport.http.tcp import TcpStream
from sse_tui.transport.http.tls import TlsStream, WireStream
from sse_tui.transport.problems import connect_failed, connect_timed_out, not_resolved, tls_failed

PhaseSink: TypeAlias = Callable[[str, int, int], None]
"""Called with the name, the end and the length of a phase in nanoseconds, as it ends."""


class Dialer:
    """Opens the connection of one request. `limit` is the time for all of its steps together, in seconds."""

    def __init__(self, clock: SessionClock, phase: PhaseSink, limit: float | None) -> None:
        self._clock = clock
        self.phase = phase
        self._limit = limit
        self._until = None if limit is None else asyncio.get_running_loop().time() + limit
        self._server = ("", 0)
        clock.measure()

    async def tcp(self, host: str, port: int) -> TcpStream:
        """Resolve the name and connect. Raises ConnectError."""
        self._server = (host, port)
        async with self._step("dns", "resolving the name"):
            try:
                addresses = await resolve(host, port)
            except (socket.gaierror, UnicodeError) as error:
                raise not_resolved(host, error) from error
        async with self._step("tcp", "connecting"):
            try:
                return TcpStream(await connect(addresses), self._clock)
            except OSError as error:
                raise connect_failed(host, port, error) from error

    async def tls(self, tcp: WireStream, context: ssl.SSLContext, host: str) -> TlsStream:
        """Negotiate TLS; `tcp` is closed where that fails. Raises ConnectError."""
        try:
            async with self._step("tls", "negotiating TLS"):
                tls = TlsStream(tcp, context, host)
                try:
                    await tls.handshake()
                except (ssl.SSLError, OSError) as error:
                    raise tls_failed(host, error) from error
                return tls
        except BaseException:
            tcp.close()
            raise

    def passed(self, name: str, start: int) -> int:
        """The phase `name`, which began at `start`, has ended now."""
        now = self._clock.now()
        self.phase(name, now, now - start)
        return now

    @asynccontextmanager
    async def _step(self, name: str, doing: str) -> AsyncIterator[None]:
        start = self._clock.now()
        try:
            async with asyncio.timeout_at(self._until):
                yield
        except TimeoutError as error:
            raise connect_timed_out(*self._server, doing, self._limit) from error
        self.passed(name, start)


def nowhere(*_: object) -> None:
    """For extensions that the caller did not set."""
