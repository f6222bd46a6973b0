"""A sparkline of text cells: from zero, capped to a width, with the top of its scale to print beside it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

BARS = "▁▂▃▄▅▆▇█"
CLIPPED = "↑"
UNKNOWN = "·"


@dataclass(frozen=True, slots=True)
class Spark:
    """`cells` is the drawing, `top` the value of a full bar, `clipped` how many cells stand above it."""

    cells: str
    top: float
    clipped: int = 0


def nice_ceiling(value: float) -> float:
    """The least of 1, 2 or 5 times a power of ten that is not below `value`."""
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    for step in (1, 2, 5):
        if value <= step * power * (1 + 1e-9):
            return step * power
    return 10 * power


def spark(values: Sequence[float | None], width: int, *, outlier: float = 4.0) -> Spark:
    """The last `width` values as bars, one a cell.

    None is a value that could not be observed and is drawn as a dot. The scale runs from zero to a round number above
    the largest value shown; values beyond `outlier` times the 90th percentile do not stretch it, they are drawn as
    an arrow, so that one stall does not flatten everything else.
    """
    shown = list(values[-width:]) if width > 0 else []
    known = sorted(value for value in shown if value is not None)
    if not known:
        return Spark(UNKNOWN * len(shown), 1.0)
    usual = known[min(len(known) - 1, int(len(known) * 0.9))]
    limit = usual * outlier if usual > 0 else known[-1]
    top = nice_ceiling(max((value for value in known if value <= limit), default=known[-1]))
    cells = [_cell(value, top) for value in shown]
    return Spark("".join(cells), top, cells.count(CLIPPED))


def _cell(value: float | None, top: float) -> str:
    if value is None:
        return UNKNOWN
    if value > top:
        return CLIPPED
    return BARS[min(len(BARS) - 1, max(0, math.ceil(value / top * len(BARS)) - 1))]
