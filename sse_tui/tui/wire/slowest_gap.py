"""The longest gap between two events of the latest turn, found as the entries pass."""

from __future__ import annotations

from collections.abc import Iterable

from sse_tui.analysis.entry import Entry
from sse_tui.wirelog.rows import HIDDEN


class SlowestGap:
    """`row` is the row after the longest gap, None while no gap was observed."""

    def __init__(self) -> None:
        self.row: int | None = None
        self._gap_ms = 0.0
        self._next_row = 0
        self._turn = 0

    def add(self, entries: Iterable[Entry]) -> None:
        """Take in further entries; the row table counts its rows in the same way."""
        for entry in entries:
            if entry.kind in HIDDEN:
                continue
            if entry.turn != self._turn and entry.kind == "request":
                self._turn, self._gap_ms, self.row = entry.turn, 0.0, None
            if entry.gap_ms is not None and entry.gap_ms > self._gap_ms:
                self._gap_ms, self.row = entry.gap_ms, self._next_row
            self._next_row += 1
