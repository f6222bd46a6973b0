"""Latency and throughput of a stream: pure functions of what happened and when. No clock, no I/O.

Times come in as integer ns of one monotonic clock; results are in ms.
"""

from sse_tui.metrics.beats import Beats
from sse_tui.metrics.clocks import ClockBuilder, Clocks
from sse_tui.metrics.gaps import STUTTER_MS, Gaps, Tpot, label_for
from sse_tui.metrics.idle import Idle, IdleView
from sse_tui.metrics.percentiles import Stats
from sse_tui.metrics.slo import Bounds, Finished, Objective, evaluate, passed

__all__ = [
    "STUTTER_MS",
    "Beats",
    "Bounds",
    "ClockBuilder",
    "Clocks",
    "Finished",
    "Gaps",
    "Idle",
    "IdleView",
    "Objective",
    "Stats",
    "Tpot",
    "evaluate",
    "label_for",
    "passed",
]
