"""Reads a recording from the beginning, one record at a time, with only the current block in memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO, TypeAlias

from sse_tui.errors import RecordingError
from sse_tui.recording.open_file import cannot_read
from sse_tui.recording.record_lines import LineDecoder, decode_header, split_lines
from sse_tui.recording.records import Header, Record

BLOCK = 1 << 18

Source: TypeAlias = str | Path | BinaryIO
Pairs: TypeAlias = Iterator[tuple[int, Record]]


class Recording:
    """A recording: its header and, by iteration, its records.

    A recording at a path can be iterated any number of times, always from the beginning; one from a stream only once.
    `skipped` says what the latest iteration skipped: damaged lines, including a last line that was cut off, and records
    of unknown kinds.
    """

    def __init__(self, name: str, header: Header, read: Callable[[LineDecoder], Pairs]) -> None:
        self.name = name
        self.header = header
        self.read = read
        self.skipped = LineDecoder()

    @property
    def notes(self) -> list[str]:
        """What the latest iteration skipped, in words."""
        return self.skipped.notes

    def __iter__(self) -> Iterator[Record]:
        for _, record in self.with_offsets():
            yield record

    def with_offsets(self) -> Pairs:
        """The records, each with the byte offset of its line in the file."""
        self.skipped = LineDecoder()
        return self.read(self.skipped)


def read_recording(source: Source) -> Recording:
    """The recording at a path, or in a binary file, which is read from its current position.

    Raises RecordingError if there is no such file or its first line is not a header of this version, and during
    iteration if reading fails.
    """
    name, again, blocks = opened(source)
    once = recording_of_blocks(blocks(), name)
    return (
        Recording(name, once.header, lambda lines: recording_of_blocks(blocks(), name).read(lines))
        if again
        else once
    )


def recording_of_blocks(blocks: Iterable[bytes], name: str) -> Recording:
    """The recording whose bytes are `blocks`; it can be iterated once."""
    lines_of_file = split_lines(blocks)
    first = next(lines_of_file, None)
    if first is None or first.data is None:
        raise RecordingError(
            "recording-empty",
            f"{name} is empty.",
            "A recording starts with a header, which is written at once.",
        )

    def read(lines: LineDecoder) -> Pairs:
        offset = first.size + 1
        for number, (line, size, ended) in enumerate(lines_of_file, start=2):
            if line is None:
                lines.too_long(number, offset, size)
            elif (record := lines.decode(line, number, offset, ended=ended)) is not None:
                yield offset, record
            offset += size + 1

    return Recording(name, decode_header(first.data, name), read)


def opened(source: Source) -> tuple[str, bool, Callable[[], Iterator[bytes]]]:
    """The name of a source in messages, whether it can be read more than once, and what reads its blocks."""
    if isinstance(source, str | Path):
        path = Path(source)
        # A device or a pipe, such as a shell's `<(command)`, can be read only once.
        again = os.path.isfile(path) or not os.path.exists(path) or os.path.isdir(path)
        return str(source), again, partial(path_blocks, path)
    name = getattr(source, "name", None)
    name = name if isinstance(name, str) else "the input"
    return name, False, partial(file_blocks, source, name)


def path_blocks(path: Path) -> Iterator[bytes]:
    """The bytes of the file at `path` in blocks. Raises RecordingError."""
    try:
        with path.open("rb", buffering=0) as file:
            yield from file_blocks(file, str(path))
    except OSError as error:
        hint = "Give a file, not a directory." if os.path.isdir(path) else ""
        raise cannot_read(path, error, hint) from error


def file_blocks(file: BinaryIO, name: str) -> Iterator[bytes]:
    """The rest of an open file in blocks, each as soon as it is available. Raises RecordingError."""
    read = getattr(file, "read1", file.read)
    try:
        while block := read(BLOCK):
            yield block
    except OSError as error:
        raise cannot_read(name, error) from error
