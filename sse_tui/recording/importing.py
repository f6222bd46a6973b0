"""Telling a recording from a raw event stream, and making records of the latter.

A raw stream has no requests, no times and no read boundaries. Its records say so: one connection whose
chunks are the blocks in which the input came, a close and an end, under a header with the clock "none".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Literal

from ..errors import RecordingError
from .lines import LineDecoder
from .reader import (
    Pairs,
    Recording,
    Source,
    file_blocks,
    is_regular,
    path_blocks,
    read_recording,
    recording_of_blocks,
    source_name,
)
from .records import FORMAT, Chunk, Close, End, Header, Record, chunk

SNIFF_BYTES = 4096

# First bytes of what people open by mistake, what it is, and what helps.
_BINARY = (
    (b"\x1f\x8b", "gzip data", "Unpack it first: gunzip -c FILE | sse-tui open -"),
    (b"\x28\xb5\x2f\xfd", "zstd data", "Unpack it first: zstd -dc FILE | sse-tui open -"),
    (b"PK\x03\x04", "a zip archive", "Unpack it first."),
    (b"\xff\xfe", "UTF-16 text", "An event stream is UTF-8: iconv -f UTF-16 -t UTF-8 FILE"),
    (b"\xfe\xff", "UTF-16 text", "An event stream is UTF-8: iconv -f UTF-16 -t UTF-8 FILE"),
)


def sniff(first: bytes, name: str = "the input") -> Literal["recording", "event-stream"]:
    """What an input is by its first bytes (`SNIFF_BYTES` will do). RecordingError when empty or binary."""
    if not first:
        raise RecordingError("input-empty", f"{name} is empty.", "Give a recording or an event stream.")
    for magic, what, hint in _BINARY:
        if first.startswith(magic):
            raise RecordingError("input-binary", f"{name} is {what}, not an event stream.", hint)
    # An event stream may hold a NUL or two; in a tenth of its bytes it is something else.
    if first.count(0) * 10 > len(first):
        raise RecordingError("input-binary", f"{name} is binary data, not an event stream.")
    line = first.partition(b"\n")[0].strip()
    if line.startswith(b"{") and f'"{FORMAT}"'.encode() in line:
        return "recording"
    return "event-stream"


def raw_header(*, tool: str = "", created: str = "") -> Header:
    """The header for an imported stream: its times mean nothing."""
    return Header(tool=tool, created=created, clock="none")


def untimed(blocks: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """The blocks of an input that was not stamped, for `raw_records`."""
    for block in blocks:
        yield 0, block


def raw_records(pieces: Iterable[tuple[int, bytes]], *, turn: int = 1, conn: int = 1) -> Iterator[Record]:
    """The records of a raw event stream that came as (nanoseconds, bytes) pieces: chunks, close, end."""
    t = 0
    for t, data in pieces:
        yield chunk(t, data, turn=turn, conn=conn)
    yield Close(t=t, turn=turn, conn=conn, reason="eof")
    yield End(t=t, reason="imported")


def open_any(source: Source, *, tool: str = "", created: str = "") -> Recording:
    """A recording or a raw event stream, from a path or an open file of bytes, as a recording.

    The offsets that `with_offsets` gives for a raw stream are those of the chunks in it; there are no lines
    there for a `BodyReader`. `tool` and `created` go into the header of a raw one. Raises RecordingError.
    """
    name = source_name(source)
    if isinstance(source, str | Path) and is_regular(Path(source)):
        path = Path(source)
        if sniff(_start(path_blocks(path))[0], name) == "recording":
            return read_recording(path)
        return _raw(name, raw_header(tool=tool, created=created), lambda: path_blocks(path))
    stream = path_blocks(Path(source)) if isinstance(source, str | Path) else file_blocks(source, name)
    first, blocks = _start(stream)
    if sniff(first, name) == "recording":
        return recording_of_blocks(blocks, name)
    return _raw(name, raw_header(tool=tool, created=created), lambda: blocks)


def _start(blocks: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """Enough bytes to tell what an input is (its first line, or `SNIFF_BYTES`), and all its blocks."""
    read: list[bytes] = []
    first = b""
    for block in blocks:
        read.append(block)
        first += block
        if len(first) >= SNIFF_BYTES or b"\n" in first:
            break
    return first[:SNIFF_BYTES], chain(read, blocks)


def _raw(name: str, header: Header, blocks: Callable[[], Iterator[bytes]]) -> Recording:
    def pairs(_: LineDecoder) -> Pairs:
        offset = 0
        for record in raw_records(untimed(blocks())):
            yield offset, record
            if isinstance(record, Chunk):
                offset += record.size

    return Recording(name, header, pairs)
