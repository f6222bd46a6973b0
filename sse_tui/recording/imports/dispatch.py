"""From the pieces of an input in a known format to records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import NamedTuple

import msgspec

from sse_tui.recording.imports.piece import Piece
from sse_tui.recording.imports.sniffing import Kind
from sse_tui.recording.records import Close, End, Record, chunk

# ns; 146 years.
LATEST = 2**62


class Imported(NamedTuple):
    """What an import gives: the clock for the header, and the records, once."""

    clock: str
    records: Iterator[Record]


# The module of a format, imported when an input is in it, and what reads the format.
_READERS: dict[Kind, tuple[str, str]] = {
    "http": ("http_dump", "HttpDump"),
    "curl-verbose": ("curl_verbose", "CurlVerbose"),
    "timed-log": ("timed_log", "TimedLog"),
    "devtools": ("devtools", "EventStreamTable"),
    "har": ("har", "read"),
    "cassette": ("cassette", "read"),
}


def import_pieces(kind: Kind, pieces: Iterable[Piece], *, clock: str) -> Imported:
    """The records of an input in a format other than our own.

    `clock` is the source of the pieces' times, "none" if these have no meaning. A document (HAR, cassette) is read
    completely here, the other formats as their records are taken. Raises RecordingError, here or then.
    """
    if kind == "event-stream":
        return Imported(clock, raw_records(pieces))
    module, name = _READERS[kind]
    reader = getattr(import_module(f"sse_tui.recording.imports.{module}"), name)
    if kind in ("har", "cassette"):
        clock, records = reader(pieces)
    else:
        clock = "imported" if kind in ("timed-log", "devtools") else clock
        records = reader().records(pieces)
    return Imported(clock, _within(records))


def raw_records(pieces: Iterable[Piece], *, turn: int = 1, conn: int = 1) -> Iterator[Record]:
    """The records of a raw event stream: each piece as a chunk, then close and end."""
    t = 0
    for t, data in pieces:
        yield chunk(t, data, turn=turn, conn=conn)
    yield Close(t=t, turn=turn, conn=conn, reason="eof")
    yield End(t=t, reason="imported")


def _within(records: Iterator[Record]) -> Iterator[Record]:
    """The records, none of them later than a recording can express: a capture may contain any year."""
    for record in records:
        yield record if record.t <= LATEST else msgspec.structs.replace(record, t=LATEST)
