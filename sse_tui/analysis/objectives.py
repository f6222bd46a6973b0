"""The table of service level objectives over the finished turns of a session."""

from __future__ import annotations

from collections.abc import Sequence

from sse_tui.analysis.outcome import Outcome
from sse_tui.analysis.turn import Turn
from sse_tui.metrics import Bounds, Finished, Objective, evaluate


def objective_rows(bounds: Bounds, turns: Sequence[Turn]) -> list[Objective]:
    """The rows for the turns that are over and that nobody stopped; [] where there is none."""
    finished = [
        Finished(
            ttft=turn.clocks.clocks().ttft,
            tpot=turn.tpot.ms,
            gaps=turn.gaps.between,
            complete=turn.outcome.complete,
            error=turn.outcome.failed,
        )
        for turn in turns
        if turn.over and turn.outcome is not Outcome.STOPPED
    ]
    return evaluate(bounds, finished) if finished else []
