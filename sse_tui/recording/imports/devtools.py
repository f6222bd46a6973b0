"""Rows copied from the EventStream tab of a browser's developer tools: id, type, data and time, separated by tabs.

A message of several lines takes several lines here, too: the last of them ends with a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sse_tui.limits import MAX_EVENT_BYTES
from sse_tui.recording.imports.cut_lines import LineImporter
from sse_tui.recording.imports.piece import malformed
from sse_tui.recording.imports.rebuilt import NOTE, Rebuilder
from sse_tui.recording.imports.stamps import Elapsed, of_day
from sse_tui.recording.records import Close, Note, Record, chunk

LONGEST_END = 40
# A row ends with the line that ends with a time.
_END = re.compile(rb"\t(\d\d?):(\d\d):(\d\d)(?:[.,](\d{1,9}))?( ?[AaPp]\.?[Mm]\.?)?[ ]*\r?\n?$")
_TITLES = re.compile(rb"id\ttype\tdata\ttime\s*$", re.IGNORECASE)
_BEGUN = re.compile(rb"[^\t\r\n]{0,256}\t[^\t\r\n]{1,128}\t")
_PLAIN = re.compile(rb"[^\t\r\n]{0,256}\t[\w.:/-]{1,128}\t")
_FIELD = re.compile(rb"(?:data|event|id|retry)?:")


def may_be_table(first: bytes) -> bool:
    """Whether an input begins like such a table: with its titles, or with an id and a type."""
    line = first.partition(b"\n")[0]
    return bool(_TITLES.match(line) or (_BEGUN.match(line) and not _FIELD.match(line)))


def is_table(first: bytes, *, cut: bool) -> bool:
    """Whether an input with these first bytes is such a table; `cut` if there are more."""
    if not may_be_table(first):
        return False
    lines = first.split(b"\n")
    if cut and not any(map(_ends_row, lines[:-1])):
        # Only a message longer than these bytes leaves this open; then the type must be a plain word.
        return bool(_TITLES.match(lines[0]) or _PLAIN.match(lines[0]))
    return bool(_TITLES.match(lines[0])) or any(map(_ends_row, lines))


def _ends_row(line: bytes) -> bool:
    return _END.search(line, max(0, len(line) - LONGEST_END)) is not None


class EventStreamTable(LineImporter):
    """Each row as a chunk at its time, from 0 at the first row."""

    _notes = (Note(t=0, text=NOTE),)

    def __init__(self) -> None:
        super().__init__()
        self._row = bytearray()
        self._tail = b""
        self._number = 0
        self._elapsed = Elapsed()
        self._rebuilder = Rebuilder()

    def _take(self, begins: bool, line: bytes) -> Iterator[Record]:
        if not self._row and (not line.strip() or (not self._number and _TITLES.match(line))):
            return
        self._row += line
        if len(self._row) > MAX_EVENT_BYTES:
            raise self._wrong(f"is longer than {MAX_EVENT_BYTES} bytes")
        # A long line comes in parts, and its time may be cut between them.
        self._tail = (self._tail + line[-LONGEST_END:])[-LONGEST_END:]
        tail = self._tail
        end = _END.search(tail) if line.endswith(b"\n") else None
        if end is not None:
            row = bytes(self._row)
            self._row.clear()
            self._tail = b""
            yield self._message(row[: len(row) - (len(tail) - end.start())], end)
            self._number += 1

    def _close(self) -> Iterator[Record]:
        if self._held:
            self._held += b"\n"
        yield from super()._close()
        if self._row:
            raise self._wrong("does not end with a time")
        yield Close(t=self._t, turn=1, conn=1, reason="eof")

    def _message(self, row: bytes, end: re.Match[bytes]) -> Record:
        cells = row.decode("utf-8", "replace").split("\t", 2)
        if len(cells) < 3:
            raise self._wrong("does not have the four columns id, type, data and time")
        hours = int(end[1])
        if end[5]:
            hours = hours % 12 + 12 * (end[5].strip()[:1] in b"Pp")
        self._t = self._elapsed.at(of_day(hours, int(end[2]), int(end[3]), (end[4] or b"0").decode()))
        return chunk(self._t, self._rebuilder.block(cells[1], cells[2], cells[0]), turn=1, conn=1)

    def _wrong(self, what: str) -> Exception:
        return malformed(
            "devtools",
            f"Row {self._number + 1} of the table {what}.",
            "Copy complete rows of the EventStream tab: id, type, data, time.",
        )
