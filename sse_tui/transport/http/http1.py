"""HTTP/1.1 framing without I/O: a request to bytes, the bytes of a response to its head and its body.

llhttp (httptools) does the parsing. It does not say at the end of a connection whether the body was whole; that is
worked out here from the framing (RFC 9112, section 6.3).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import httptools

from sse_tui.fields import is_token, is_value

HEAD_LIMIT = 256 * 1024
_NO_BODY = {204, 304}

RawHeaders = Sequence[tuple[bytes, bytes]]


class Http1Error(Exception):
    """What came is not HTTP/1.1, or beyond a limit."""


class Head(NamedTuple):
    """A response's status line and headers."""

    status: int
    reason: bytes
    http_version: str
    headers: list[tuple[bytes, bytes]]


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
        self._parser = httptools.HttpResponseParser(self)
        self._reason = b""
        self._headers: list[tuple[bytes, bytes]] = []
        self._body: list[bytes] = []
        self._head_bytes = 0
        self._left: int | None = None
        self.head: Head | None = None
        self.complete = False
        self.until_close = False
        self.broken = ""

    def feed(self, data: bytes) -> bytes:
        """Take in what one read brought; the body bytes in it, transfer coding removed."""
        if self.complete:
            return b""
        if self.head is None:
            self._head_bytes += len(data)
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade as error:
            raise Http1Error("the server switched protocols") from error
        except httptools.HttpParserError as error:
            if self.head is None:
                raise Http1Error(str(error) or type(error).__name__) from error
            if not self.complete:  # what comes after the end of the response does not matter
                self.broken = str(error) or type(error).__name__
        if self.head is None and self._head_bytes > HEAD_LIMIT:
            raise Http1Error(f"the headers are longer than {HEAD_LIMIT} bytes")
        body = b"".join(self._body) if len(self._body) != 1 else self._body[0]
        self._body.clear()
        return body

    def missing(self) -> str:
        """What would be missing if the connection ended now; "" for nothing, so that the end would be orderly."""
        if self.complete or (self.head is not None and self.until_close):
            return ""
        if self.head is None:
            return "the headers"
        if self._left is not None:
            return f"{self._left} of the bytes that Content-Length announced"
        return "the last chunk of the chunked body"

    # httptools calls these.

    def on_status(self, status: bytes) -> None:
        if self.head is None:
            self._reason += status

    def on_header(self, name: bytes, value: bytes) -> None:
        if self.head is None:
            self._headers.append((name, value))

    def on_headers_complete(self) -> None:
        if self.head is not None:  # a second response, without a request
            return
        status = self._parser.get_status_code()
        if status < 200 and status != 101:
            self._reason = b""
            self._headers = []
            return
        self.head = Head(status, self._reason, f"HTTP/{self._parser.get_http_version()}", self._headers)
        # Transfer-Encoding overrides Content-Length (RFC 9112, section 6.3).
        fields = {name.lower(): value for name, value in self._headers}
        chunked = fields.get(b"transfer-encoding", b"").lower().rstrip().endswith(b"chunked")
        if self._method == "HEAD" or status in _NO_BODY:
            self.complete = True
        elif not chunked and b"content-length" in fields:
            self._left = int(fields[b"content-length"])
        else:
            self.until_close = not chunked

    def on_body(self, body: bytes) -> None:
        if not self.complete:
            self._body.append(body)
            if self._left is not None:
                self._left -= len(body)

    def on_message_complete(self) -> None:
        if self.head is not None:
            self.complete = True
