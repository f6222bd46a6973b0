"""From the pieces of an input in a known format to records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any, NamedTuple

import msgspec

from sse_tui.recording.imports.piece import Piece
from sse_tui.recording.imports.raw import raw_records
from sse_tui.recording.imports.sniffing import Kind
from sse_tui.recording.records import Record

# ns; 146 years.
LATEST = 2**62


class Imported(NamedTuple):
    """What an import gives: the clock for the header, and the records, once."""

    clock: str
    records: Iterator[Record]


# The module of a format is imported when an input is in it.
_AS_IT_COMES: dict[Kind, str] = {"http": "http_dump", "curl-verbose": "curl_verbose"}
_WITH_TIMES: dict[Kind, str] = {"timed-log": "timed_log", "devtools": "devtools"}
_DOCUMENTS: dict[Kind, str] = {"har": "har", "cassette": "cassette"}


def import_pieces(kind: Kind, pieces: Iterable[Piece], *, clock: str) -> Imported:
    """The records of an input in a format other than our own.

    `clock` is where the times of the pieces come from, "none" when they mean nothing. A document (HAR, cassette) is
    read here to its end, the others while the records are taken. Raises RecordingError, here or then.
    """
    if kind == "event-stream":
        return Imported(clock, raw_records(pieces))
    if kind in _DOCUMENTS:
        clock, records = _module(_DOCUMENTS[kind]).read(pieces)
        return Imported(clock, _within(records))
    if kind in _WITH_TIMES:
        return Imported("imported", _within(_module(_WITH_TIMES[kind]).records(pieces)))
    return Imported(clock, _module(_AS_IT_COMES[kind]).records(pieces))


def _module(name: str) -> Any:
    return import_module(f"sse_tui.recording.imports.{name}")


def _within(records: Iterator[Record]) -> Iterator[Record]:
    """The records, none of them later than a recording can say: a capture may name any year."""
    for record in records:
        yield record if record.t <= LATEST else msgspec.structs.replace(record, t=LATEST)
