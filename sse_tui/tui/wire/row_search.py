"""The find bar's search, run a slice at a time so that the screen never waits for it."""

from __future__ import annotations

import time
from collections.abc import Callable

from sse_tui.tui.wire.find_bar import FindBar
from sse_tui.tui.wire.finder import Finder
from sse_tui.tui.wire.wire_log import WireLog
from sse_tui.tui.wire.wire_source import WireSource

SLICE_S = 0.008
PAUSE_S = 0.016
SOON_S = 0.001
"""Not 0: Textual divides by a timer's interval."""


class RowSearch:
    """Searches the rows for what the find bar holds. `later(delay, callback)` runs the next slice."""

    def __init__(
        self,
        log: WireLog,
        source: WireSource,
        bar: FindBar,
        later: Callable[[float, Callable[[], None]], object],
    ) -> None:
        self._log = log
        self._source = source
        self._bar = bar
        self._later = later
        self._finder: Finder | None = None
        self._origin = 0
        self._jumped = False
        self._waiting = False

    def start(self, query: str) -> None:
        """Search anew from the selected row on."""
        self._origin = self._log.selected_row or 0
        self._jumped = False
        self._finder = Finder(query, self._source.text) if query else None
        self._log.find(query)
        self._bar.count(0, 0, 1.0)
        self.resume()

    def resume(self, delay: float = SOON_S) -> None:
        """Search on when there are rows that were not searched yet."""
        if self._finder is not None and not self._waiting and self._finder.scanned < self._total:
            self._waiting = True
            self._later(delay, self._slice)

    @property
    def _total(self) -> int:
        return self._log.visible_rows.seen

    def _slice(self) -> None:
        self._waiting = False
        finder = self._finder
        if finder is None:
            return
        finished = finder.scan(self._total, time.perf_counter, SLICE_S)
        if not self._jumped and finder.matches and (finished or finder.matches[-1] >= self._origin):
            self._jumped = True
            row = finder.after(self._origin - 1)
            if row is not None:
                self._log.select_row(row)
        self._count()
        self.resume(PAUSE_S)

    def move(self, by: int) -> bool:
        """Go to the next (1) or previous (-1) match; False when there is none."""
        finder, row = self._finder, self._log.selected_row
        if finder is None or row is None:
            return False
        match = finder.after(row) if by > 0 else finder.before(row)
        if match is None:
            return False
        self._log.select_row(match)
        self._count()
        return True

    def _count(self) -> None:
        finder = self._finder
        if finder is not None:
            row = self._log.selected_row
            rank = finder.rank(row) if row is not None else 0
            self._bar.count(rank, len(finder.matches), finder.scanned / max(1, self._total))
