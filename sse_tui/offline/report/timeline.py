"""Where on a connection everything happened: by time, or by place in the body where there are no times.

Only numbers are kept, and neighbours are taken together where they are many: a drawing shows no more, and a recording
of any length costs little.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import heappush, heappushpop, nlargest
from typing import NamedTuple

from sse_tui.analysis.entry import Entry
from sse_tui.eventstream import Event, Item
from sse_tui.recording.records import Chunk, Close, Fault, Note, Record

MARKS_KEPT = 200
PLACES_KEPT = 1 << 15
GAPS_KEPT = 8


class Mark(NamedTuple):
    """Something that happened at one place: `kind` is "fault", "note" or "close"."""

    at: int
    kind: str
    text: str


class Places:
    """Places in order, and how much there was at each."""

    __slots__ = ("_at", "_count", "_weights")

    def __init__(self) -> None:
        self._at = array("q")
        self._weights = array("q")
        self._count = 0

    def __len__(self) -> int:
        """How many were added."""
        return self._count

    def __iter__(self) -> Iterator[tuple[int, int]]:
        """The places and their weights."""
        return zip(self._at, self._weights, strict=True)

    def add(self, at: int, weight: int = 1) -> None:
        """Something at `at`, which is not before the last one."""
        self._count += 1
        if self._at and self._at[-1] == at:
            self._weights[-1] += weight
            return
        self._at.append(at)
        self._weights.append(weight)
        if len(self._at) == PLACES_KEPT:
            self._at = self._at[::2]
            pairs = zip(self._weights[::2], self._weights[1::2], strict=True)
            self._weights = array("q", map(sum, pairs))


@dataclass
class Timeline:
    """One connection. Places are ns since the session's start where `timed`, else byte offsets in the body.

    `reads` are where reads came, weighted by the bytes they brought; `events` are all dispatched events, `tokens` those
    that bear tokens; `beats` are comments.
    """

    conn: int
    timed: bool
    start: int = 0
    reads: Places = field(default_factory=Places)
    events: Places = field(default_factory=Places)
    tokens: Places = field(default_factory=Places)
    beats: Places = field(default_factory=Places)
    marks: list[Mark] = field(default_factory=list)
    _size: int = 0
    _last: int = 0
    _first_read: int | None = None
    _last_read: int = 0
    _silences: list[tuple[int, int, int]] = field(default_factory=list)

    def record(self, record: Record) -> None:
        """Take a record of this connection."""
        at = record.t if self.timed else self._size
        if record.t > self._last:
            self._last = record.t
        if type(record) is Chunk:
            size = record.size
            self.reads.add(at, size)
            self._size += size
            if self._first_read is None:
                self._first_read = at
            else:
                self._silent(self._last_read, at)
            self._last_read = at
        elif isinstance(record, Fault):
            self._mark(at, "fault", f"{record.plan}: {record.did}")
        elif isinstance(record, Close):
            self._mark(at, "close", record.words)

    def note(self, record: Note) -> None:
        """Take a note that was written while this connection ran."""
        self._mark(record.t if self.timed else self._size, "note", record.text)

    def entry(self, entry: Entry, item: Item) -> None:
        """Take an entry of this connection, which is `item`."""
        at = entry.t if self.timed else item.end
        if at is None:
            return
        if type(item) is Event:
            self.events.add(at)
            # What an event wrote of the answer is what it bore of tokens.
            if entry.span is not None:
                self.tokens.add(at)
        elif entry.kind == "comment":
            self.beats.add(at)

    @property
    def end(self) -> int:
        """The last place."""
        return max(self._last if self.timed else self._size, self.start + 1)

    def gaps(self, most: int = 5) -> list[tuple[int, int]]:
        """The longest silences between reads, (from, to), the longest first; [] without times."""
        if not self.timed:
            return []
        pairs = [(-begin, -end) for _, begin, end in self._silences]
        if self._first_read is None:
            pairs.append((self.start, self.end))
        else:
            pairs += [(self.start, self._first_read), (self._last_read, self.end)]
        longest = nlargest(most, sorted(pairs), key=lambda pair: pair[1] - pair[0])
        return [(begin, end) for begin, end in longest if end > begin]

    def _silent(self, begin: int, end: int) -> None:
        """Nothing was read from `begin` to `end`. Of equal ones the first are kept."""
        silence = (end - begin, -begin, -end)
        if len(self._silences) < GAPS_KEPT:
            heappush(self._silences, silence)
        elif silence > self._silences[0]:
            heappushpop(self._silences, silence)

    def _mark(self, at: int, kind: str, text: str) -> None:
        if len(self.marks) < MARKS_KEPT:
            self.marks.append(Mark(at, kind, text))
