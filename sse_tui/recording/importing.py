"""Opens whatever contains an event stream: a recording, a raw stream, or a capture of another tool.

The clock in the header is "imported" if the capture has times, and "none" if it has not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from sse_tui.bodies.aws_frames import is_prelude
from sse_tui.errors import RecordingError
from sse_tui.recording.imports import Kind, Piece, import_pieces, kind_of, raw_records
from sse_tui.recording.imports.sniffing import SNIFF_BYTES, enough
from sse_tui.recording.reader import Pairs, Recording, Source, opened, read_recording, recording_of_blocks
from sse_tui.recording.record_lines import LineDecoder
from sse_tui.recording.records import Chunk, Header

__all__ = ["SNIFF_BYTES", "enough", "open_any", "raw_records", "sniff", "untimed"]

# First bytes of what people open by mistake, what it is, and a hint.
_BINARY = (
    (b"\x1f\x8b", "gzip data", "Unpack it first: gunzip -c FILE | sse-tui open -"),
    (b"\x28\xb5\x2f\xfd", "zstd data", "Unpack it first: zstd -dc FILE | sse-tui open -"),
    (b"PK\x03\x04", "a zip archive", "Unpack it first."),
    (b"\xff\xfe", "UTF-16 text", "An event stream is UTF-8: iconv -f UTF-16 -t UTF-8 FILE"),
    (b"\xfe\xff", "UTF-16 text", "An event stream is UTF-8: iconv -f UTF-16 -t UTF-8 FILE"),
)


def sniff(first: bytes, name: str = "the input") -> Kind:
    """What an input is, by its first bytes (`SNIFF_BYTES` will do). RecordingError if it is empty or binary."""
    if not first:
        raise RecordingError("input-empty", f"{name} is empty.", "Give a recording or an event stream.")
    for magic, what, hint in _BINARY:
        if first.startswith(magic):
            raise RecordingError("input-binary", f"{name} is {what}, not an event stream.", hint)
    # An event stream may contain a few NULs, but not in a tenth of its bytes; frames of AWS are full of them.
    if not is_prelude(first) and first.count(0) * 10 > len(first):
        raise RecordingError("input-binary", f"{name} is binary data, not an event stream.")
    return kind_of(first)


def untimed(blocks: Iterable[bytes]) -> Iterator[Piece]:
    """The blocks of an input without times, for `raw_records` and the importers."""
    for block in blocks:
        yield 0, block


def open_any(source: Source, *, tool: str = "", created: str = "") -> Recording:
    """A recording, a raw event stream or another capture, from a path or a binary file, as a recording.

    For anything but a recording, `with_offsets` returns the offsets of the chunks in all bodies together: there are no
    lines for a `BodyReader`, and `tool` and `created` are written into its header. Raises RecordingError.
    """
    name, again, blocks = opened(source)
    first, begun = _start(blocks())
    kind = sniff(first, name)
    if kind == "recording":
        return read_recording(source) if again else recording_of_blocks(begun, name)
    header = Header(tool=tool, created=created, clock="none")
    return _imported(kind, name, header, blocks if again else lambda: begun)


def _start(blocks: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """Enough bytes to recognise the format (the first line, or `SNIFF_BYTES`), and all blocks of the input."""
    read: list[bytes] = []
    first = b""
    for block in blocks:
        read.append(block)
        first += block
        if enough(first):
            break
    return first[:SNIFF_BYTES], chain(read, blocks)


def _imported(kind: Kind, name: str, header: Header, blocks: Callable[[], Iterator[bytes]]) -> Recording:
    # A document is read completely here, because its content decides the clock.
    first = import_pieces(kind, untimed(blocks()), clock=header.clock)
    header.clock = first.clock
    begun = [first.records]

    def pairs(_: LineDecoder) -> Pairs:
        records = begun.pop() if begun else import_pieces(kind, untimed(blocks()), clock="none").records
        offset = 0
        for record in records:
            yield offset, record
            if isinstance(record, Chunk):
                offset += record.size

    return Recording(name, header, pairs)
