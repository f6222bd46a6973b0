"""A scripted TCP server: each connection follows its own list of steps, and what it was sent is kept.

Steps: bytes to send; `Sleep`; `FIN` and `RST` to end the connection that way; `Wait` for something; `Hold`
until the client is gone. A connection that runs out of steps ends with a FIN. When scripts run out the port
is closed, so that a further attempt is refused, unless `then` gives a script for all others.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import struct
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
UNTIL_CLOSE = OK + b"\r\n"


@dataclass(frozen=True)
class Sleep:
    seconds: float


@dataclass(frozen=True)
class Wait:
    event: asyncio.Event


class _End:
    pass


FIN, RST, HOLD = _End(), _End(), _End()

Step = bytes | Sleep | Wait | _End


def chunked(*pieces: bytes, last: bool = True) -> bytes:
    """An event-stream response whose body is chunked, one HTTP chunk a piece."""
    return CHUNKED + chunks(*pieces) + (b"0\r\n\r\n" if last else b"")


def chunks(*pieces: bytes) -> bytes:
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)


def sized(body: bytes, length: int | None = None) -> bytes:
    """An event-stream response with a Content-Length."""
    return OK + b"Content-Length: %d\r\n\r\n" % (len(body) if length is None else length) + body


def response(status: str, body: bytes = b"", **headers: str) -> bytes:
    """Any response; underscores in header names become hyphens."""
    lines = [f"HTTP/1.1 {status}"] + [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


@dataclass
class Seen:
    """One connection as the server saw it. `ended` is "fin" or "rst" once the client was gone."""

    request: bytes = b""
    at: float = 0.0
    writes: list[tuple[int, bytes]] = field(default_factory=list)
    ended: str = ""
    sent: int = 0

    @property
    def method(self) -> str:
        return self.request.split(b" ", 1)[0].decode()

    @property
    def target(self) -> str:
        return self.request.split(b" ", 2)[1].decode()

    @property
    def body(self) -> bytes:
        return self.request.partition(b"\r\n\r\n")[2]

    def header(self, name: str) -> bytes | None:
        head = self.request.partition(b"\r\n\r\n")[0]
        for line in head.split(b"\r\n")[1:]:
            key, _, value = line.partition(b": ")
            if key.lower() == name.lower().encode():
                return value
        return None


class Wire:
    def __init__(self, scripts: Sequence[Sequence[Step]], then: Sequence[Step] | None) -> None:
        self.scripts: list[Sequence[Step]] = list(scripts)
        self._then = then
        self._tasks: set[asyncio.Task[None]] = set()
        self.seen: list[Seen] = []
        self.port = 0
        self.scheme = "http"
        self.host = "127.0.0.1"
        self.gone = asyncio.Event()

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}/stream"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen = Seen(at=time.monotonic())
        self.seen.append(seen)
        number = len(self.seen)
        script = self.scripts[number - 1] if number <= len(self.scripts) else self._then
        if number >= len(self.scripts) and self._then is None:
            self._server.close()
        if script is None:
            writer.transport.abort()
            return
        sock = writer.get_extra_info("socket")
        try:
            seen.request = await reader.readuntil(b"\r\n\r\n")
            length = seen.header("content-length")
            if length:
                seen.request += await reader.readexactly(int(length))
            for step in script:
                if isinstance(step, bytes):
                    seen.writes.append((time.monotonic_ns(), step))
                    writer.write(step)
                    await writer.drain()
                    seen.sent += len(step)
                elif isinstance(step, Sleep):
                    await asyncio.sleep(step.seconds)
                elif isinstance(step, Wait):
                    await step.event.wait()
                elif step is RST:
                    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    writer.transport.abort()
                    return
                elif step is HOLD:
                    seen.ended = "rst" if await _gone(reader) else "fin"
                    return
                else:
                    break
            writer.close()
        except ConnectionResetError:
            seen.ended = "rst"
        except (ConnectionError, asyncio.IncompleteReadError):
            seen.ended = seen.ended or "fin"
        finally:
            self.gone.set()
            writer.close()

    async def start(self, host: str, context: ssl.SSLContext | None) -> None:
        self._server = await asyncio.start_server(self._accept, host, 0, ssl=context)
        self.host = host
        self.scheme = "https" if context else "http"
        self.port = self._server.sockets[0].getsockname()[1]

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            await self._serve(reader, writer)
        except asyncio.CancelledError:
            pass  # the test is over
        finally:
            writer.close()
            with contextlib.suppress(OSError, asyncio.CancelledError):
                await writer.wait_closed()
            self._tasks.discard(task)

    async def stop(self) -> None:
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


async def _gone(reader: asyncio.StreamReader) -> bool:
    """Wait until the client is gone; whether it went with a RST."""
    try:
        while await reader.read(65536):
            pass
    except ConnectionResetError:
        return True
    return False


async def pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass on what comes, to its end."""
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    writer.close()


@asynccontextmanager
async def wire(
    *scripts: Sequence[Step],
    then: Sequence[Step] | None = None,
    host: str = "127.0.0.1",
    context: ssl.SSLContext | None = None,
) -> AsyncIterator[Wire]:
    server = Wire(scripts, then)
    await server.start(host, context)
    try:
        yield server
    finally:
        await server.stop()
