"""The chunked transfer coding (RFC 9112, section 7.1), taken off a body as it comes, as leniently as curl does."""

from __future__ import annotations

import re

from sse_tui.recording.records import Irregularity

_LINE_LIMIT = 4096
_TRAILERS_LIMIT = 64 * 1024
_SIZE = re.compile(rb"([0-9A-Fa-f]{1,16})([ \t]*)(?:;.*)?", re.DOTALL)


class ChunkedError(Exception):
    """The framing is broken; `before` is what was decoded before it."""

    def __init__(self, message: str, before: bytes) -> None:
        super().__init__(message)
        self.before = before


class Dechunker:
    """Feed it the coded body; it gives the bytes within.

    `ended` once the last chunk came, `complete` once the trailer section did, too. `irregular` is what was read
    although the grammar does not have it.
    """

    def __init__(self) -> None:
        self.ended = False
        self.complete = False
        self.irregular: set[Irregularity] = set()
        self._left = 0
        self._line = b""
        self._after_data = False
        self._trailers = 0

    def feed(self, data: bytes) -> bytes:
        """The decoded bytes in `data`. What follows the body is dropped. Raises ChunkedError."""
        out: list[bytes] = []
        at = 0
        while at < len(data) and not self.complete:
            if self._left:
                piece = data[at : at + self._left]
                out.append(piece)
                self._left -= len(piece)
                at += len(piece)
                self._after_data = not self._left
                continue
            end = data.find(b"\n", at, at + _LINE_LIMIT)
            if end < 0:
                self._line += data[at : at + _LINE_LIMIT]
                if len(self._line) >= _LINE_LIMIT or len(data) - at >= _LINE_LIMIT:
                    what = "trailer" if self.ended else "chunk's size"
                    raise ChunkedError(f"a {what} line does not end", b"".join(out))
                break
            line, self._line = self._line + data[at:end], b""
            at = end + 1
            if not line.endswith(b"\r"):
                self.irregular.add(Irregularity.LF_IN_CHUNKED)
            try:
                self._take_line(line.removesuffix(b"\r"))
            except ValueError as error:
                raise ChunkedError(str(error), b"".join(out)) from error
        return b"".join(out)

    def _take_line(self, line: bytes) -> None:
        if self.ended:
            self._trailers += len(line)
            if self._trailers > _TRAILERS_LIMIT:
                raise ValueError(f"the trailers are longer than {_TRAILERS_LIMIT} bytes")
            self.complete = not line
        elif self._after_data:
            if line:
                raise ValueError("a chunk is longer than its size says")
            self._after_data = False
        else:
            match = _SIZE.fullmatch(line)
            if match is None:
                raise ValueError(f"{line[:40]!r} is not a chunk size")
            if match[2]:
                self.irregular.add(Irregularity.SPACE_AFTER_SIZE)
            self._left = int(match[1], 16)
            self.ended = not self._left
