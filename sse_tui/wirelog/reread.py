"""Reading rows again exactly as they were read the first time.

What an event means depends on the events before it: dialects number tool calls, give a role once, detect themselves.
So a row cannot be read alone. While a turn is read for the first time, the state of its dialect is saved every hundred
rows or so; a row that is shown is read from the last state saved before it. The state is pickled, not copied: that is
small, and equal states are kept once. The rows between two states stay decoded for a while, since after one row its
neighbours are shown.
"""

from __future__ import annotations

import pickle
import sys
from array import array
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from sse_tui.bodies import OWN_READERS, Form, reader_of
from sse_tui.dialects import Dialect
from sse_tui.dialects.base import Delta
from sse_tui.dialects.markup import deltas_of, deltas_of_line
from sse_tui.eventstream import Comment, Event, Ignored, Item, Parser, Tail

EVERY = 128
"""A state is saved after this many rows, or after the bytes below, whichever comes first."""
EVERY_BYTES = 1 << 18
CACHED_BYTES = 1 << 20
"""Bytes of the rows in the stretches that stay decoded."""
STATE_BYTES_A_ROW = 8
"""A state may take this much per row since the last: a large one is tried again after twice as many rows."""
_BOM = b"\xef\xbb\xbf"
_JSON = frozenset(b'{["-0123456789tfn')  # what JSON values begin with

ReadBack: TypeAlias = tuple[Item | None, Sequence[Delta]]
"""The item of a row, None for records, and its deltas."""


@dataclass(slots=True)
class Reading:
    """The state of a turn between two rows; reading the next row changes it."""

    dialect: Dialect
    last_event_id: str

    def item(self, raw: bytes, start: int, form: Form = Form.EVENTS) -> Item | None:
        """The item that these bytes at `start` of the body are; None when the file was changed and they are none.

        `form` is that of the body, where the item is an event. What follows JSON in it may be an event stream.
        """
        # No limit: what has a row was within the limit of the session when it was read first.
        if form in OWN_READERS and (form is Form.FRAMES or (raw and raw[0] in _JSON)):
            reader = reader_of(form, sys.maxsize, self.last_event_id)
            if form is Form.ARRAY:
                reader.feed(b"[")
                start -= 1
            read = reader.feed(raw) or reader.close()
            return _moved(read[0], start) if read else None
        parser = Parser(sys.maxsize, self.last_event_id)
        # The parser removes a byte order mark at its start. No item includes that of the body: this one is in a line.
        mark = _BOM if raw.startswith(_BOM) else b""
        items = parser.feed(mark + raw)
        if not items:
            return None
        self.last_event_id = parser.last_event_id
        return _moved(items[-1], start - len(mark))

    def deltas(self, item: Item | None) -> Sequence[Delta]:
        """What the item means in the turn's dialect."""
        if type(item) is Event:
            return deltas_of(self.dialect, item)
        if type(item) is Ignored:
            return deltas_of_line(self.dialect, item.line)
        if type(item) is Tail:
            return deltas_of_line(self.dialect, item.text)
        if type(item) is Comment:
            self.dialect.comment_seen(item.text)
        return ()


def _moved(item: Item, by: int) -> Item:
    return item._replace(start=item.start + by, end=item.end + by)


@dataclass(slots=True)
class _Stretch:
    """Rows from `start` on that were read again, and the state after them."""

    start: int
    reading: Reading
    rows: list[ReadBack] = field(default_factory=list)
    size: int = 0
    wait: int = 1


class Rereader:
    """The saved states of all turns, and the rows that were read again from them."""

    def __init__(self) -> None:
        self._rows = array("Q")
        self._states: list[tuple[bytes, str]] = []
        self._size = 0
        self._wait = 1
        self._cache: OrderedDict[int, _Stretch] = OrderedDict()

    def begin(self, row: int, dialect: Dialect) -> None:
        """A turn begins at `row`; `dialect` has read nothing yet."""
        self._rows.append(row)
        self._states.append((pickle.dumps(dialect, pickle.HIGHEST_PROTOCOL), ""))
        self._size, self._wait = 0, 1

    def grown(self, rows: int, size: int, dialect: Dialect, last_event_id: str) -> None:
        """There are now `rows` rows, the new ones `size` bytes together; `dialect` has read them all."""
        self._size += size
        since = rows - self._rows[-1]
        if since >= EVERY * self._wait or self._size >= EVERY_BYTES * self._wait:
            if self._save(len(self._rows), rows, Reading(dialect, last_event_id), since, self._size):
                self._size, self._wait = 0, 1
            else:
                self._wait *= 2

    def _save(self, number: int, row: int, reading: Reading, rows: int, size: int) -> bool:
        """Save the state before `row` at this index of the list; `rows` and `size` have come since the last one.

        False when it is too large for that, and for JSON in it that is nested deeper than pickle follows.
        """
        try:
            state = pickle.dumps(reading.dialect, pickle.HIGHEST_PROTOCOL)
        except RecursionError:
            return False
        before = self._states[number - 1][0]
        if state == before:
            state = before
        elif len(state) > max(rows * STATE_BYTES_A_ROW, size // 16):
            return False
        self._rows.insert(number, row)
        self._states.insert(number, (state, reading.last_event_id))
        return True

    def read(self, row: int, step: Callable[[Reading, int], tuple[ReadBack, int]]) -> ReadBack:
        """The item and the deltas of a row.

        `step` reads one row, given the state before it, which it turns into the state after it; it also gives the
        row's size in bytes.
        """
        number = bisect_right(self._rows, row) - 1
        if number < 0:
            return None, ()
        stretch = self._stretch(number)
        while stretch.start + len(stretch.rows) <= row:
            if len(stretch.rows) >= EVERY * stretch.wait or stretch.size >= EVERY_BYTES * stretch.wait:
                # One read brought so much that the next state saved is far: save some on the way.
                following = stretch.start + len(stretch.rows)
                if self._save(number + 1, following, stretch.reading, len(stretch.rows), stretch.size):
                    number += 1
                    stretch = self._cached(_Stretch(following, stretch.reading))
                else:
                    stretch.wait *= 2
            read, size = step(stretch.reading, stretch.start + len(stretch.rows))
            stretch.rows.append(read)
            stretch.size += size
        return stretch.rows[row - stretch.start]

    def _stretch(self, number: int) -> _Stretch:
        start = self._rows[number]
        stretch = self._cache.get(start)
        if stretch is None:
            state, last_event_id = self._states[number]
            return self._cached(_Stretch(start, Reading(pickle.loads(state), last_event_id)))
        self._cache.move_to_end(start)
        return stretch

    def _cached(self, stretch: _Stretch) -> _Stretch:
        total = sum(other.size for other in self._cache.values())
        while self._cache and (total > CACHED_BYTES or len(self._cache) >= 8):
            total -= self._cache.popitem(last=False)[1].size
        self._cache[stretch.start] = stretch
        return stretch
