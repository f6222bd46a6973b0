"""Answers requests from a script. Responses are written by hand, because no server library cuts or resets one.

Each recorded read is one write, without Nagle's delay (asyncio's sockets have none), so that a client on the same
machine gets the recorded reads if it keeps up.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from collections.abc import Callable
from http import HTTPStatus

import h11

from sse_tui.offline.replay.script import Script, ScriptedResponse

HEAD_LIMIT = 256 * 1024
BODY_LIMIT = 64 << 20
# How long a client may take to send its request.
REQUEST_S = 30.0
# How long to wait before a reset: a reset discards what the client has not read yet.
BEFORE_RESET_S = 0.05


class _GoneError(ConnectionError):
    """The client has left, or did not send a request."""


class ReplayServer:
    """Serves a script on a loopback port. An async context manager; `port` is known inside it.

    `speed` divides the recorded times; 0 means no delays. `log` is called with a line about each request.
    """

    def __init__(
        self,
        script: Script,
        *,
        port: int = 0,
        speed: float = 1.0,
        log: Callable[[str], None] = lambda _line: None,
    ) -> None:
        self._script = script
        self._wanted = port
        self._speed = speed
        self._log = log
        self._server: asyncio.Server | None = None
        self._running: set[asyncio.Task[None]] = set()
        self.port = 0

    async def __aenter__(self) -> ReplayServer:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", self._wanted)
        self.port = int(self._server.sockets[0].getsockname()[1])
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    @property
    def url(self) -> str:
        """The URL to send the recorded request to."""
        return f"http://127.0.0.1:{self.port}{self._script.path}"

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._running.add(task)
        try:
            await self._serve(reader, writer)
        except (OSError, asyncio.CancelledError):
            # Cancelled when the server shuts down: raised again, asyncio's own callback would report it as an error.
            pass
        finally:
            self._running.discard(task)
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(REQUEST_S):
            request = await _request(reader, writer)
        method, target = request.method.decode("ascii"), request.target.decode("ascii")
        # UTF-8, as the HTML standard has it for this header.
        last_event_id = dict(request.headers).get(b"last-event-id", b"").decode("utf-8", "replace")
        answer = self._script.answer(target, last_event_id)
        after = f" after {last_event_id!r}" if last_event_id else ""
        self._log(
            f"{method} {target}{after}: {answer.status}"
            + (f", connection {answer.conn}" if answer.conn else "")
            + ("" if answer.ending == "whole" else f", ends by {answer.ending}")
        )
        leaving = asyncio.ensure_future(_client_left(reader))
        try:
            await _Reply(writer, leaving, self._speed).send(answer, method, request.http_version)
        finally:
            leaving.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await leaving


async def _request(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> h11.Request:
    """The head of the request, once its body has been read and dropped."""
    connection = h11.Connection(h11.SERVER, max_incomplete_event_size=HEAD_LIMIT)
    request: h11.Request | None = None
    size = 0
    while True:
        try:
            event = connection.next_event()
        except h11.RemoteProtocolError as error:
            status = HTTPStatus(error.error_status_hint)
            writer.write(f"HTTP/1.1 {status} {status.phrase}\r\nConnection: close\r\n\r\n".encode())
            raise _GoneError from error
        if event is h11.NEED_DATA:
            if connection.they_are_waiting_for_100_continue:
                go_on = h11.InformationalResponse(status_code=100, headers=[], reason=b"Continue")
                writer.write(connection.send(go_on) or b"")
            connection.receive_data(await reader.read(65536))
        elif isinstance(event, h11.Request):
            request = event
        elif isinstance(event, h11.Data):
            size += len(event.data)
            if size > BODY_LIMIT:
                raise _GoneError
        elif isinstance(event, h11.EndOfMessage) and request is not None:
            return request
        else:  # the client has closed the connection
            raise _GoneError


async def _client_left(reader: asyncio.StreamReader) -> None:
    """Return when the client has closed the connection. Whatever else it sends is dropped."""
    with contextlib.suppress(OSError):
        while await reader.read(65536):
            pass


class _Reply:
    """Sends one response at its pace."""

    def __init__(self, writer: asyncio.StreamWriter, leaving: asyncio.Future[None], speed: float) -> None:
        self._writer = writer
        self._leaving = leaving
        self._speed = speed
        self._loop = asyncio.get_running_loop()
        self._began = self._loop.time()

    async def send(self, answer: ScriptedResponse, method: str, version: bytes) -> None:
        framing = "close" if version == b"1.0" and answer.framing == "chunked" else answer.framing
        bodiless = method == "HEAD" or framing == "none"
        await self._until(answer.headers_at)
        await self._write(_head(answer, framing))
        for t, data in () if bodiless else answer.pieces:
            await self._until(t)
            # An empty chunk would be the last chunk.
            if data:
                await self._write(b"%x\r\n%s\r\n" % (len(data), data) if framing == "chunked" else data)
        await self._until(answer.ends_at)
        if answer.ending == "whole":
            if framing == "chunked" and not bodiless:
                await self._write(b"0\r\n\r\n")
        elif answer.ending == "hang":
            await self._leaving
        elif answer.ending == "reset":
            await asyncio.wait({self._leaving}, timeout=BEFORE_RESET_S)
            sock = self._writer.get_extra_info("socket")
            if sock is not None:
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self._writer.transport.abort()

    async def _until(self, t: int) -> None:
        """Wait until `t` ns after the request, at the chosen speed. Raises _GoneError when the client leaves."""
        left = self._began + t / 1e9 / self._speed - self._loop.time() if self._speed else 0.0
        if left > 0:
            await asyncio.wait({self._leaving}, timeout=left)
        if self._leaving.done():
            raise _GoneError

    async def _write(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()
        if not self._speed:
            # Otherwise nothing would run in between that notices when the client leaves.
            await asyncio.sleep(0)


def _head(answer: ScriptedResponse, framing: str) -> bytes:
    try:
        phrase = HTTPStatus(answer.status).phrase
    except ValueError:
        phrase = ""
    lines = [f"HTTP/1.1 {answer.status} {phrase}"]
    lines += [f"{name}: {value}" for name, value in answer.headers]
    if framing == "chunked":
        lines.append("Transfer-Encoding: chunked")
    lines.append("Connection: close")
    # Values were decoded as Latin-1 where they are not UTF-8; a character beyond it can come from an edited recording.
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace")
