"""The chunked transfer coding (RFC 9112, section 7.1), taken off a captured body as it comes."""

from __future__ import annotations

_LINE_LIMIT = 4096


class ChunkedError(Exception):
    """The framing is broken; `before` is what was decoded before it."""

    def __init__(self, message: str, before: bytes) -> None:
        super().__init__(message)
        self.before = before


class Dechunker:
    """Feed it the coded body; it gives the bytes within. `complete` once the last chunk came."""

    def __init__(self) -> None:
        self.complete = False
        self._left = 0
        self._line = b""
        self._after_data = False

    def feed(self, data: bytes) -> bytes:
        """The decoded bytes in `data`. What follows the last chunk is dropped. Raises ChunkedError."""
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
                    raise ChunkedError("a chunk's size line does not end", b"".join(out))
                break
            line, self._line = (self._line + data[at:end]).rstrip(b"\r"), b""
            at = end + 1
            self._size_line(line, out)
        return b"".join(out)

    def _size_line(self, line: bytes, out: list[bytes]) -> None:
        if self._after_data:
            if line:
                raise ChunkedError("a chunk is longer than its size says", b"".join(out))
            self._after_data = False
            return
        digits = line.partition(b";")[0].strip()
        try:
            # int() takes more than the grammar does: signs and underscores.
            self._left = int(digits, 16) if digits.isalnum() and len(digits) <= 16 else -1
        except ValueError:
            self._left = -1
        if self._left < 0:
            raise ChunkedError(f"{line[:40]!r} is not a chunk size", b"".join(out))
        self.complete = self._left == 0
