"""Rows copied from the EventStream tab of a browser's developer tools: id, type, data, time, with tabs between.

A message of several lines takes several lines here too, up to the one that ends with a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sse_tui.limits import MAX_EVENT_BYTES
from sse_tui.recording.imports.marked import CutLines
from sse_tui.recording.imports.piece import Piece, malformed
from sse_tui.recording.imports.rebuilt import NOTE, Rebuilder
from sse_tui.recording.imports.stamps import DAY, NS
from sse_tui.recording.records import Close, End, Note, Record, chunk

LONGEST_END = 40
# Where the time ends a line, the row does.
_END = re.compile(rb"\t(\d\d?):(\d\d):(\d\d)(?:[.,](\d{1,9}))?( ?[AaPp]\.?[Mm]\.?)?[ ]*\r?\n?$")
_TITLES = re.compile(rb"id\ttype\tdata\ttime\s*$", re.IGNORECASE)
_BEGUN = re.compile(rb"[^\t\r\n]{0,256}\t[^\t\r\n]{1,128}\t")
_PLAIN = re.compile(rb"[^\t\r\n]{0,256}\t[\w.:/-]{1,128}\t")
_FIELD = re.compile(rb"(?:data|event|id|retry)?:")


def may_be_table(first: bytes) -> bool:
    """Whether an input begins as such a table does: with its titles, or the cells of an id and a type."""
    line = first.partition(b"\n")[0]
    return bool(_TITLES.match(line) or (_BEGUN.match(line) and not _FIELD.match(line)))


def is_table(first: bytes, *, cut: bool) -> bool:
    """Whether an input with these first bytes is such a table; `cut` says that they are not all of it."""
    if not may_be_table(first):
        return False
    lines = first.split(b"\n")
    if cut and not any(map(_ends_row, lines[:-1])):
        # Only a message longer than what is seen leaves it open, and then the type must be a plain word.
        return bool(_TITLES.match(lines[0]) or _PLAIN.match(lines[0]))
    return bool(_TITLES.match(lines[0])) or any(map(_ends_row, lines))


def _ends_row(line: bytes) -> bool:
    return _END.search(line, max(0, len(line) - LONGEST_END)) is not None


def records(pieces: Iterable[Piece]) -> Iterator[Record]:
    """The records of the rows: each a chunk at its time, from 0 at the first row."""
    table = _Table()
    lines = CutLines()
    yield Note(t=0, text=NOTE)
    for _, data in pieces:
        for part in lines.feed(data):
            yield from table.take(part.data)
    for part in lines.close():
        yield from table.take(part.data + b"\n")
    yield from table.close()


class _Table:
    def __init__(self) -> None:
        self._row: list[bytes] = []
        self._size = 0
        self._tail = b""
        self._number = 0
        self._first: int | None = None
        self._before = 0
        self._days = 0
        self._t = 0
        self._rebuilder = Rebuilder()

    def take(self, line: bytes) -> Iterator[Record]:
        if not self._row and (not line.strip() or (not self._number and _TITLES.match(line))):
            return
        self._row.append(line)
        self._size += len(line)
        if self._size > MAX_EVENT_BYTES:
            raise self._wrong(f"is longer than {MAX_EVENT_BYTES} bytes")
        # A long line comes in parts, and its time may be cut between them.
        self._tail = (self._tail + line[-LONGEST_END:])[-LONGEST_END:]
        tail = self._tail
        end = _END.search(tail) if line.endswith(b"\n") else None
        if end is not None:
            row = b"".join(self._row)
            self._row.clear()
            self._size, self._tail = 0, b""
            yield self._message(row[: len(row) - (len(tail) - end.start())], end)
            self._number += 1

    def close(self) -> Iterator[Record]:
        if self._row:
            raise self._wrong("does not end with a time")
        yield Close(t=self._t, turn=1, conn=1, reason="eof")
        yield End(t=self._t, reason="imported")

    def _message(self, row: bytes, end: re.Match[bytes]) -> Record:
        cells = row.decode("utf-8", "replace").split("\t", 2)
        if len(cells) < 3:
            raise self._wrong("has not the four columns id, type, data and time")
        self._t = max(self._t, self._time(end))
        return chunk(self._t, self._rebuilder.block(cells[1], cells[2], cells[0]), turn=1, conn=1)

    def _time(self, end: re.Match[bytes]) -> int:
        hours = int(end[1])
        if end[5]:
            hours = hours % 12 + 12 * (end[5].strip()[:1] in b"Pp")
        t = (hours * 3600 + int(end[2]) * 60 + int(end[3])) * NS + int((end[4] or b"0").ljust(9, b"0"))
        if self._first is None:
            self._first = t
        elif t < self._before - DAY // 2:
            self._days += 1
        self._before = t
        return t - self._first + self._days * DAY

    def _wrong(self, what: str) -> Exception:
        return malformed(
            "devtools",
            f"Row {self._number + 1} of the table {what}.",
            "Copy complete rows of the EventStream tab: id, type, data, time.",
        )
