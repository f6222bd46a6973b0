"""The bytes around the current position, so that a finding can quote them, in bounded memory."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sse_tui.diagnosis.finding import RAW_BYTES

_BLANK_LINE = re.compile(rb"\n\r?\n|\r\r")
_LINE_ENDS = re.compile(rb"[\r\n]*+")
_BEHIND = 64  # bytes kept from before the last complete item: its line ends
_PENDING = 4096  # bytes of an incomplete item that are kept whole


@dataclass(slots=True)
class Window:
    """Keeps the latest bytes of one body and the beginning of the incomplete item."""

    data: bytes = b""
    start: int = 0
    end: int = 0
    _head: bytes = b""
    _head_start: int = 0

    def feed(self, data: bytes, done: int) -> None:
        """Take the next bytes of the body; items up to offset `done` are complete."""
        keep = done - _BEHIND
        # Of an item too long to keep, its head stays for quotes and its last bytes for what follows them.
        if self.end - done > _PENDING:
            if self._head_start != done or not self._head:
                self._head, self._head_start = self.quote(done, done + RAW_BYTES), done
            keep = self.end - _PENDING
        if keep > self.start:
            self.data = self.data[keep - self.start :] + data
            self.start = keep
        else:
            self.data += data
        self.end += len(data)

    def replace(self, data: bytes) -> None:
        """Take the next bytes, which are known to be whole blocks that follow a complete item."""
        self.data = data
        self.start = self.end
        self.end += len(data)

    def quote(self, start: int, end: int) -> bytes:
        """The bytes from `start` to `end`, at most `RAW_BYTES`, as far as they are still kept."""
        end = min(end, start + RAW_BYTES)
        if start >= self.start:
            return self.data[start - self.start : end - self.start]
        if self._head and self._head_start <= start:
            return self._head[start - self._head_start : end - self._head_start]
        return b""

    def whole(self, start: int, end: int) -> bytes | None:
        """All bytes from `start` to `end`; None where some are gone."""
        return self.data[start - self.start : end - self.start] if start >= self.start else None

    def open_block(self, start: int) -> bytes | None:
        """What came after `start` of a block that has not ended; None where it has, or where its beginning is gone."""
        at = start - self.start
        if at < 0 or _BLANK_LINE.search(self.data, _LINE_ENDS.match(self.data, at).end()):  # type: ignore[union-attr]
            return None
        return self.data[at:]

    def blank_before(self, start: int) -> bool:
        """Whether a blank line, or nothing, comes before the line that starts at `start`."""
        before = self.data[max(0, start - 4 - self.start) : max(0, start - self.start)]
        if start <= 3 and before in (b"", b"\xef\xbb\xbf"):
            return True
        if before in (b"\n", b"\r", b"\r\n"):  # a blank line is all there was
            return True
        return before.endswith((b"\n\n", b"\r\r", b"\r\n\r\n", b"\n\r\n", b"\n\r", b"\r\n\r"))

    def blank_after(self, end: int) -> bool | None:
        """Whether a blank line follows the line that ended at `end`; None until the next byte has arrived."""
        at = end - self.start
        if self.data[at - 1 : at] == b"\r" and self.data[at : at + 1] == b"\n":
            at += 1
        if at < 0:
            return False
        following = self.data[at : at + 1]
        return None if not following else following in b"\r\n"
