"""HTTP/1.1 framing without I/O: a request to bytes, the bytes of a response to its head and its body."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sse_tui.fields import is_token, is_value
from sse_tui.recording.records import Irregularity
from sse_tui.transport.http.chunked_body import ChunkedBody
from sse_tui.transport.http.response_head import Head, Http1Error, framing_of, parse_head, status_line

HEAD_LIMIT = 256 * 1024
_BEGINNING = b"HTTP/"
_HEAD_END = re.compile(rb"\n\r?\n")

RawHeaders = Sequence[tuple[bytes, bytes]]


def encode_request(method: str, target: bytes, headers: RawHeaders, body: bytes) -> bytes:
    """A whole request. Raises ValueError for a name that is not a token and for a value that would end its line."""
    lines = [method.encode("ascii") + b" " + target + b" HTTP/1.1\r\n"]
    for name, value in headers:
        if not is_token(name.decode("latin-1")):
            raise ValueError(f"invalid header name {name.decode('latin-1')!r}")
        if not is_value(value.decode("latin-1")):
            raise ValueError(f"the value of header {name.decode('latin-1')!r} contains a line end or NUL")
        lines.append(name + b": " + value + b"\r\n")
    lines.append(b"\r\n")
    lines.append(body)
    return b"".join(lines)


class ResponseReader:
    """Feed it what was read: `head` is set when it is complete, and each feed returns the body bytes in it.

    Interim responses (1xx) are skipped. `complete` becomes true when the framing says that the body is whole; with
    `until_close` only the end of the connection marks its end. Bad framing after the head loses none of the body
    before it: it is described in `broken`, and nothing more may be fed.
    """

    def __init__(self, method: str = "GET") -> None:
        self._method = method
        self._buffer = bytearray()
        self._searched = 0
        self._head_bytes = 0
        self._left: int | None = None
        self._chunked: ChunkedBody | None = None
        self.head: Head | None = None
        self.complete = False
        self.until_close = False
        self.broken = ""

    def feed(self, data: bytes) -> bytes:
        """Take in what one read brought; the body bytes in it, transfer coding removed. Raises Http1Error."""
        if self.head is None:
            data = self._take_head(data)
        if self.complete or not data:
            return b""
        if self._chunked is not None:
            data = self._chunked.feed(data)
            self.complete, self.broken = self._chunked.complete, self._chunked.broken
        elif self._left is not None:
            data = data[: self._left]
            self._left -= len(data)
            self.complete = not self._left
        return data

    def missing(self) -> str:
        """What would be missing if the connection ended now; "" for nothing, so that the end would be orderly."""
        if self.complete or (self.head is not None and self.until_close):
            return ""
        if self.head is None:
            return "the headers"
        if self._left is not None:
            return f"{self._left} of the bytes that Content-Length announced"
        return "the last chunk of the chunked body"

    @property
    def irregular(self) -> list[Irregularity]:
        """What was not regular in the framing of the body so far."""
        return sorted(self._chunked.irregular) if self._chunked is not None else []

    def _take_head(self, data: bytes) -> bytes:
        """Look for the end of the head; what follows it."""
        buffer = self._buffer
        buffer += data
        self._head_bytes += len(data)
        while self.head is None:
            if buffer[:1].isspace():  # blank lines before the status line
                del buffer[: len(buffer) - len(buffer.lstrip(b"\r\n"))]
            if not _BEGINNING.startswith(buffer[:5].upper()):
                raise Http1Error("it does not begin with HTTP/")
            end = _HEAD_END.search(buffer, self._searched)
            if end is None:
                if self._head_bytes > HEAD_LIMIT:
                    raise Http1Error(f"the headers are longer than {HEAD_LIMIT} bytes")
                line, ended, _ = buffer.partition(b"\n")
                if ended:  # anything but a status line is an error at once, not at the end of the head
                    status_line(bytes(line))
                self._searched = max(0, len(buffer) - 2)
                return b""
            head = parse_head(bytes(buffer[: end.end()]))
            del buffer[: end.end()]
            self._searched = 0
            if head.status == 101:
                raise Http1Error("the server switched protocols")
            if not head.interim:
                self._begin_body(head)
        rest = bytes(buffer)
        buffer.clear()
        return rest

    def _begin_body(self, head: Head) -> None:
        framing = framing_of(head, self._method)
        self.head = head._replace(irregular=head.irregular | framing.irregular)
        self._left = framing.length
        self.complete = framing.length == 0
        if framing.chunked:
            self._chunked = ChunkedBody()
        self.until_close = not framing.chunked and framing.length is None
