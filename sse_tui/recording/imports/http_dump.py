"""Messages as they were on the wire: ``curl -i``, mitmproxy's ``export raw`` and ``export raw_response``.

One or several status lines with headers (an interim answer, redirects, the answer of a proxy), then the body. A request
may precede them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sse_tui.recording.imports.heads import (
    HEAD_LIMIT,
    CapturedTurn,
    content_length,
    head_too_large,
    request_of,
    with_body,
)
from sse_tui.recording.imports.piece import PieceImporter, malformed
from sse_tui.recording.records import Record

_BLANK = re.compile(rb"\r?\n\r?\n")
_START = b"HTTP/"
_BODY_LIMIT = 64 << 20


class HttpDump(PieceImporter):
    """A connection for each response, all of one turn."""

    def __init__(self) -> None:
        self._held = b""
        self._searched = 0
        self._turn = CapturedTurn()
        self._request_left = 0
        self._request_body: list[bytes] = []
        self._in_body = False

    def _feed(self, t: int, data: bytes) -> Iterator[Record]:
        self._t = self._turn.t = t
        if self._in_body:
            yield from self._turn.more(data)
            return
        self._held += data
        yield from self._parts()

    def _close(self) -> Iterator[Record]:
        turn = self._turn
        if not self._in_body and self._held.startswith(_START):
            # The dump ends inside a head.
            self._held = self._held.rstrip(b"\r\n") + b"\r\n\r\n"
            self._searched = 0
            yield from self._parts()
            if turn.body is not None and not self._held:
                yield from turn.close("incomplete", "the headers are not complete")
                return
        if not self._in_body:
            yield from turn.more(self._held)
        yield from turn.close()

    def _parts(self) -> Iterator[Record]:
        """Take one part after the other of what is held, until more is needed."""
        while self._held:
            if self._request_left:
                self._take_request_body()
                continue
            if self._turn.body is None and self._turn.request is not None:
                self._held = self._held.lstrip(b"\r\n")
            if self._turn.body is not None and not self._held.startswith(_START):
                if not _START.startswith(self._held):
                    self._in_body = True
                    held, self._held = self._held, b""
                    yield from self._turn.more(held)
                return
            match = _BLANK.search(self._held, max(0, self._searched - 3))
            if match is None:
                self._searched = len(self._held)
                if len(self._held) > HEAD_LIMIT:
                    raise head_too_large()
                return
            lines = self._held[: match.start()].decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
            self._held = self._held[match.end() :]
            self._searched = 0
            if lines[0].startswith("HTTP/"):
                yield from self._turn.answer(lines)
            else:
                self._take_request(lines)

    def _take_request(self, lines: list[str]) -> None:
        if self._turn.request is not None or self._turn.body is not None:
            raise malformed("head", f"Expected a response, but found {lines[0][:80]!r}.")
        request = self._turn.request = request_of(lines, t=self._t)
        self._request_left = content_length(request.headers) or 0
        if self._request_left > _BODY_LIMIT:
            raise malformed("head", f"The request body of {self._request_left} bytes is too large.")

    def _take_request_body(self) -> None:
        piece = self._held[: self._request_left]
        self._held = self._held[self._request_left :]
        self._request_body.append(piece)
        self._request_left -= len(piece)
        if not self._request_left and self._turn.request is not None:
            self._turn.request = with_body(self._turn.request, b"".join(self._request_body))
