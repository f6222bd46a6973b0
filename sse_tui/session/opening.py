"""Opening what was captured elsewhere: a recording, a raw event stream, or a pipe.

Everything is read as records, so that a file and a live stream go the same way. A raw stream from a file has no
times; one from a pipe is stamped as it is read.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from sse_tui import __version__
from sse_tui.errors import RecordingError
from sse_tui.recording import raw_records, read_recording, sniff
from sse_tui.recording.records import Header, Record

READ_SIZE = 64 * 1024
SNIFF_SIZE = 4096


class Opened:
    """A header and its records, lazily. `damage` lists what could not be read, once the records were."""

    def __init__(self, header: Header, records: Iterator[Record], damage: list[str]) -> None:
        self.header = header
        self.records = records
        self.damage = damage


def open_path(path: Path) -> Opened:
    """A recording or a raw event stream in a file. Raises `RecordingError` for what is neither."""
    try:
        with path.open("rb") as file:
            start = file.read(SNIFF_SIZE)
    except OSError as exc:
        raise RecordingError(
            "cannot-open", f"Cannot open {path}: {exc.strerror}.", "Give the path of a recording or an event stream."
        ) from exc
    if sniff(start) == "recording":
        recording = read_recording(path)
        return Opened(recording.header, iter(recording), recording.damage)
    return Opened(_header("none"), raw_records(_file_reads(path)), [])


def open_fd(fd: int) -> Opened:
    """The same from a pipe, read as it comes. A recording is told by its first line, which must come whole."""
    start = _first(fd)
    if sniff(start) == "recording":
        recording = read_recording(_PipeLines(start, fd))
        return Opened(recording.header, iter(recording), recording.damage)
    return Opened(_header("read"), raw_records(_pipe_reads(start, fd)), [])


def _header(clock: str) -> Header:
    created = datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    return Header(tool=f"sse-tui/{__version__} import", created=created, clock=clock)


def _first(fd: int) -> bytes:
    return os.read(fd, READ_SIZE)


def _file_reads(path: Path) -> Iterator[tuple[int, bytes]]:
    with path.open("rb") as file:
        while data := file.read(READ_SIZE):
            yield 0, data


def _pipe_reads(start: bytes, fd: int) -> Iterator[tuple[int, bytes]]:
    origin = time.monotonic_ns()
    data = start
    while data:
        yield time.monotonic_ns() - origin, data
        data = os.read(fd, READ_SIZE)


class _PipeLines:
    """A minimal binary file over a pipe whose first bytes were read already."""

    def __init__(self, start: bytes, fd: int) -> None:
        self._rest = start
        self._fd = fd

    def read(self, size: int = -1) -> bytes:
        """At most `size` bytes, what is there first; all to the end when negative."""
        if size < 0:
            parts = [self._rest]
            while data := os.read(self._fd, READ_SIZE):
                parts.append(data)
            self._rest = b""
            return b"".join(parts)
        if self._rest:
            out, self._rest = self._rest[:size], self._rest[size:]
            return out
        return os.read(self._fd, size)
