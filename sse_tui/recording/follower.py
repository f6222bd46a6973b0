"""Follows a recording while it is being written: the new records since the last poll."""

from __future__ import annotations

import os
from pathlib import Path

from sse_tui.errors import RecordingError
from sse_tui.recording.open_file import OpenFile, cannot_read
from sse_tui.recording.record_lines import HEADER_LIMIT, LINE_LIMIT, LineDecoder, decode_header
from sse_tui.recording.records import Header, Record

_BLOCK = 1 << 20


class Follower(OpenFile):
    """Reads a growing recording in steps.

    The file need not exist yet. It is kept open, so it can be renamed meanwhile. An incomplete last line is left for a
    later `poll`, which reads it again from the start: a writer removes it when the disk is full.

    `size` is the file's size in bytes at the latest `poll`, `offset` where the next line to read starts. `damage` lists
    the lines that were skipped because they are damaged, `unknown` counts the skipped records of each unknown kind.
    `removed`: the file has no name any more, and will be gone once everybody has closed it.
    """

    def __init__(self, path: str | Path) -> None:
        super().__init__(path)
        self.header: Header | None = None
        self.size = 0
        self.offset = 0
        self.removed = False
        self._number = 1
        self._waiting_at = -1
        self._searched = 0  # up to here a line that is too long has no end
        self._lines = LineDecoder()
        self.damage = self._lines.damage
        self.unknown = self._lines.unknown

    @property
    def caught_up(self) -> bool:
        """Whether the latest `poll` read everything but an incomplete last line."""
        return self.size in (self.offset, self._waiting_at)

    def poll(self, limit_bytes: int | None = None) -> list[tuple[int, Record]]:
        """The new complete records, each with the byte offset of its line.

        Costs one system call if the file has not grown. Reads about `limit_bytes` at most, but always at least one
        line. Raises RecordingError if the file is not a recording, cannot be read or has become shorter.
        """
        try:
            if self._fd < 0:
                self._fd = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
            status = os.fstat(self._fd)
            self.size, self.removed = status.st_size, status.st_nlink == 0
            if self.size < self.offset:
                message = f"{self.path} was truncated while it was being read."
                raise RecordingError("recording-truncated", message)
            if self.caught_up:
                return []
            return self._decoded(self._complete_lines(limit_bytes))
        except FileNotFoundError:
            return []
        except OSError as error:
            raise cannot_read(self.path, error) from error

    def _complete_lines(self, limit: int | None) -> bytes:
        """From the offset to the last line end within the limit, or to the first one beyond it."""
        if self._searched > self.offset and not self._pass_long_line(self._searched):
            return b""
        there = self.size - self.offset
        wanted = there if limit is None else max(1, min(limit, there))
        while True:
            data = _read_exactly(self._fd, wanted, self.offset)
            end = data.rfind(b"\n") + 1
            if end:
                return data[:end]
            if self.header is None and len(data) > HEADER_LIMIT:
                decode_header(data, str(self.path))
            if len(data) > LINE_LIMIT:
                if not self._pass_long_line(self.offset + len(data)):
                    return b""
                return self._complete_lines(limit)
            if len(data) < wanted or wanted == there:
                self._waiting_at = self.size
                return b""
            wanted = min(wanted * 2, there)

    def _pass_long_line(self, searched: int) -> bool:
        """Go on behind a line that no record is as long as; False while it has no end."""
        at = max(searched, self._searched)
        while block := os.pread(self._fd, _BLOCK, at):
            end = block.find(b"\n")
            if end >= 0:
                self._lines.too_long(self._number, self.offset, at + end - self.offset)
                self._number += 1
                self.offset = at + end + 1
                return True
            at += len(block)
        self._searched = self._waiting_at = at
        return False

    def _decoded(self, data: bytes) -> list[tuple[int, Record]]:
        pairs: list[tuple[int, Record]] = []
        for line in data.split(b"\n")[:-1]:
            if self.header is None:
                self.header = decode_header(line, str(self.path))
            else:
                record = self._lines.decode(line, self._number, self.offset)
                if record is not None:
                    pairs.append((self.offset, record))
            self._number += 1
            self.offset += len(line) + 1
        return pairs


def _read_exactly(fd: int, count: int, offset: int) -> bytes:
    """Up to the end of the file. One call may return less than requested: at most 2 GiB on Linux."""
    pieces: list[bytes] = []
    while count and (piece := os.pread(fd, count, offset)):
        pieces.append(piece)
        count -= len(piece)
        offset += len(piece)
    return b"".join(pieces)
