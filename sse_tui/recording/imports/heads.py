"""Heads of HTTP messages as captures print them, and the bodies that follow, as records."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from sse_tui.errors import RecordingError
from sse_tui.fields import first, without
from sse_tui.recording.chunked import ChunkedError, Dechunker
from sse_tui.recording.imports.piece import malformed
from sse_tui.recording.records import Close, Headers, Record, Request, Response, chunk

HEAD_LIMIT = 256 * 1024
# Enough of a body to tell text from a content coding.
LOOK = 64

_STATUS = re.compile(r"HTTP/(\d(?:\.\d)?) (\d{3})(?: .*)?")
_REQUEST = re.compile(r"([A-Za-z]+) (\S+) HTTP/(\d(?:\.\d)?)")
_LENGTH = re.compile(r"\d{1,18}")
_CHUNK_LINE = re.compile(rb"[0-9A-Fa-f]{1,16}(;[^\r\n]*)?\r\n")
_CHUNK_LINE_BEGUN = re.compile(rb"[0-9A-Fa-f]{0,16}(;[^\r\n]*)?\r?")


class ResponseHead(NamedTuple):
    """Status line and headers of a response."""

    status: int
    http_version: str
    headers: Headers

    @property
    def interim(self) -> bool:
        """Whether another head follows instead of a body (1xx, except 101 Switching Protocols)."""
        return self.status < 200 and self.status != 101


def response_head(lines: Sequence[str]) -> ResponseHead:
    """The head with these lines, which have no line ends. Raises RecordingError."""
    status = _first_line(lines, _STATUS, "response", "status")
    return ResponseHead(int(status[2]), f"HTTP/{status[1]}", headers_of(lines[1:]))


def request_of(lines: Sequence[str], *, t: int, scheme: str = "http") -> Request:
    """The request with these header lines; its URL is made of the target and the Host header."""
    method, target, _ = _first_line(lines, _REQUEST, "request", "request").groups()
    headers = headers_of(lines[1:])
    host = first(headers, "host") or first(headers, ":authority")
    url = f"{scheme}://{host}{target}" if host and target.startswith("/") else target
    return Request(t=t, turn=1, conn=1, method=method, url=url, headers=headers)


def _first_line(lines: Sequence[str], pattern: re.Pattern[str], message: str, line: str) -> re.Match[str]:
    if not lines:
        raise malformed("head", f"The {message} has no header section.")
    match = pattern.fullmatch(lines[0].rstrip())
    if match is None:
        raise malformed("head", f"{lines[0][:80]!r} is not an HTTP {line} line.")
    return match


def head_too_large() -> RecordingError:
    """The error for a header section larger than `HEAD_LIMIT`."""
    return malformed("head", f"A header section is larger than {HEAD_LIMIT} bytes.")


def headers_of(lines: Sequence[str]) -> Headers:
    """Header lines as names and values. A line that is not a header is skipped; a folded one is joined."""
    headers: Headers = []
    for line in lines:
        if line[:1] in (" ", "\t") and headers:
            name, value = headers[-1]
            headers[-1] = (name, f"{value} {line.strip()}")
            continue
        # The name of a pseudo-header of HTTP/2 starts with a colon.
        name, colon, value = line[1:].partition(":") if line.startswith(":") else line.partition(":")
        name = (":" if line.startswith(":") else "") + name.strip()
        if colon and name:
            headers.append((name, value.strip()))
    return headers


def content_length(headers: Headers) -> int | None:
    """The value of Content-Length; None if it is missing or not a number."""
    value = (first(headers, "content-length") or "").strip()
    return int(value) if _LENGTH.fullmatch(value) else None


def without_undone_coding(headers: Headers, body: bytes) -> Headers:
    """The headers that fit the captured body: most tools decode the content coding but keep its header."""
    return without(headers, "content-encoding") if is_text(body) else headers


def is_text(body: bytes) -> bool:
    """Whether the beginning of a body is text, so that no content coding is applied. False if it is empty."""
    start = body[:LOOK]
    try:
        text = start.decode()
    except UnicodeDecodeError as error:
        if len(start) - error.start > 3 or not error.start:
            return False
        text = start[: error.start].decode()
    return bool(text) and all(char >= " " or char in "\t\r\n" for char in text)


def with_body(request: Request, body: bytes) -> Request:
    """The request with its body: text, or base64 if it is not UTF-8."""
    if not body:
        return request
    try:
        return msgspec.structs.replace(request, body=body.decode())
    except UnicodeDecodeError:
        return msgspec.structs.replace(request, body_b64=base64.b64encode(body).decode("ascii"))


class CapturedBody:
    """The response to one request: feed it the body, close it, and take the records.

    A chunked transfer coding is removed if the capture still has it. The end is compared with Content-Length unless a
    coding was removed, because the bytes counted there are then other ones.
    """

    def __init__(self, head: ResponseHead, *, t: int, conn: int) -> None:
        self.begun = False
        self._head = head
        self._t = t
        self._conn = conn
        self._held = b""
        self._headers: Headers | None = None
        self._length: int | None = None
        self._size = 0
        self._chunked: Dechunker | None = None
        self._broken = ""
        self._coded = bool(first(head.headers, "content-encoding"))
        self._maybe_chunked = "chunked" in (first(head.headers, "transfer-encoding") or "").lower()

    def begin(self) -> list[Record]:
        """The response, unless its headers depend on the body's first bytes."""
        return [] if self._coded else self._response(b"")

    def feed(self, t: int, data: bytes) -> list[Record]:
        """The records of the next bytes of the body."""
        self._t = t
        if not self._maybe_chunked and self._headers is not None:
            return self._piece(self._dechunked(data))
        self._held += data
        if len(self._held) < LOOK and (self._coded or _CHUNK_LINE_BEGUN.fullmatch(self._held)):
            return []
        held, self._held = self._held, b""
        return self._start(held)

    def close(self, t: int, reason: str = "eof", detail: str = "") -> list[Record]:
        """The remaining records, and how the body ended; the framing may know better than the end of the input."""
        self._t = t
        records = self._start(self._held) if self._maybe_chunked or self._headers is None else []
        if reason == "eof":
            reason, detail = self._ending()
        return [*records, Close(t=t, turn=1, conn=self._conn, reason=reason, detail=detail)]

    def _start(self, data: bytes) -> list[Record]:
        if self._maybe_chunked:
            self._maybe_chunked = False
            if _CHUNK_LINE.match(data):
                self._chunked = Dechunker()
        plain = self._dechunked(data)
        records = self._response(plain) if self._headers is None else []
        return [*records, *self._piece(plain)]

    def _response(self, body: bytes) -> list[Record]:
        status, version, headers = self._head
        self._headers = without_undone_coding(headers, body) if self._coded else headers
        if len(self._headers) == len(headers) and not self._maybe_chunked:
            self._length = content_length(headers)
        response = Response(
            t=self._t, turn=1, conn=self._conn, status=status, http_version=version, headers=self._headers
        )
        return [response]

    def _piece(self, data: bytes) -> list[Record]:
        self._size += len(data)
        return [chunk(self._t, data, turn=1, conn=self._conn)] if data else []

    def _dechunked(self, data: bytes) -> bytes:
        if self._chunked is None:
            return data
        if self._broken:
            return b""
        try:
            return self._chunked.feed(data)
        except ChunkedError as error:
            self._broken = str(error)
            return error.before

    def _ending(self) -> tuple[str, str]:
        if self._broken:
            return "error", f"bad chunked framing: {self._broken}"
        if self._chunked is not None and not self._chunked.ended:
            return "incomplete", "the last chunk of the chunked body is missing"
        has_no_body = self._head.status in (204, 304)
        if self._length is not None and not has_no_body and self._size < self._length:
            return "incomplete", f"{self._length - self._size} of {self._length} bytes are missing"
        return "eof", ""


class CapturedTurn:
    """The requests and responses of a capture, all of one turn, each response on a connection of its own.

    `t` is the time of whatever is taken next, `request` the one without a response, `body` the latest response's.
    """

    def __init__(self) -> None:
        self.t = 0
        self.request: Request | None = None
        self.body: CapturedBody | None = None
        self._conn = 0

    def answer(self, lines: Sequence[str]) -> Iterator[Record]:
        """Take the head of a response."""
        head = response_head(lines)
        if head.interim:
            return
        if self.body is not None:
            yield from self.body.close(self.t)
        self._conn += 1
        if self.request is not None:
            yield msgspec.structs.replace(self.request, conn=self._conn)
            self.request = None
        self.body = CapturedBody(head, t=self.t, conn=self._conn)
        yield from self.body.begin()

    def more(self, data: bytes) -> Iterator[Record]:
        """Take more of the body; bytes before the first response are ignored."""
        if self.body is not None:
            yield from self.body.feed(self.t, data)

    def close(self, reason: str = "eof", detail: str = "") -> Iterator[Record]:
        """The capture ended, for this reason if the framing does not know better."""
        if self.body is not None:
            yield from self.body.close(self.t, reason, detail)
        elif self.request is not None:
            yield msgspec.structs.replace(self.request, conn=self._conn + 1)
