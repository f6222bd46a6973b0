"""Reading rows again exactly as they were read first.

What an event means depends on the events before it: dialects number tool calls, give a role once, detect themselves. So
a row cannot be read alone. While a turn is read for the first time its state is kept every hundred rows or so, pickled,
which is small and shares nothing with the state that goes on; a row that is shown is read from the last state before it
on. A stretch between two states stays decoded for a while, since whoever looks at a row looks at its neighbours next.
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

from sse_tui.dialects import Dialect
from sse_tui.dialects.base import Delta
from sse_tui.eventstream import Comment, Event, Ignored, Item, Parser, Tail

EVERY = 128
"""Rows after which a state is kept, or the bytes after which one is, if those come first."""
EVERY_BYTES = 1 << 18
CACHED_BYTES = 1 << 20
"""Bytes of the rows in the stretches that stay decoded."""
STATE_BYTES_A_ROW = 8
"""A state larger than this a row is kept less often: of a state that grows with the answer, few are kept."""
_BOM = b"\xef\xbb\xbf"

ReadBack: TypeAlias = tuple[Item | None, Sequence[Delta]]
"""The item that a row is, None for records, and its deltas."""


@dataclass(slots=True)
class Reading:
    """The state of a turn between two rows, and how it goes on."""

    dialect: Dialect
    last_event_id: str

    def item(self, raw: bytes, start: int) -> Item | None:
        """The item that these bytes at `start` in the body end with; None when they are not what they once were."""
        # No limit: whatever has a row was within that of the session.
        parser = Parser(sys.maxsize, self.last_event_id)
        # The parser takes the first byte order mark off, but here it is part of a line: the body's own is in no item.
        mark = _BOM if raw.startswith(_BOM) else b""
        items = parser.feed(mark + raw)
        if not items:
            return None
        self.last_event_id = parser.last_event_id
        item, shift = items[-1], start - len(mark)
        return item._replace(start=item.start + shift, end=item.end + shift)

    def deltas(self, item: Item | None) -> Sequence[Delta]:
        """What the item means in the turn's dialect, which goes on to the state after it."""
        if type(item) is Event:
            return self.dialect.read(item)
        if type(item) is Ignored:
            return self.dialect.read_ignored(item.line)
        if type(item) is Tail:
            return self.dialect.read_ignored(item.text)
        if type(item) is Comment:
            self.dialect.comment_seen(item.text)
        return ()


@dataclass(slots=True)
class _Stretch:
    """Rows from `start` on that are read already, and the state after them."""

    start: int
    reading: Reading
    rows: list[ReadBack] = field(default_factory=list)
    size: int = 0


class Rereader:
    """The states kept of all turns, and the rows read from them."""

    def __init__(self) -> None:
        self._rows = array("Q")
        self._states: list[tuple[bytes, str]] = []
        self._size = 0
        self._cache: OrderedDict[int, _Stretch] = OrderedDict()

    def begin(self, row: int, dialect: Dialect) -> None:
        """A turn begins at `row`; `dialect` has read nothing yet."""
        self._keep(len(self._rows), row, Reading(dialect, ""))
        self._size = 0

    def grown(self, rows: int, size: int, dialect: Dialect, last_event_id: str) -> None:
        """There are now so many rows; `size` bytes came with the new ones, `dialect` has read them all."""
        self._size += size
        if self._due(len(self._rows) - 1, rows - self._rows[-1], self._size):
            self._keep(len(self._rows), rows, Reading(dialect, last_event_id))
            self._size = 0

    def _due(self, place: int, rows: int, size: int) -> bool:
        state = len(self._states[place][0])
        return rows >= max(EVERY, state // STATE_BYTES_A_ROW) or size >= max(EVERY_BYTES, 16 * state)

    def _keep(self, place: int, row: int, reading: Reading) -> None:
        """Keep a state at this place among all, its bytes only once where they are those of the state before."""
        state = pickle.dumps(reading.dialect, pickle.HIGHEST_PROTOCOL)
        if place and self._states[place - 1][0] == state:
            state = self._states[place - 1][0]
        self._rows.insert(place, row)
        self._states.insert(place, (state, reading.last_event_id))

    def read(self, row: int, step: Callable[[Reading, int], tuple[ReadBack, int]]) -> ReadBack:
        """What row number `row` was read as.

        `step` reads one row from the state before it, which it takes on to the state after it, and gives the row's size
        in bytes too.
        """
        place = bisect_right(self._rows, row) - 1
        if place < 0:
            return None, ()
        stretch = self._stretch(place)
        while stretch.start + len(stretch.rows) <= row:
            following = stretch.start + len(stretch.rows)
            if stretch.rows and self._due(place, len(stretch.rows), stretch.size):
                # One read brought more than a stretch: the states within it are kept now that they are known.
                place += 1
                self._keep(place, following, stretch.reading)
                stretch = self._cached(_Stretch(following, stretch.reading))
            read, size = step(stretch.reading, following)
            stretch.rows.append(read)
            stretch.size += size
        return stretch.rows[row - stretch.start]

    def _stretch(self, place: int) -> _Stretch:
        start = self._rows[place]
        stretch = self._cache.get(start)
        if stretch is None:
            state, last_event_id = self._states[place]
            return self._cached(_Stretch(start, Reading(pickle.loads(state), last_event_id)))
        self._cache.move_to_end(start)
        return stretch

    def _cached(self, stretch: _Stretch) -> _Stretch:
        total = sum(other.size for other in self._cache.values())
        while self._cache and (total > CACHED_BYTES or len(self._cache) >= 8):
            total -= self._cache.popitem(last=False)[1].size
        self._cache[stretch.start] = stretch
        return stretch
