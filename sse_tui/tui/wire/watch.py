"""What the app wants to know of each entry as it passes: the longest gap, the last fault, an armed one that fired."""

from __future__ import annotations

from collections.abc import Iterable

from sse_tui.analysis.entry import Entry
from sse_tui.recording.records import Fault
from sse_tui.wirelog.rows import HIDDEN


class Watch:
    """Looks at entries in order. `slowest_row` is the row with the longest gap of the latest turn."""

    def __init__(self) -> None:
        self.slowest_ms = 0.0
        self.slowest_row: int | None = None
        self.last_fault = ""
        self.armed = ""
        self._row = 0
        self._turn = 0

    def see(self, entries: Iterable[Entry]) -> None:
        """Take in the entries of one look."""
        for entry in entries:
            if entry.kind in HIDDEN:
                continue
            if entry.turn != self._turn and entry.kind == "request":
                self._turn, self.slowest_ms, self.slowest_row = entry.turn, 0.0, None
            if entry.gap_ms is not None and entry.gap_ms > self.slowest_ms:
                self.slowest_ms, self.slowest_row = entry.gap_ms, self._row
            if isinstance(entry.record, Fault):
                self.last_fault = entry.record.did
                if entry.record.plan.strip() in self.armed:
                    self.armed = ""
            self._row += 1
