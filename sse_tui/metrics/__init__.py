"""Latency and throughput of a stream: pure functions of what happened and when. No clock, no I/O.

Times come in as integer ns of one monotonic clock; results are in ms.
"""

from sse_tui.metrics.clocks import NS_PER_MS, ClockBuilder, Clocks
from sse_tui.metrics.gaps import STUTTER_MS, Gaps, Tpot
from sse_tui.metrics.idle import IDLE_LIMITS, Idle, IdleLimit, IdleView
from sse_tui.metrics.labels import ICL, ITL, label_for
from sse_tui.metrics.percentiles import P99_MIN_SAMPLES, Samples, Stats, percentile, summarize
from sse_tui.metrics.slo import Bounds, Finished, Objective, evaluate, passed

__all__ = [
    "ICL",
    "IDLE_LIMITS",
    "ITL",
    "NS_PER_MS",
    "P99_MIN_SAMPLES",
    "STUTTER_MS",
    "Bounds",
    "ClockBuilder",
    "Clocks",
    "Finished",
    "Gaps",
    "Idle",
    "IdleLimit",
    "IdleView",
    "Objective",
    "Samples",
    "Stats",
    "Tpot",
    "evaluate",
    "label_for",
    "passed",
    "percentile",
    "summarize",
]
