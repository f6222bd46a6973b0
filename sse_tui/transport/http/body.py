"""The body of a response as stamped reads, whichever transport brought it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import httpx

from sse_tui.recording.records import CloseReason, Irregularity
from sse_tui.transport.http.http1 import ResponseReader
from sse_tui.transport.http.tcp import Read
from sse_tui.transport.http.tls import TruncatedTls, WireStream


class BodyEnd(NamedTuple):
    """How a body ended: `reason` is that of its close record."""

    reason: CloseReason
    detail: str


class ResponseBody(httpx.AsyncByteStream, ABC):
    """The reads of a body. `ending` is set once `read` has returned None. For httpx it is a stream to be closed."""

    def __init__(self, wire: WireStream) -> None:
        self._wire = wire
        self._first: Read | None = None  # read already, and next to be given
        self.ending: BodyEnd | None = None

    @property
    def irregular(self) -> list[Irregularity]:
        """What was not regular in the framing of the body so far; unknown where httpcore reads it."""
        return []

    @abstractmethod
    async def read(self) -> Read | None:
        """The next read that brings body bytes; None at the end, of whatever kind. Cancelling it loses nothing."""

    async def peek(self) -> Read | None:
        """The next read, which `read` gives once more."""
        if self._first is None:
            self._first = await self.read()
        return self._first

    def close(self) -> None:
        """Close the connection with a FIN. May be called twice."""
        self._wire.close()

    def reset(self) -> None:
        """Close the connection with a RST."""
        self._wire.abort_on_close()
        self.close()

    async def closed(self) -> None:
        """Wait until a close that was begun is done. A socket is closed at once."""

    async def aclose(self) -> None:
        self.close()

    def response(
        self, request: httpx.Request, status: int, headers: Any, sent: int, t: int, **extensions: Any
    ) -> httpx.Response:
        """The response with this body: its request had been sent at `sent`, its headers were in at `t`."""
        extensions |= {"body": self, "sent": sent, "headers_at": t}
        return httpx.Response(status, headers=headers, stream=self, request=request, extensions=extensions)


class StampedBody(ResponseBody):
    """The body of an HTTP/1.1 response on a socket of our own.

    The HTTP chunks that come in one read of the socket are one read here: they came at the same time.
    """

    def __init__(self, wire: WireStream, reader: ResponseReader, first: Read) -> None:
        super().__init__(wire)
        self._reader = reader
        self._first = first if first.data else None

    @property
    def irregular(self) -> list[Irregularity]:
        return self._reader.irregular

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
                data, t, clock, waited = await self._wire.read()
                body = self._reader.feed(data) if data else b""
            except TruncatedTls as error:
                self.ending = BodyEnd(CloseReason.INCOMPLETE, str(error))
            except ConnectionResetError:
                self.ending = BodyEnd(CloseReason.RESET, "the server reset the connection")
            except OSError as error:
                self.ending = BodyEnd(CloseReason.ERROR, str(error))
            else:
                if body:
                    return Read(body, t, clock, waited)
                if not data:
                    self.ending = BodyEnd(CloseReason.EOF, "")
                    if missing := self._reader.missing():
                        why = f"the connection ended without {missing}"
                        self.ending = BodyEnd(CloseReason.INCOMPLETE, why)
        return None
