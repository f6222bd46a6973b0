"""The wire log as a table: a few bytes a row in memory, everything else read back from the recording when shown.

A million rows cost about 29 bytes each here and about as much in the recording's offset index, most of it on the disk;
the text of a row is never kept. A row that is shown is read again from its bytes, see `reread`.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from sse_tui.analysis.entry import Entry, Span
from sse_tui.analysis.turn import Turn
from sse_tui.bodies import OWN_READERS, Form
from sse_tui.dialects.base import Delta
from sse_tui.eventstream import Ignored, Item, Tail
from sse_tui.recording import BodyIndex, BodyReader
from sse_tui.recording.column import Column
from sse_tui.recording.records import Record, Response
from sse_tui.wirelog.reread import ReadBack, Reading, Rereader

LABELS = (
    "event", "token", "reasoning", "tool", "refusal", "usage", "finish", "done", "error", "role", "ping", "progress",
    "malformed", "comment", "retry", "ignored", "no-data", "tail", "repeat",
    "request", "phase", "response", "fault", "close", "reconnect", "note", "end",
)  # fmt: skip
_CODES = {label: code for code, label in enumerate(LABELS)}
_FIRST_RECORD = _CODES["request"]
_REPEAT, _RESPONSE = _CODES["repeat"], _CODES["response"]
HIDDEN = frozenset({"phase"})
_LARGE_TAIL = 1 << 20
_AHEAD = 1 << 16


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
        self._span_size = Column("I")
        self._written = 0
        self._tails: dict[int, Tail | Ignored] = {}
        self._firsts: dict[int, int] = {}
        self._forms: dict[int, Form] = {}  # of connections whose body is not an event stream
        self._rereader = Rereader()
        # The connection, offset and bytes that were read last for the rereader: finding the chunks of each row
        # separately would take longer than reading them.
        self._window: tuple[int, int, bytes] = (0, 0, b"")
        # False for a recording without a clock: its times mean nothing and are left out.
        self.timed = True
        self.turn_starts: list[int] = []
        self._turn: Turn | None = None

    def __len__(self) -> int:
        return len(self._label)

    def extend(self, entries: Sequence[Entry], file_offset: int, turn: Turn | None) -> None:
        """Append the entries of one record.

        `file_offset` is where the record's line starts, `turn` the turn that the record belongs to, which has read it;
        None before the first. Records without entries must be passed too: they may begin a turn.
        """
        if turn is not self._turn and turn is not None:
            self._turn = turn
            self._written = 0
            self.turn_starts.append(len(self))
            # Of the stream it has read nothing yet if this is the request; else it may have read what comes now.
            unread = turn.dialect if entries and entries[0].kind == "request" else turn.dialect.again()
            self._rereader.begin(len(self), unread)
        if turn is not None and turn.connections and (conn := turn.connections[-1]).form in OWN_READERS:
            self._forms[conn.number] = conn.form
        size = 0
        for entry in entries:
            if entry.kind not in HIDDEN:
                size += self._add(entry, file_offset)
        if turn is not None:
            self._rereader.grown(len(self), size, turn.dialect, turn.last_event_id or "")

    def _add(self, entry: Entry, file_offset: int) -> int:
        """Append an entry's row; its size in bytes."""
        item = entry.item
        start, size = (file_offset, 0) if item is None else (item.start, item.end - item.start)
        if type(item) is Tail or (type(item) is Ignored and self._forms.get(entry.conn) is Form.FRAMES):
            # The tail of a body of ignored lines spans all of it: too much to read again for the little text it has.
            # What is wrong with a frame shows from those around it.
            self._tails[len(self)] = item
        self._firsts.setdefault(entry.conn, len(self))
        self._label.append(_CODES.get("repeat" if entry.repeat else entry.label, 0))
        self._conn.append(entry.conn)
        self._start.append(start)
        self._size.append(size)
        self._number.append(entry.number)
        first, end = entry.span or (self._written, self._written)
        self._written = end
        self._span_start.append(first)
        self._span_size.append(end - first)
        return size

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
        """The row's event number in its connection, 0 for anything but an event."""
        return self._number[index]

    def span(self, index: int) -> Span | None:
        """The part of the turn's transcript the row wrote; None for none."""
        size = self._span_size[index]
        return (self._span_start[index], self._span_start[index] + size) if size else None

    def turn_of(self, index: int) -> int:
        """Position in `turn_starts` of the turn that the row belongs to; -1 before the first request."""
        return bisect_right(self.turn_starts, index) - 1

    def at_span(self, turn: int, offset: int) -> int | None:
        """The row that wrote the transcript's character `offset` of the turn at this position in `turn_starts`."""
        first = self.turn_starts[turn] if 0 <= turn < len(self.turn_starts) else 0
        last = self.turn_starts[turn + 1] if turn + 1 < len(self.turn_starts) else len(self)
        # Rows that wrote nothing have the end of the text before them as their start, so that the starts are sorted.
        row = bisect_right(self._span_start, offset, first, last) - 1
        return row if row >= first and offset < self._span_start[row] + self._span_size[row] else None

    def event_row(self, conn: int, number: int) -> int | None:
        """The row of a connection's event with this number; None before it comes."""
        first = self._firsts.get(conn)
        if first is None:
            return None
        try:
            row = self._number.index(number, first)
        except ValueError:
            return None
        return row if self._conn[row] == conn else None

    def byte_row(self, conn: int, start: int, end: int) -> int | None:
        """The row of the item with these bytes of a connection's body, or else of the smallest with the first byte.

        Comments and ignored lines inside an event have rows of their own. Where no item holds that byte it is the row
        of the first item after it, None before one comes.
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

    def row(self, index: int, reader: BodyReader, known: ReadBack | None = None) -> Row:
        """The whole row, read back from the recording; `known` is its item and deltas, where the caller has them."""
        code, conn, start = self._label[index], self._conn[index], self._start[index]
        if code >= _FIRST_RECORD:
            record = reader.record(start)
            t = record.t if self.timed else None
            return Row(index, LABELS[code], conn, 0, 0, 0, t, None, False, b"", None, (), record, None)
        end = start + self._size[index]
        if index in self._tails and end - start > _LARGE_TAIL:
            start = max(start, self._end_before(index))
        item, deltas = known or self._rereader.read(
            index, lambda reading, row: self._read(reading, row, reader)
        )
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
            raw=self._in_window(conn, start, end) or reader.body(conn, start, end),
            item=item,
            deltas=tuple(deltas),
            record=None,
            span=self.span(index),
        )

    def _read(self, reading: Reading, index: int, reader: BodyReader) -> tuple[ReadBack, int]:
        """A row as it was read first, and its size."""
        code = self._label[index]
        if code >= _FIRST_RECORD:
            if code == _RESPONSE:
                record = reader.record(self._start[index])
                if isinstance(record, Response):
                    reading.dialect.headers_seen(record.headers)
            return (None, ()), 0
        item: Item | None = self._tails.get(index)
        size = self._size[index]
        if item is None:
            start, conn = self._start[index], self._conn[index]
            raw = self._bytes(conn, start, start + size, reader)
            form = self._forms.get(conn, Form.EVENTS) if self._number[index] else Form.EVENTS
            item = reading.item(raw, start, form)
        return (item, () if code == _REPEAT else reading.deltas(item)), size

    def _bytes(self, conn: int, start: int, end: int, reader: BodyReader) -> bytes:
        """Bytes of a body, and into the window those after them, for the next rows."""
        data = self._in_window(conn, start, end)
        if not data:
            ahead = min(start + _AHEAD, self._index.size(conn))
            window = reader.body(conn, start, max(end, ahead))
            self._window = conn, start, window
            data = window[: end - start]
        return data

    def _in_window(self, conn: int, start: int, end: int) -> bytes:
        known, at, window = self._window
        inside = conn == known and at <= start and end <= at + len(window)
        return window[start - at : end - at] if inside else b""

    def _chunk(self, index: int) -> int | None:
        last_byte = self._start[index] + max(self._size[index], 1) - 1
        return self._index.chunk_at(self._conn[index], last_byte)

    def _previous_event(self, index: int) -> int | None:
        conn = self._conn[index]
        for earlier in range(index - 1, max(-1, index - 512), -1):
            if self._conn[earlier] == conn and self._number[earlier]:
                return earlier
        return None

    def _end_before(self, index: int) -> int:
        """Where the bytes of the connection's row before this one end."""
        conn = self._conn[index]
        for earlier in range(index - 1, self._firsts[conn] - 1, -1):
            if self._conn[earlier] == conn and self._label[earlier] < _FIRST_RECORD:
                return self._start[earlier] + self._size[earlier]
        return 0
