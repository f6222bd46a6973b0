"""One clock for a session: nanoseconds since it started, and how the kernel's stamps are converted to it.

The kernel stamps a received segment with CLOCK_REALTIME, which can be stepped; everything else here is monotonic.
A stamp is converted with the smallest of 50 measured offsets: each measurement reads the two clocks one after the
other, so a delay between the two reads can only make the offset larger.
"""

from __future__ import annotations

import contextlib
import functools
import socket
import sys
import time

# Not in Python's socket module; the value of asm-generic, which x86, ARM and RISC-V share.
SO_TIMESTAMPNS = 35
_SAMPLES = 50
# A converted stamp this much later than now means that the wall clock was stepped; less is measuring error.
_TOLERANCE_NS = 1_000_000
# One this much earlier may mean that, too.
_OLD_NS = 50_000_000


class SessionClock:
    """Nanoseconds since the session started, on the monotonic clock.

    `source` is where the times of chunks come from on this platform, for the header of a recording: "kernel"
    (receive time by the kernel) or "read" (this clock right after the read). `origin_ns` is the session's start on the
    machine's monotonic clock; given to the clock of another process, that one goes on with the session.
    """

    def __init__(self, origin_ns: int | None = None) -> None:
        self.origin_ns = time.monotonic_ns() if origin_ns is None else origin_ns
        self._offset = measure_offset()
        self.source = "kernel" if sys.platform == "linux" else "read"
        if self.source == "kernel":
            _start_kernel_stamps()

    def now(self) -> int:
        """Nanoseconds since the session started."""
        return time.monotonic_ns() - self.origin_ns

    def from_realtime(self, ns: int) -> int:
        """Convert a recent CLOCK_REALTIME stamp to this clock; never later than now."""
        t = ns + self._offset - self.origin_ns
        now = self.now()
        if not now - _OLD_NS < t < now + _TOLERANCE_NS:
            # The wall clock may have been set since the offset was measured; or the bytes have waited.
            self.measure()
            t = ns + self._offset - self.origin_ns
        return min(t, now)

    def measure(self) -> None:
        """Measure the offset again: at each new connection, since the wall clock may have been set."""
        self._offset = measure_offset()


@functools.cache
def _start_kernel_stamps() -> int:
    """Have the kernel stamp segments from now on, for as long as this process lives.

    Linux stamps only while some socket wants it, and starts a moment after the first one asks; without this the
    first reads of a session would come without a stamp. Gives the descriptor that is kept open for it.
    """
    keeper = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    with contextlib.suppress(OSError):
        keeper.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    return keeper.detach()


def measure_offset() -> int:
    """Nanoseconds to add to CLOCK_REALTIME to get the monotonic clock."""
    return min(-time.time_ns() + time.monotonic_ns() for _ in range(_SAMPLES))  # in this order: see above
