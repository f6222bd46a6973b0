"""The table of service level objectives over the finished turns of a session."""

from __future__ import annotations

from collections.abc import Sequence

from sse_tui.analysis.turn import Turn
from sse_tui.metrics import Bounds, Finished, Objective, evaluate

# Whether an outcome counts as complete. One that is not here tells nothing: a stopped turn, or an orderly end of a
# dialect without an end marker.
_COMPLETE = {"complete": True, "truncated": False, "error": False, "refused": False, "failed": False}
_ERRORS = frozenset(["error", "refused", "failed"])


def objective_rows(bounds: Bounds, turns: Sequence[Turn]) -> list[Objective]:
    """The rows for the turns that are over and that nobody stopped; [] where there is none."""
    finished = [_finished(turn) for turn in turns if turn.over and turn.outcome != "stopped"]
    return evaluate(bounds, finished) if finished else []


def _finished(turn: Turn) -> Finished:
    return Finished(
        ttft=turn.clocks.clocks().ttft,
        tpot=turn.tpot.ms,
        gaps=turn.gaps.between,
        complete=_COMPLETE.get(turn.outcome),
        error=turn.outcome in _ERRORS,
    )
