"""Notices when the event loop did not turn: the process was stopped or got no processor, or a callback took long.

Meanwhile bytes wait in the socket. The kernel stamps them as they come, but merges segments that wait, and keeps the
stamp of the last one only. So what came while nobody could read must be marked.
"""

from __future__ import annotations

import asyncio
import time

_BEAT_S = 0.05
_BEAT_NS = int(_BEAT_S * 1e9)
# The loop counts as absent when a beat is late by this much. An absence of twice that is always noticed.
LATE_NS = 50_000_000


class LoopWatch:
    """Beats on a timer of the loop from `start` to `stop`. Times are of the monotonic clock, ns."""

    def __init__(self) -> None:
        self._timer: asyncio.TimerHandle | None = None
        self._due = 0
        self._turned = 0
        self._absent: int | None = None

    def start(self) -> None:
        """Begin to watch the running loop. Idempotent."""
        if self._timer is None:
            self._turned = time.monotonic_ns()
            self._due = self._turned + _BEAT_NS
            self._timer = asyncio.get_running_loop().call_later(_BEAT_S, self._beat)

    def stop(self) -> None:
        """Watch no more."""
        if self._timer is not None:
            self._timer.cancel()

    def absent_since(self, now: int) -> int | None:
        """Since when the loop had not turned when it came to what is done `now`; None where it was punctual.

        That is the last time it is known to have turned: it may have been absent at once after that.
        """
        if now - self._due > LATE_NS:
            # The socket's callback may run before the timer's.
            self._absent = self._absent if self._absent is not None else self._turned
            self._due = now + _BEAT_NS
        self._turned = now
        return self._absent

    def caught_up(self) -> None:
        """Nothing is left of what waited."""
        self._absent = None

    def _beat(self) -> None:
        now = time.monotonic_ns()
        if now - self._due <= LATE_NS:
            # Since the beat before, whatever waited has been read.
            self._absent = None
        else:
            self.absent_since(now)
        self._turned = now
        self._due = now + _BEAT_NS
        self._timer = asyncio.get_running_loop().call_later(_BEAT_S, self._beat)
