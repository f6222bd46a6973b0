"""The heartbeats of a connection: how many there were, and how regularly they come."""

from __future__ import annotations

from collections import deque
from statistics import median

from sse_tui.metrics.clocks import NS_PER_MS

_KEPT = 32
_NEEDED = 2


class Beats:
    """Takes heartbeats in order, with times in ns: a comment, or an event that serves as one."""

    def __init__(self) -> None:
        self.count = 0
        self.first: int | None = None
        self.last: int | None = None
        self._periods: deque[float] = deque(maxlen=_KEPT)
        self._quiet_periods: deque[float] = deque(maxlen=_KEPT)

    def beat(self, t: int, progress: int | None) -> None:
        """A heartbeat at `t`; the answer last made progress at `progress`."""
        last, self.last = self.last, t
        self.count += 1
        if last is None:
            self.first = t
        if last is None or t <= last:
            return  # the first one, or another one in the same read
        period = (t - last) / NS_PER_MS
        self._periods.append(period)
        if progress is None or progress <= last:
            self._quiet_periods.append(period)

    @property
    def period(self) -> float | None:
        """ms between heartbeats: the median of the observed gaps, None before there are two.

        Gaps without progress are preferred: many servers send a heartbeat only after some time of silence, which
        starts again with every event.
        """
        for periods in (self._quiet_periods, self._periods):
            if len(periods) >= _NEEDED:
                return median(periods)
        return None
