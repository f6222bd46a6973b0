"""Reads a recording from the beginning, one record at a time, with only the current block in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, TypeAlias

from sse_tui.errors import RecordingError
from sse_tui.recording.record_lines import Damage, LineDecoder, decode_header, split_lines
from sse_tui.recording.records import Header, Record

BLOCK = 1 << 18

Source: TypeAlias = str | Path | BinaryIO
Pairs: TypeAlias = Iterator[tuple[int, Record]]


class Recording:
    """A recording: its header and, by iteration, its records.

    A recording at a path can be iterated any number of times, always from the beginning; one from a stream only once.
    `damage` and `unknown` say what the latest iteration skipped: damaged lines, including a last line that was cut
    off, and records of unknown kinds.
    """

    def __init__(self, name: str, header: Header, read: Callable[[LineDecoder], Pairs]) -> None:
        self.name = name
        self.header = header
        self._read = read
        self._lines = LineDecoder()

    @property
    def damage(self) -> list[Damage]:
        """The lines that were skipped because they are damaged."""
        return self._lines.damage

    @property
    def unknown(self) -> dict[str, int]:
        """How many records of each unknown kind were skipped."""
        return self._lines.unknown

    @property
    def notes(self) -> list[str]:
        """What the latest iteration skipped, in words."""
        return self._lines.notes

    def __iter__(self) -> Iterator[Record]:
        for _, record in self.with_offsets():
            yield record

    def with_offsets(self) -> Pairs:
        """The records, each with the byte offset of its line in the file."""
        self._lines = LineDecoder()
        return self._read(self._lines)


def read_recording(source: Source) -> Recording:
    """The recording at a path, or in a binary file, which is read from its current position.

    Raises RecordingError if there is no such file or its first line is not a header of this version, and during
    iteration if reading fails.
    """
    name = source_name(source)
    if isinstance(source, str | Path):
        path = Path(source)
        if not is_regular(path):
            return recording_of_blocks(path_blocks(path), name)
        header = _header(split_lines(path_blocks(path)), name)
        return Recording(name, header, lambda lines: _pairs(split_lines(path_blocks(path)), lines))
    return recording_of_blocks(file_blocks(source, name), name)


def recording_of_blocks(blocks: Iterable[bytes], name: str) -> Recording:
    """The recording whose bytes are `blocks`; it can be iterated once."""
    lines_of_file = split_lines(blocks)
    first = next(lines_of_file, None)
    header = _header(iter([first] if first else []), name)
    offset = len(first[0]) + 1 if first else 0

    def rest(lines: LineDecoder) -> Pairs:
        return _decoded(lines_of_file, lines, number=2, offset=offset)

    return Recording(name, header, rest)


def source_name(source: Source) -> str:
    """The name of a source in messages."""
    if isinstance(source, str | Path):
        return str(source)
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else "the input"


def is_regular(path: Path) -> bool:
    """Whether the path can be read twice: it is not a device or a pipe, such as a shell's `<(command)`."""
    return path.is_file() or not path.exists() or path.is_dir()


def path_blocks(path: Path) -> Iterator[bytes]:
    """The bytes of the file at `path` in blocks. Raises RecordingError."""
    try:
        with path.open("rb", buffering=0) as file:
            yield from file_blocks(file, str(path))
    except OSError as error:
        hint = "Give a file, not a directory." if path.is_dir() else ""
        raise RecordingError("recording-read", f"Cannot read {path}: {error.strerror}.", hint) from error


def file_blocks(file: BinaryIO, name: str) -> Iterator[bytes]:
    """The rest of an open file in blocks, each as soon as it is available. Raises RecordingError."""
    read = getattr(file, "read1", file.read)
    try:
        while block := read(BLOCK):
            yield block
    except OSError as error:
        raise RecordingError("recording-read", f"Cannot read {name}: {error.strerror}.") from error


def _header(lines: Iterator[tuple[bytes, bool]], name: str) -> Header:
    line, _ = next(lines, (None, False))
    if line is None:
        raise RecordingError(
            "recording-empty",
            f"{name} is empty.",
            "A recording starts with a header, which is written at once.",
        )
    return decode_header(line, name)


def _pairs(lines_of_file: Iterator[tuple[bytes, bool]], lines: LineDecoder) -> Pairs:
    first, _ = next(lines_of_file, (b"", False))
    return _decoded(lines_of_file, lines, number=2, offset=len(first) + 1)


def _decoded(
    lines_of_file: Iterator[tuple[bytes, bool]], lines: LineDecoder, *, number: int, offset: int
) -> Pairs:
    for line, ended in lines_of_file:
        record = lines.decode(line, number, offset, ended=ended)
        if record is not None:
            yield offset, record
        number += 1
        offset += len(line) + 1
