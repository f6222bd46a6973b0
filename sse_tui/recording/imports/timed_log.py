"""A stream with a time before each of its lines, as moreutils' ``ts`` or a logger writes the output of ``curl -N``.

Lines with the same time become one chunk, because the log does not say how far apart they arrived. A line without a
time (such as an empty one) arrived with the one before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sse_tui.recording.imports.cut_lines import LineImporter
from sse_tui.recording.imports.piece import malformed
from sse_tui.recording.imports.stamps import Elapsed, Stamp, stamp_of
from sse_tui.recording.records import Close, Record, chunk

_STREAM = re.compile(rb"(?:data|event|id|retry)(?::|\r?$)|:|\r?$")
# Bytes; more with the same time becomes several chunks.
_MOST_OF_ONE_TIME = 1 << 18


def is_timed_log(lines: Iterable[bytes]) -> bool:
    """Whether these first lines of an input are those of an event stream, each after a time."""
    stamp: Stamp | None = None
    for line in lines:
        stamp = stamp or stamp_of(line)
        found = stamp.split(line) if stamp is not None else None
        if found is None or not _STREAM.match(line[found[1] :]):
            return False
        if line[found[1] :].strip():
            return True
    return False


class TimedLog(LineImporter):
    """Chunks at the times in a log, from 0 at its first line."""

    def __init__(self) -> None:
        super().__init__()
        self._stamp: Stamp | None = None
        self._elapsed = Elapsed()
        self._same_time = bytearray()

    def _take(self, begins: bool, data: bytes) -> Iterator[Record]:
        if begins:
            self._stamp = self._stamp or stamp_of(data)
            if self._stamp is None:
                raise malformed("log", f"The first line does not start with a time: {data[:60]!r}.")
            if (found := self._stamp.split(data)) is not None:
                t = self._elapsed.at(found[0], wraps=self._stamp.wraps)
                if t != self._t:
                    yield from self._chunk()
                    self._t = t
                data = data[found[1] :]
        self._same_time += data
        if len(self._same_time) >= _MOST_OF_ONE_TIME:
            yield from self._chunk()

    def _close(self) -> Iterator[Record]:
        yield from super()._close()
        yield from self._chunk()
        yield Close(t=self._t, turn=1, conn=1, reason="eof")

    def _chunk(self) -> Iterator[Record]:
        if self._same_time:
            yield chunk(self._t, bytes(self._same_time), turn=1, conn=1)
            self._same_time.clear()
