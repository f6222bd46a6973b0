"""Opening what was captured elsewhere: a recording, a raw event stream, another tool's capture, or a pipe.

Everything becomes records, and what the panes show is a recording on disk: other captures are written as one first.
A stream from a file has the times that the capture gives it, if any; one from a pipe is stamped as it comes.
"""

from __future__ import annotations

import io
import os
import stat
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from sse_tui.offline.stamped_pipe import READ_SIZE, StampedPipe
from sse_tui.recording import Piece, Recording, Redactor, Writer, enough, import_pieces, open_any, sniff
from sse_tui.recording.records import Header, Record
from sse_tui.version import __version__

SNIFF_BYTES = 4096
BATCH = 256


def open_path(path: Path) -> Recording:
    """A recording, a raw event stream or another capture in a file. Raises `RecordingError` for anything else."""
    return open_any(path, tool=_tool(), created=_now())


class Piped:
    """A recording, a raw event stream or another capture from a pipe, read as it comes.

    `header` is known once the first bytes are there, which the constructor waits for; iterate for the records. Where
    standard input is a file (``< file``), the times of its reads mean nothing.
    """

    def __init__(self, fd: int) -> None:
        self._stamped = not stat.S_ISREG(os.fstat(fd).st_mode)
        self._origin = time.monotonic_ns()
        self._fd = fd
        self._read: list[Piece] = []
        first = b""
        while data := os.read(fd, READ_SIZE):
            self._read.append((self._now(), data))
            first += data
            if enough(first):
                break
        kind = sniff(first[:SNIFF_BYTES], "the standard input")
        self._recording: Recording | None = None
        self._rest: StampedPipe | None = None
        if kind == "recording":
            self._recording = open_any(io.BufferedReader(_Rest(first, fd)))
            self.header = self._recording.header
            self._records = iter(self._recording)
        else:
            if self._stamped:
                self._rest = StampedPipe(fd, self._now)
            imported = import_pieces(kind, self._pieces(), clock="read" if self._stamped else "none")
            self.header = Header(tool=_tool(), created=_now(), clock=imported.clock)
            self._records = imported.records

    def __iter__(self) -> Iterator[Record]:
        return self._records

    @property
    def notes(self) -> list[str]:
        """What of a recording was left out so far, in words."""
        return self._recording.notes if self._recording is not None else []

    def _pieces(self) -> Iterator[Piece]:
        yield from self._read
        self._read.clear()
        if self._rest is not None:
            yield from self._rest
            return
        while data := os.read(self._fd, READ_SIZE):
            yield 0, data

    def _now(self) -> int:
        return time.monotonic_ns() - self._origin if self._stamped else 0


def spool(source: Recording | Piped, path: Path, redactor: Redactor | None = None) -> Path:
    """Write the records of `source` to a recording at `path`, which can be read again and followed."""
    with Writer(path, msgspec.structs.replace(source.header), redactor or Redactor()) as writer:
        records = iter(source)
        while batch := list(islice(records, BATCH)):
            writer.write_many(batch)
    return path


def is_recording(path: Path) -> bool:
    """Whether the file is a recording, to be followed as it is. Raises `RecordingError` for unreadable input."""
    with path.open("rb") as file:
        return sniff(file.read(SNIFF_BYTES), str(path)) == "recording"


def _tool() -> str:
    return f"sse-tui/{__version__} import"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


class _Rest(io.RawIOBase):
    """A pipe whose first bytes were read already, whole again."""

    def __init__(self, first: bytes, fd: int) -> None:
        self._first = first
        self._fd = fd

    def readable(self) -> bool:
        """Always true: that is what it is for."""
        return True

    def readinto(self, buffer: Any) -> int:
        """At most as many bytes as fit; 0 at the end."""
        data = self._first[: len(buffer)] if self._first else os.read(self._fd, len(buffer))
        self._first = self._first[len(data) :]
        buffer[: len(data)] = data
        return len(data)
