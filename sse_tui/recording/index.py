"""Random access to the bodies in a recording of any size without keeping them in memory.

The index contains only numbers, in typed columns: 28 bytes a chunk (its number and its offset in the body, by
connection; the offset of its line in the file and its time). Those of a long recording are not in memory. The bytes
are read again from the file when they are needed. `pread` and not `mmap`: if someone truncates a mapped file, SIGBUS
kills the process; and thanks to the small window that is kept, neighbouring chunks cost no further system call.
"""

from __future__ import annotations

import os
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from pathlib import Path

from sse_tui.errors import RecordingError
from sse_tui.recording.column import Column
from sse_tui.recording.open_file import OpenFile, cannot_read
from sse_tui.recording.record_lines import BROKEN, decode_record
from sse_tui.recording.records import Chunk, Record

WINDOW = 1 << 18
CACHE_BYTES = 2 << 20


class _Body:
    """The chunks of one connection: their numbers, and the offset of each in the body."""

    __slots__ = ("numbers", "size", "starts")

    def __init__(self) -> None:
        self.numbers = Column("I")
        self.starts = Column("q")
        self.size = 0


class BodyIndex:
    """Where each chunk of a recording is. Chunks are added in the order of the file.

    Chunks are numbered from 0 over the whole recording.
    """

    def __init__(self) -> None:
        self._offsets = Column("q")
        self._times = Column("q")
        self._bodies: dict[int, _Body] = {}

    def __len__(self) -> int:
        return len(self._offsets)

    def add(self, file_offset: int, record: Chunk, *, size: int | None = None) -> int:
        """Add one chunk; returns its number. `size` is how much it adds to the body if that is not its own size."""
        body = self._bodies.get(record.conn)
        if body is None:
            body = self._bodies[record.conn] = _Body()
        number = len(self._offsets)
        self._offsets.append(file_offset)
        self._times.append(record.t)
        body.numbers.append(number)
        body.starts.append(body.size)
        body.size += record.size if size is None else size
        return number

    def grow(self, conn: int, size: int) -> None:
        """The last chunk of a connection adds `size` bytes more to its body."""
        self._bodies[conn].size += size

    def size(self, conn: int) -> int:
        """The size in bytes of the body of connection `conn`."""
        body = self._bodies.get(conn)
        return body.size if body else 0

    def t_of(self, number: int) -> int:
        """The time of a chunk in nanoseconds since the session started."""
        return self._times[number]

    def file_offset_of(self, number: int) -> int:
        """The offset of a chunk's line in the file."""
        return self._offsets[number]

    def chunk_at(self, conn: int, offset: int) -> int | None:
        """The number of the chunk with the byte at `offset` of the body; None if the body is shorter."""
        body = self._bodies.get(conn)
        if body is None or not 0 <= offset < body.size:
            return None
        return body.numbers[bisect_right(body.starts, offset) - 1]

    def span(self, conn: int, start: int, end: int) -> list[tuple[int, int]]:
        """The chunks that contain the bytes from `start` to `end`: (number, offset in the body)."""
        body = self._bodies.get(conn)
        start = max(start, 0)
        if body is None or start >= min(end, body.size):
            return []
        first = bisect_right(body.starts, start) - 1
        last = bisect_left(body.starts, end)
        return [(body.numbers[at], body.starts[at]) for at in range(first, last)]


class BodyReader(OpenFile):
    """Reads the bytes of the bodies from the file by an index; caches those used last."""

    def __init__(self, path: str | Path, index: BodyIndex, *, cache_bytes: int = CACHE_BYTES) -> None:
        super().__init__(path)
        self._index = index
        self._limit = cache_bytes
        self._cached = 0
        self._cache: OrderedDict[int, bytes] = OrderedDict()
        self._window = b""
        self._window_at = 0
        try:
            self._fd = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise cannot_read(self.path, error) from error

    def body(self, conn: int, start: int, end: int) -> bytes:
        """The bytes from `start` to `end` of the body of `conn`, fewer if it ends before.

        Raises RecordingError if the file cannot be read or was changed.
        """
        pieces: list[bytes] = []
        for number, begin in self._index.span(conn, start, end):
            data = self.chunk(number)
            pieces.append(data[max(start - begin, 0) : end - begin])
        return b"".join(pieces)

    def chunk(self, number: int) -> bytes:
        """The bytes of a chunk. Raises RecordingError if it is no longer there."""
        data = self._cache.get(number)
        if data is not None:
            self._cache.move_to_end(number)
            return data
        offset = self._index.file_offset_of(number)
        record = self.record(offset)
        if not isinstance(record, Chunk):
            raise self._changed(offset)
        data = self._cache[number] = record.data
        self._cached += len(data)
        while self._cached > self._limit:
            self._cached -= len(self._cache.popitem(last=False)[1])
        return data

    def record(self, offset: int) -> Record:
        """The record whose line starts at `offset`. Raises RecordingError if it is no longer there."""
        try:
            return decode_record(self._line(offset))
        except BROKEN:
            raise self._changed(offset) from None
        except OSError as error:
            raise cannot_read(self.path, error) from error

    def _changed(self, offset: int) -> RecordingError:
        return RecordingError(
            "recording-changed", f"{self.path} was changed at byte {offset} while it was open."
        )

    def _line(self, offset: int) -> bytes:
        begin = offset - self._window_at
        if 0 <= begin < len(self._window):
            end = self._window.find(b"\n", begin)
            if end >= 0:
                return self._window[begin:end]
        # Whoever reads backwards will need the lines before this one next.
        back = WINDOW // 2 if offset < self._window_at else 0
        self._window_at = max(0, offset - back)
        self._window = os.pread(self._fd, WINDOW, self._window_at)
        begin = offset - self._window_at
        end = self._window.find(b"\n", begin)
        return self._window[begin:end] if end >= 0 else self._long_line(offset)

    def _long_line(self, offset: int) -> bytes:
        """A line longer than the window, which is not kept; all there is of it if it has no line end."""
        size = WINDOW
        while True:
            data = os.pread(self._fd, size, offset)
            end = data.find(b"\n")
            if end >= 0 or len(data) < size:
                return data[:end] if end >= 0 else data
            size *= 2
