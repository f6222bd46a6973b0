"""Messages as they were on the wire: ``curl -i``, mitmproxy's ``export raw`` and ``export raw_response``.

One status line with headers after the other (an interim answer, redirects, the answer of a proxy), then the body.
A request may stand before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sse_tui.recording.imports.heads import (
    HEAD_LIMIT,
    CapturedBody,
    content_length,
    request_of,
    response_head,
    with_body,
)
from sse_tui.recording.imports.piece import Piece, malformed
from sse_tui.recording.records import End, Record, Request

_BLANK = re.compile(rb"\r?\n\r?\n")
_START = b"HTTP/"
_BODY_LIMIT = 64 << 20


def records(pieces: Iterable[Piece]) -> Iterator[Record]:
    """The records of a dump: for each response a connection of one turn."""
    dump = _Dump()
    t = 0
    for t, data in pieces:
        yield from dump.feed(t, data)
    yield from dump.close(t)
    yield End(t=t, reason="imported")


class _Dump:
    def __init__(self) -> None:
        self._held = b""
        self._searched = 0
        self._conn = 1
        self._request: Request | None = None
        self._request_left = 0
        self._request_body: list[bytes] = []
        self._body: CapturedBody | None = None
        self._in_body = False

    def feed(self, t: int, data: bytes) -> list[Record]:
        if self._in_body:
            assert self._body is not None
            return self._body.feed(t, data)
        self._held += data
        out: list[Record] = []
        while self._step(t, out):
            pass
        return out

    def close(self, t: int) -> list[Record]:
        out: list[Record] = []
        if not self._in_body and self._held.startswith(_START):
            # The dump ends inside a head.
            self._held = self._held.rstrip(b"\r\n") + b"\r\n\r\n"
            self._searched = 0
            while self._step(t, out):
                pass
            if self._body is not None and not self._held:
                return [*out, *self._body.close(t, "incomplete", "the headers are not whole")]
        if self._request is not None and self._body is None:
            out.append(self._request)
        if self._body is not None:
            if not self._in_body:
                out += self._body.feed(t, self._held)
            out += self._body.close(t)
        return out

    def _step(self, t: int, out: list[Record]) -> bool:
        """Take the next part of what is held; False when more is needed."""
        if self._request_left:
            return self._take_request_body()
        if self._body is None and self._request is not None:
            self._held = self._held.lstrip(b"\r\n")
        if not self._held:
            return False
        if self._body is not None and not self._held.startswith(_START):
            if _START.startswith(self._held):
                return False
            self._in_body = True
            held, self._held = self._held, b""
            out += self._body.feed(t, held)
            return False
        return self._take_head(t, out)

    def _take_head(self, t: int, out: list[Record]) -> bool:
        match = _BLANK.search(self._held, max(0, self._searched - 3))
        if match is None:
            self._searched = len(self._held)
            if len(self._held) > HEAD_LIMIT:
                raise malformed("head", f"A header section is larger than {HEAD_LIMIT} bytes.")
            return False
        lines = self._held[: match.start()].decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
        self._held = self._held[match.end() :]
        self._searched = 0
        if not lines[0].startswith("HTTP/"):
            self._take_request(lines, t)
            return True
        head = response_head(lines)
        if head.interim:
            return True
        if self._request is not None and self._body is None:
            out.append(self._whole_request())
        if self._body is not None:
            out += self._body.close(t)
            self._conn += 1
        self._body = CapturedBody(head, t=t, turn=1, conn=self._conn)
        out += self._body.begin()
        return True

    def _take_request(self, lines: list[str], t: int) -> None:
        if self._request is not None or self._body is not None:
            raise malformed("head", f"Expected a response, but found {lines[0][:80]!r}.")
        self._request = request_of(lines, t=t, turn=1, conn=1)
        self._request_left = content_length(self._request.headers) or 0
        if self._request_left > _BODY_LIMIT:
            raise malformed("head", f"The request body of {self._request_left} bytes is too large.")

    def _take_request_body(self) -> bool:
        piece = self._held[: self._request_left]
        self._held = self._held[self._request_left :]
        self._request_body.append(piece)
        self._request_left -= len(piece)
        return bool(self._held)

    def _whole_request(self) -> Request:
        assert self._request is not None
        return with_body(self._request, b"".join(self._request_body))
