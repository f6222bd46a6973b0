"""From the pieces of an input in a known format to records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import msgspec

from sse_tui.recording.imports import cassette, curl_verbose, devtools, har, http_dump, timed_log
from sse_tui.recording.imports.piece import Piece
from sse_tui.recording.imports.raw import raw_records
from sse_tui.recording.imports.sniffing import Kind
from sse_tui.recording.imports.whole_documents import DOCUMENT_LIMIT
from sse_tui.recording.records import Record

__all__ = ["DOCUMENT_LIMIT", "Imported", "import_pieces"]

# ns; 146 years.
LATEST = 2**62


class Imported(NamedTuple):
    """What an import gives: the clock for the header, and the records, once."""

    clock: str
    records: Iterator[Record]


# Formats that have no times of their own: those of the pieces count.
_AS_IT_COMES: dict[Kind, Callable[[Iterable[Piece]], Iterator[Record]]] = {
    "event-stream": raw_records,
    "http": http_dump.records,
    "curl-verbose": curl_verbose.records,
}
_WITH_TIMES: dict[Kind, Callable[[Iterable[Piece]], Iterator[Record]]] = {
    "timed-log": timed_log.records,
    "devtools": devtools.records,
}
_DOCUMENTS: dict[Kind, Callable[[Iterable[Piece]], tuple[str, Iterator[Record]]]] = {
    "har": har.read,
    "cassette": cassette.read,
}


def import_pieces(kind: Kind, pieces: Iterable[Piece], *, clock: str) -> Imported:
    """The records of an input in a format other than our own.

    `clock` is where the times of the pieces come from, "none" when they mean nothing. A document (HAR, cassette) is
    read here to its end, the others while the records are taken. Raises RecordingError, here or then.
    """
    if kind in _DOCUMENTS:
        its_clock, records = _DOCUMENTS[kind](pieces)
        return Imported(its_clock, _within(records))
    if kind in _WITH_TIMES:
        return Imported("imported", _within(_WITH_TIMES[kind](pieces)))
    return Imported(clock, _AS_IT_COMES[kind](pieces))


def _within(records: Iterator[Record]) -> Iterator[Record]:
    """The records, none of them later than a recording can say: a capture may name any year."""
    for record in records:
        yield record if record.t <= LATEST else msgspec.structs.replace(record, t=LATEST)
