"""Reports on their way to the parent: whoever sends one need not wait until the parent reads."""

from __future__ import annotations

import os
import select
import threading
from dataclasses import dataclass


@dataclass(slots=True)
class _Waiting:
    rest: bytes
    state: str


class Outbox:
    """The pipe `fd`, which becomes non-blocking. Usable from any thread.

    What the pipe does not take at once waits here, and a thread hands it over as the parent reads. Reports of a state
    do not add up meanwhile: the next one of the same `state` takes the place of one that still waits.
    """

    def __init__(self, fd: int) -> None:
        os.set_blocking(fd, False)
        self._fd = fd
        self._waiting: list[_Waiting] = []
        self._handing_over = False
        self._changed = threading.Condition()

    def put(self, data: bytes, state: str = "") -> None:
        """Send a report; never waits. `state` names what it is about where only the latest such report counts."""
        with self._changed:
            if state:
                # The first may be half written.
                self._waiting[1:] = [one for one in self._waiting[1:] if one.state != state]
            self._waiting.append(_Waiting(data, state))
            if not self._handing_over and not self._write():
                self._handing_over = True
                threading.Thread(target=self._hand_over, name="outbox", daemon=True).start()

    def flush(self, limit_s: float | None = None) -> bool:
        """Wait until the parent has taken everything, or is gone; False when `limit_s` passed before."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._waiting, limit_s)

    def _write(self) -> bool:
        """Write what the pipe takes; True when nothing is left."""
        while self._waiting:
            first = self._waiting[0]
            try:
                first.rest = first.rest[os.write(self._fd, first.rest) :]
            except BlockingIOError:
                return False
            except BrokenPipeError:
                self._waiting.clear()
                break
            if not first.rest:
                self._waiting.pop(0)
        return True

    def _hand_over(self) -> None:
        poll = select.poll()
        poll.register(self._fd, select.POLLOUT)
        while True:
            poll.poll()
            with self._changed:
                if self._write():
                    self._handing_over = False
                    self._changed.notify_all()
                    return
