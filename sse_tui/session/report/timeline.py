"""Where on a connection everything happened: by time, or by place in the body where there are no times.

Only numbers are kept, 8 bytes each, so that a long recording costs little.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from heapq import nlargest
from itertools import pairwise
from typing import NamedTuple

from sse_tui.eventstream import Event, Item
from sse_tui.recording.records import Chunk, Close, Fault, Note, Record
from sse_tui.session.entry import Entry

MARKS_KEPT = 200


class Mark(NamedTuple):
    """Something that happened at one place: `kind` is "fault", "note" or "close"."""

    at: int
    kind: str
    text: str


@dataclass
class Timeline:
    """One connection. Places are ns since the session's start where `timed`, else byte offsets in the body.

    `reads` are where reads came and `sizes` how many bytes each brought; `events` are all dispatched events, `tokens`
    those that bear tokens; `beats` are comments.
    """

    conn: int
    timed: bool
    start: int = 0
    reads: array[int] = field(default_factory=lambda: array("q"))
    sizes: array[int] = field(default_factory=lambda: array("q"))
    events: array[int] = field(default_factory=lambda: array("q"))
    tokens: array[int] = field(default_factory=lambda: array("q"))
    beats: array[int] = field(default_factory=lambda: array("q"))
    marks: list[Mark] = field(default_factory=list)
    _size: int = 0
    _last: int = 0

    def record(self, record: Record) -> None:
        """Take a record of this connection."""
        at = record.t if self.timed else self._size
        if record.t > self._last:
            self._last = record.t
        if type(record) is Chunk:
            size = record.size
            self.reads.append(at)
            self.sizes.append(size)
            self._size += size
        elif isinstance(record, Fault):
            self._mark(at, "fault", f"{record.plan}: {record.did}")
        elif isinstance(record, Close):
            self._mark(at, "close", f"{record.reason}: {record.detail}" if record.detail else record.reason)

    def note(self, record: Note) -> None:
        """Take a note that was written while this connection ran."""
        self._mark(record.t if self.timed else self._size, "note", record.text)

    def entry(self, entry: Entry, item: Item) -> None:
        """Take an entry of this connection, which is `item`."""
        at = entry.t if self.timed else item.end
        if at is None:
            return
        if type(item) is Event:
            self.events.append(at)
            # What an event wrote of the answer is what it bore of tokens.
            if entry.span is not None:
                self.tokens.append(at)
        elif entry.kind == "comment":
            self.beats.append(at)

    @property
    def end(self) -> int:
        """The last place."""
        return max(self._last if self.timed else self._size, self.start + 1)

    def gaps(self, most: int = 5) -> list[tuple[int, int]]:
        """The longest silences between reads, (from, to), the longest first; [] without times."""
        if not self.timed:
            return []
        places = [self.start, *self.reads, self.end]
        pairs = nlargest(most, pairwise(places), key=lambda pair: pair[1] - pair[0])
        return [(begin, end) for begin, end in pairs if end > begin]

    def _mark(self, at: int, kind: str, text: str) -> None:
        if len(self.marks) < MARKS_KEPT:
            self.marks.append(Mark(at, kind, text))
