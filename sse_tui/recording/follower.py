"""Follows a recording while it is being written: the new records since the last poll."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType

from sse_tui.errors import RecordingError
from sse_tui.recording.record_lines import HEADER_LIMIT, Damage, LineDecoder, decode_header
from sse_tui.recording.records import Header, Record


class Follower:
    """Reads a growing recording in steps.

    The file need not exist yet. It is kept open, so it can be renamed meanwhile. An incomplete last line is left for a
    later `poll`, which reads it again from the start: a writer removes it when the disk is full.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.header: Header | None = None
        self._fd = -1
        self._number = 1
        self._offset = 0
        self._size = 0
        self._waiting_at = -1
        self._lines = LineDecoder()

    @property
    def size(self) -> int:
        """The file's size in bytes at the latest `poll`."""
        return self._size

    @property
    def offset(self) -> int:
        """The byte offset of the next line to read."""
        return self._offset

    @property
    def caught_up(self) -> bool:
        """Whether the latest `poll` read everything but an incomplete last line."""
        return self._size in (self._offset, self._waiting_at)

    @property
    def damage(self) -> list[Damage]:
        """The lines that were skipped because they are damaged."""
        return self._lines.damage

    @property
    def unknown(self) -> dict[str, int]:
        """How many records of each unknown kind were skipped."""
        return self._lines.unknown

    def poll(self, limit_bytes: int | None = None) -> list[tuple[int, Record]]:
        """The new complete records, each with the byte offset of its line.

        Costs one system call when the file has not grown. Reads about `limit_bytes` at the most, but always
        at least one line. Raises RecordingError when the file is not a recording, cannot be read or has
        become shorter.
        """
        try:
            if not self._opened():
                return []
            self._size = os.fstat(self._fd).st_size
            if self._size < self._offset:
                message = f"{self.path} was truncated while it was being read."
                raise RecordingError("recording-truncated", message)
            if self._size in (self._offset, self._waiting_at):
                return []
            return self._decoded(self._complete_lines(limit_bytes))
        except OSError as error:
            raise RecordingError("recording-read", f"Cannot read {self.path}: {error.strerror}.") from error

    def close(self) -> None:
        """Close the file. Idempotent."""
        if self._fd >= 0:
            fd, self._fd = self._fd, -1
            os.close(fd)

    def __enter__(self) -> Follower:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _opened(self) -> bool:
        if self._fd < 0:
            try:
                self._fd = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
            except FileNotFoundError:
                return False
        return True

    def _complete_lines(self, limit: int | None) -> bytes:
        """From the offset to the last line end within the limit, or to the first one beyond it."""
        there = self._size - self._offset
        wanted = there if limit is None else max(1, min(limit, there))
        while True:
            data = _read_exactly(self._fd, wanted, self._offset)
            end = data.rfind(b"\n") + 1
            if end:
                return data[:end]
            if self.header is None and len(data) > HEADER_LIMIT:
                decode_header(data, str(self.path))
            if len(data) < wanted or wanted == there:
                self._waiting_at = self._size
                return b""
            wanted = min(wanted * 2, there)

    def _decoded(self, data: bytes) -> list[tuple[int, Record]]:
        pairs: list[tuple[int, Record]] = []
        for line in data.split(b"\n")[:-1]:
            if self.header is None:
                self.header = decode_header(line, str(self.path))
            else:
                record = self._lines.decode(line, self._number, self._offset)
                if record is not None:
                    pairs.append((self._offset, record))
            self._number += 1
            self._offset += len(line) + 1
        return pairs


def _read_exactly(fd: int, count: int, offset: int) -> bytes:
    """Up to the end of the file. One call may return less than requested: at most 2 GiB on Linux."""
    pieces: list[bytes] = []
    while count and (piece := os.pread(fd, count, offset)):
        pieces.append(piece)
        count -= len(piece)
        offset += len(piece)
    return b"".join(pieces)
