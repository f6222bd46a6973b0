"""The wire log as a table: a few bytes a row in memory, everything else read back from the recording when shown.

A million rows cost about 27 bytes each here and about as much in the recording's offset index; the text of a row is
never kept. A row that is shown is parsed again from its bytes, by the same parser and dialect that read it first.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass

from sse_tui import dialects
from sse_tui.analysis.entry import ITEM_KINDS, Entry, Span
from sse_tui.dialects.base import Delta, Reasoning, Refusal, Text, ToolCall
from sse_tui.eventstream import Event, Ignored, Item, Parser
from sse_tui.recording import BodyIndex, BodyReader
from sse_tui.recording.column import Column
from sse_tui.recording.records import Record

LABELS = (
    "event", "token", "reasoning", "tool", "refusal", "usage", "finish", "done", "error", "role", "ping", "progress",
    "malformed", "comment", "retry", "ignored", "no-data", "tail", "repeat",
    "request", "phase", "response", "fault", "close", "reconnect", "note", "end",
)  # fmt: skip
_CODES = {label: code for code, label in enumerate(LABELS)}
_FIRST_RECORD = _CODES["request"]
HIDDEN = frozenset({"phase"})
_WRITTEN = (Text, Reasoning, Refusal, ToolCall)


@dataclass(frozen=True, slots=True)
class Row:
    """A row as it is shown. Times are ms since the turn's request; None where there is no clock or no gap."""

    index: int
    label: str
    conn: int
    number: int
    start: int
    end: int
    t_ns: int | None
    gap_ms: float | None
    same_read: bool
    raw: bytes
    item: Item | None
    deltas: tuple[Delta, ...]
    record: Record | None
    span: Span | None


class RowTable:
    """Rows of the wire log over a recording's file and its offset index."""

    def __init__(self, index: BodyIndex) -> None:
        self._index = index
        self._label = array("B")
        self._conn = Column("I")
        self._start = Column("Q")
        self._size = Column("I")
        self._number = Column("I")
        self._span_start = Column("I")
        self._span_size = Column("H")
        self._dialects: dict[int, str] = {}
        self._firsts: dict[int, int] = {}
        # False for a recording without a clock: its times mean nothing and are not given.
        self.timed = True
        self.turn_starts: list[int] = []
        self._turn = 0

    def __len__(self) -> int:
        return len(self._label)

    def add(self, entry: Entry, file_offset: int, dialect: str = "generic") -> bool:
        """Append an entry's row; `file_offset` is where its record's line starts, `dialect` reads its connection.

        False for entries that are not shown.
        """
        if entry.kind in HIDDEN:
            return False
        label = "repeat" if entry.repeat else entry.label
        if entry.turn != self._turn and entry.kind == "request":
            self._turn = entry.turn
            self.turn_starts.append(len(self._label))
        item = entry.item
        if entry.conn not in self._dialects:
            self._firsts[entry.conn] = len(self._label)
        self._dialects[entry.conn] = dialect
        self._label.append(_CODES.get(label, 0))
        self._conn.append(entry.conn)
        self._start.append(item.start if item is not None else file_offset)
        self._size.append(item.end - item.start if item is not None else 0)
        self._number.append(entry.number)
        start, end = entry.span or (0, 0)
        self._span_start.append(start)
        self._span_size.append(min(end - start, 0xFFFF))
        return True

    def label(self, index: int) -> str:
        """The row's label alone, without touching the file."""
        return LABELS[self._label[index]]

    def codes(self, start: int = 0) -> bytes:
        """The label codes, places in `LABELS`, of the rows from `start` on: a byte a row, for filtering in bulk."""
        return self._label[start:].tobytes()

    def conn(self, index: int) -> int:
        """The row's connection."""
        return self._conn[index]

    def number(self, index: int) -> int:
        """The row's event number in its connection, 0 for what is no event."""
        return self._number[index]

    def span(self, index: int) -> Span | None:
        """The part of the turn's transcript the row wrote; None for none."""
        size = self._span_size[index]
        return (self._span_start[index], self._span_start[index] + size) if size else None

    def turn_of(self, index: int) -> int:
        """Position in `turn_starts` of the turn that the row belongs to; -1 before the first request."""
        low, high = 0, len(self.turn_starts)
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if self.turn_starts[middle] <= index else (low, middle)
        return low - 1

    def at_span(self, turn: int, offset: int) -> int | None:
        """The row that wrote the transcript's character `offset` of the turn at this position in `turn_starts`."""
        first = self.turn_starts[turn] if 0 <= turn < len(self.turn_starts) else 0
        last = self.turn_starts[turn + 1] if turn + 1 < len(self.turn_starts) else len(self)
        for index in range(first, last):
            size = self._span_size[index]
            if size and self._span_start[index] <= offset < self._span_start[index] + size:
                return index
        return None

    def event_row(self, conn: int, number: int) -> int | None:
        """The row of a connection's event of this number; None while there is none."""
        first = self._firsts.get(conn)
        if first is None:
            return None
        try:
            row = self._number.index(number, first)
        except ValueError:
            return None
        return row if self._conn[row] == conn else None

    def byte_row(self, conn: int, start: int, end: int) -> int | None:
        """The row of the item that is these bytes of a connection's body, or the least item that holds the first.

        Comments and lines that are ignored have rows of their own inside the event that they stand in. Where no item
        holds that byte it is the row of the first item after it, None while there is none.
        """
        within: int | None = None
        after: int | None = None
        for row in range(self._end_of(conn) - 1, self._firsts.get(conn, len(self)) - 1, -1):
            if self._conn[row] != conn or self._label[row] >= _FIRST_RECORD:
                continue
            if self._start[row] > start:
                after = row
            elif self._start[row] + self._size[row] <= start:
                break
            elif self._start[row] == start and self._size[row] == end - start:
                return row
            elif within is None or self._size[row] < self._size[within]:
                within = row
        return within if within is not None else after

    def last_row(self, conn: int) -> int | None:
        """The last row of a connection so far."""
        for row in range(self._end_of(conn) - 1, self._firsts.get(conn, len(self)) - 1, -1):
            if self._conn[row] == conn:
                return row
        return None

    def closed(self, conn: int) -> bool:
        """Whether a connection brings no further rows."""
        row = self.last_row(conn)
        return row is not None and LABELS[self._label[row]] in {"close", "reconnect"}

    def _end_of(self, conn: int) -> int:
        """Where the rows of a connection end at the latest: where those of a later one begin."""
        first = self._firsts.get(conn)
        if first is None:
            return 0
        return min((other for other in self._firsts.values() if other > first), default=len(self))

    def row(self, index: int, reader: BodyReader) -> Row:
        """The whole row, read back from the recording."""
        code, conn, start = self._label[index], self._conn[index], self._start[index]
        if code >= _FIRST_RECORD:
            record = reader.record(start)
            t = record.t if self.timed else None
            return Row(index, LABELS[code], conn, 0, 0, 0, t, None, False, b"", None, (), record, None)
        end = start + self._size[index]
        raw = reader.body(conn, start, end)
        item = _parse(raw, LABELS[code])
        chunk = self._chunk(index)
        previous = self._previous_event(index)
        before = self._chunk(previous) if previous is not None else None
        t = self._index.t_of(chunk) if chunk is not None and self.timed else None
        gap = None
        if before is not None and before != chunk and t is not None and code != _CODES["comment"]:
            gap = (t - self._index.t_of(before)) / 1e6
        return Row(
            index=index,
            label=LABELS[code],
            conn=conn,
            number=self._number[index],
            start=start,
            end=end,
            t_ns=t,
            gap_ms=gap,
            same_read=self.timed and chunk is not None and chunk == before,
            raw=raw,
            item=item,
            deltas=_deltas(item, self._dialects.get(conn, "generic"), self.span(index)),
            record=None,
            span=self.span(index),
        )

    def _chunk(self, index: int) -> int | None:
        last_byte = self._start[index] + max(self._size[index], 1) - 1
        return self._index.chunk_at(self._conn[index], last_byte)

    def _previous_event(self, index: int) -> int | None:
        conn = self._conn[index]
        for earlier in range(index - 1, max(-1, index - 512), -1):
            if self._conn[earlier] == conn and self._number[earlier]:
                return earlier
        return None


def _parse(raw: bytes, label: str) -> Item | None:
    """The item that these bytes are, parsed alone: offsets are those of the slice, an inherited id is not known."""
    parser = Parser()
    items = parser.feed(raw)
    wanted = label if label in ITEM_KINDS.values() else "event"
    items += parser.close()
    return next((item for item in items if ITEM_KINDS[type(item)] == wanted), items[0] if items else None)


def _deltas(item: Item | None, dialect: str, span: Span | None) -> tuple[Delta, ...]:
    """What the item means, read alone. An event that repeats at its end what had come before wrote nothing."""
    if isinstance(item, Event):
        deltas = dialects.create(dialect).read(item)
    elif isinstance(item, Ignored):
        deltas = dialects.create(dialect).read_ignored(item.line)
    else:
        return ()
    return tuple(delta for delta in deltas if span is not None or not isinstance(delta, _WRITTEN))
