"""A stream with a time before each of its lines: what ``ts`` of moreutils or a logger makes of ``curl -N``.

Lines of one time become one chunk: how far apart they came the log cannot tell. A line without a time (an empty
one, say) came with the one before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sse_tui.recording.imports.marked import CutLines, LinePiece
from sse_tui.recording.imports.piece import Piece, malformed
from sse_tui.recording.imports.stamps import DAY, Stamp, stamp_of
from sse_tui.recording.records import Close, End, Record, chunk

_STREAM = re.compile(rb"(?:data|event|id|retry)(?::|\r?$)|:|\r?$")


def is_timed_log(lines: Iterable[bytes]) -> bool:
    """Whether these lines, the first of an input, are those of an event stream behind times."""
    stamp: Stamp | None = None
    for line in lines:
        stamp = stamp or stamp_of(line)
        found = stamp.split(line) if stamp is not None else None
        if found is None or not _STREAM.match(line[found[1] :]):
            return False
        if line[found[1] :].strip():
            return True
    return False


def records(pieces: Iterable[Piece]) -> Iterator[Record]:
    """The records of a log: chunks at the times in it, from 0 at its first line."""
    log = _Log()
    lines = CutLines()
    for _, data in pieces:
        for part in lines.feed(data):
            yield from log.take(part)
    for part in lines.close():
        yield from log.take(part)
    yield from log.close()


# What is held of one time; a long line passes in parts.
_HELD = 1 << 18


class _Log:
    def __init__(self) -> None:
        self._stamp: Stamp | None = None
        self._first = 0
        self._before = 0
        self._days = 0
        self._t = 0
        self._held: list[bytes] = []
        self._size = 0

    def take(self, part: LinePiece) -> Iterator[Record]:
        data = part.data
        if part.begins:
            found = self._split(data)
            if found is not None:
                t = self._time(found[0])
                if t != self._t:
                    yield from self._chunk()
                    self._t = t
                data = data[found[1] :]
        self._held.append(data)
        self._size += len(data)
        if self._size >= _HELD:
            yield from self._chunk()

    def close(self) -> Iterator[Record]:
        yield from self._chunk()
        yield Close(t=self._t, turn=1, conn=1, reason="eof")
        yield End(t=self._t, reason="imported")

    def _split(self, line: bytes) -> tuple[int, int] | None:
        if self._stamp is not None:
            return self._stamp.split(line)
        self._stamp = stamp_of(line)
        if self._stamp is None:
            raise malformed("log", f"The first line does not start with a time: {line[:60]!r}.")
        found = self._stamp.split(line)
        assert found is not None
        self._first = self._before = found[0]
        return found

    def _time(self, t: int) -> int:
        """ns since the first line, never going back: lines of a log may be a little out of order."""
        assert self._stamp is not None
        if self._stamp.wraps and t < self._before - DAY // 2:
            self._days += 1
        self._before = t
        return max(self._t, t - self._first + self._days * DAY)

    def _chunk(self) -> Iterator[Record]:
        if self._size:
            yield chunk(self._t, b"".join(self._held), turn=1, conn=1)
            self._held.clear()
            self._size = 0
