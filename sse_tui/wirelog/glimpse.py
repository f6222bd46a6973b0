"""The end of a large recording, shown at once: the whole of it takes a while to read.

Only the last lines of the file are read. What depends on everything before them is not known: rows have no number, and
nothing is counted or judged.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from sse_tui.analysis.analysis import Analysis
from sse_tui.analysis.entry import Entry
from sse_tui.errors import RecordingError
from sse_tui.eventstream import Item
from sse_tui.recording import BodyIndex, BodyReader
from sse_tui.recording.content import ContentDecoder
from sse_tui.recording.record_lines import BROKEN, decode_header, decode_record
from sse_tui.recording.records import Chunk, Header, Record, Request, Response
from sse_tui.wirelog.reread import ReadBack
from sse_tui.wirelog.rows import HIDDEN, Row, RowTable

LARGE = 16 * 2**20
"""Bytes; smaller files open fast enough without it."""
TAIL = 256 * 1024
HEAD = 64 * 1024


@dataclass(frozen=True, slots=True)
class GlimpsedRow:
    """A row, and the session time of its turn's request, ns; None where that is not known."""

    row: Row
    t0: int | None


def glimpse(path: Path, most: int = 200, *, dialect: str | None = None) -> list[GlimpsedRow]:
    """The last rows of the recording at `path`, at most `most`; none of a file that is not large.

    Raises `RecordingError` for a file that is not a recording.
    """
    try:
        with path.open("rb", buffering=0) as file:
            size = os.fstat(file.fileno()).st_size
            if size < LARGE:
                return []
            head = file.read(HEAD)
            file.seek(size - TAIL)
            tail = file.read(TAIL)
    except FileNotFoundError:
        return []  # not written yet
    except OSError as error:
        raise RecordingError("recording-read", f"Cannot read {path}: {error.strerror}.") from error
    first, whole, rest = head.partition(b"\n")
    if not whole:
        return []
    reading = _MidReader(decode_header(first, str(path)), dialect)
    reading.head([record for _, record in _records(rest, 0)])
    for offset, record in _records(tail, size - len(tail)):
        reading.take(offset, record)
    return reading.last(path, most)


def _records(data: bytes, offset: int) -> Iterator[tuple[int, Record]]:
    """The records on the whole lines of `data`; a line that is cut or broken gives none."""
    for line in data.split(b"\n"):
        try:
            yield offset, decode_record(line)
        except BROKEN:
            pass
        offset += len(line) + 1


class _MidReader:
    """Reads a recording from its middle on."""

    def __init__(self, header: Header, dialect: str | None) -> None:
        self._analysis = Analysis(header, dialect=dialect)
        self._index = BodyIndex()
        self._rows = RowTable(self._index)
        self._t0: dict[int, int] = {}
        # Item and deltas of each row, which cannot be read again from the middle, and its `t0`.
        self._read: list[tuple[ReadBack, int | None]] = []
        self._coded: set[int] = set()
        # Of a body that is read from its middle on: the bytes before the first blank line.
        self._joining: dict[int, bytes] = {}
        self._joined: dict[int, int] = {}

    def head(self, records: list[Record]) -> None:
        """What the beginning of the file says about connections that may last to its end."""
        for record in records:
            self._note(record)

    def _note(self, record: Record) -> None:
        if isinstance(record, Request):
            self._t0.setdefault(record.turn, record.t)
        elif isinstance(record, Response) and not ContentDecoder(record.headers).identity:
            self._coded.add(record.conn)

    def take(self, offset: int, record: Record) -> None:
        """A record of the end of the file, whose line begins at `offset`."""
        self._note(record)
        if isinstance(record, Request):
            self._joined[record.conn] = 0
        if isinstance(record, Chunk):
            # A coded body cannot be read from its middle.
            if record.conn in self._coded:
                return
            self._index.add(offset, record)
            if record.conn not in self._joined:
                self._join(record)
        self._add(self._analysis.feed(record), offset)

    def _join(self, record: Chunk) -> None:
        data = self._joining.get(record.conn, b"") + record.data
        ends = [data.find(end) + len(end) for end in (b"\n\n", b"\r\n\r\n", b"\r\r") if end in data]
        if ends:
            self._joined[record.conn] = min(ends)
            self._joining.pop(record.conn, None)
        else:
            self._joining[record.conn] = data

    def _add(self, entries: list[Entry], offset: int) -> None:
        whole = [
            entry for entry in entries if entry.item is None or self._joined_before(entry.conn, entry.item)
        ]
        for entry in whole:
            entry.span = None
        self._rows.extend(whole, offset, self._analysis.turn)
        shown = [entry for entry in whole if entry.kind not in HIDDEN]
        self._read += [((entry.item, entry.deltas), self._t0.get(entry.turn)) for entry in shown]

    def _joined_before(self, conn: int, item: Item) -> bool:
        return item.start >= self._joined.get(conn, 1 << 62)

    def last(self, path: Path, most: int) -> list[GlimpsedRow]:
        """The last rows, their bytes read back."""
        first = max(0, len(self._rows) - most)
        with BodyReader(path, self._index) as reader:
            return [
                GlimpsedRow(replace(self._rows.row(first + place, reader, known), number=0), t0)
                for place, (known, t0) in enumerate(self._read[first:])
            ]
