"""The body of a response as stamped reads, whichever transport brought it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import NamedTuple, Protocol

import httpx

from sse_tui.recording.records import CloseReason
from sse_tui.transport.http.http1 import ResponseReader
from sse_tui.transport.http.tcp import Read, TcpStream
from sse_tui.transport.http.tls import TlsStream, TruncatedTls


class BodyEnd(NamedTuple):
    """How a body ended: `reason` is that of its close record."""

    reason: CloseReason
    detail: str


class ResponseBody(Protocol):
    """The reads of a body. `ending` is set once `read` has returned None."""

    ending: BodyEnd | None

    async def read(self) -> Read | None:
        """The next read that brings body bytes; None at the end, of whatever kind. Cancelling it loses nothing."""

    def close(self) -> None:
        """Close the connection with a FIN. May be called twice."""

    def reset(self) -> None:
        """Close the connection with a RST."""

    async def closed(self) -> None:
        """Wait until a close that was begun is done."""


class StampedBody:
    """The body of an HTTP/1.1 response on a socket of our own.

    The HTTP chunks that come in one read of the socket are one read here: they came at the same time.
    """

    def __init__(self, stream: TcpStream | TlsStream, reader: ResponseReader, first: Read) -> None:
        self._stream = stream
        self._reader = reader
        self._first: Read | None = first if first.data else None
        self.ending: BodyEnd | None = None

    async def read(self) -> Read | None:
        if self._first is not None:
            read, self._first = self._first, None
            return read
        while self.ending is None:
            if self._reader.complete:
                self.ending = BodyEnd(CloseReason.EOF, "")
                break
            if self._reader.broken:
                self.ending = BodyEnd(CloseReason.ERROR, f"the HTTP framing is broken: {self._reader.broken}")
                break
            try:
                data, t, clock = await self._stream.read()
                body = self._reader.feed(data) if data else b""
            except TruncatedTls as error:
                self.ending = BodyEnd(CloseReason.INCOMPLETE, str(error))
            except ConnectionResetError:
                self.ending = BodyEnd(CloseReason.RESET, "the server reset the connection")
            except OSError as error:
                self.ending = BodyEnd(CloseReason.ERROR, str(error))
            else:
                if body:
                    return Read(body, t, clock)
                if not data:
                    self.ending = self._at_eof()
        return None

    def close(self) -> None:
        self._stream.close()

    def reset(self) -> None:
        self._stream.reset()

    async def closed(self) -> None:
        """Nothing to wait for: a socket is closed at once."""

    def _at_eof(self) -> BodyEnd:
        missing = self._reader.missing()
        if missing:
            return BodyEnd(CloseReason.INCOMPLETE, f"the connection ended without {missing}")
        return BodyEnd(CloseReason.EOF, "")


class BodyStream(httpx.AsyncByteStream):
    """A `ResponseBody` as httpx wants a response's stream."""

    def __init__(self, body: ResponseBody) -> None:
        self._body = body

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while (read := await self._body.read()) is not None:
            yield read.data

    async def aclose(self) -> None:
        self._body.close()
