"""The service level objectives of the session, evaluated again only when a turn has ended."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from sse_tui.analysis.objectives import objective_rows
from sse_tui.analysis.turn import Turn
from sse_tui.config import SloSection
from sse_tui.metrics import Bounds, Objective, passed


class Objectives:
    """`rows` is the table for the turns that are over, [] before the first one is."""

    def __init__(self, bounds: SloSection) -> None:
        self._bounds = Bounds(**msgspec.structs.asdict(bounds))
        self.rows: list[Objective] = []
        self._over = 0
        self._sum = (0, 0, 0)

    def sync(self, turns: Sequence[Turn]) -> tuple[int, int, int]:
        """How many objectives are met, how many are not, and how many there are."""
        # Only the last turn can be running.
        over = len(turns) - (bool(turns) and not turns[-1].over)
        if over != self._over:
            self._over = over
            self.rows = objective_rows(self._bounds, turns)
            failed = sum(row.state == "fail" for row in self.rows)
            self._sum = (passed(self.rows), failed, len(self.rows))
        return self._sum
