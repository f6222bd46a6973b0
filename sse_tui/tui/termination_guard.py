"""Ending on SIGTERM, on SIGHUP, or when the terminal is gone, even while the app cannot write to it.

Textual writes to the terminal from a thread behind a short queue. When the terminal hangs up that thread dies of the
write error; when nobody reads the terminal it waits forever. Either way the event loop soon waits for room in the
queue, and neither a signal handler of the loop nor a clean shutdown can run. So the signals are taken by handlers of
Python's own, which run even then, a thread watches for the hang-up, and both give the app a limited time to end.

Python waits for other threads when the main one has ended. A thread that does not end is given a limited time too.
"""

from __future__ import annotations

import asyncio
import os
import select
import signal
import sys
import termios
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any, NoReturn

GRACE_S = 10.0
WATCH_S = 0.5
SIGNALS = (signal.SIGTERM, signal.SIGHUP)


class TerminationGuard:
    """Calls `leave(exit code)` in the loop when the app must end; kills the process when that takes too long."""

    def __init__(self, leave: Callable[[int], None], *, grace_s: float = GRACE_S) -> None:
        self._leave = leave
        self._grace_s = grace_s
        self._loop: asyncio.AbstractEventLoop | None = None
        self._before: dict[signal.Signals, Any] = {}
        self._over = threading.Event()
        # The terminal's modes from before the app, put back when the app has to be cut off.
        self._fd = _terminal()
        self._modes = termios.tcgetattr(self._fd) if self._fd is not None else None
        self._asked = False
        self._code = 0

    def install(self) -> None:
        """Take the signals and watch the terminal. Called in the main thread, with the loop running."""
        self._loop = asyncio.get_running_loop()
        for number in SIGNALS:
            self._before[number] = signal.signal(number, self._signalled)
        if self._fd is not None:
            threading.Thread(target=self._watch, args=(self._fd,), daemon=True).start()
        threading.Thread(target=self._outlast_main, daemon=True).start()

    def uninstall(self) -> None:
        """Give the signals back: the app has ended."""
        self._over.set()
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before.clear()

    def _signalled(self, number: int, _frame: FrameType | None) -> None:
        if self._fd is not None and hung_up(self._fd):
            _detach()
        self._ask(128 + number)

    def _ask(self, code: int) -> None:
        if self._asked or self._loop is None:
            return
        self._asked = True
        self._code = code
        threading.Thread(target=self._cut_off, args=(code,), daemon=True).start()
        self._loop.call_soon_threadsafe(self._leave, code)

    def _cut_off(self, code: int) -> None:
        """End the process when the app did not in time. Its children end with it: their input closes."""
        if not self._over.wait(self._grace_s):
            self._end(code)

    def _outlast_main(self) -> None:
        """End the process when another thread still runs long after the main one. Python ends this thread before."""
        # Polled: `join` could hold the lock that the main thread asserts to be free as it ends.
        while threading.main_thread().is_alive():
            time.sleep(WATCH_S)
        time.sleep(self._grace_s)
        self._end(self._code)

    def _end(self, code: int) -> NoReturn:
        if self._fd is not None and self._modes is not None:
            try:
                termios.tcsetattr(self._fd, termios.TCSANOW, self._modes)
            except (OSError, termios.error):
                pass
        os._exit(code)

    def _watch(self, fd: int) -> None:
        while not self._over.is_set():
            if hung_up(fd, WATCH_S):
                _detach()
                self._ask(128 + signal.SIGHUP)
                return


def _terminal() -> int | None:
    """The file descriptor of the terminal that keys come from; None without a terminal."""
    try:
        fd = sys.__stdin__.fileno() if sys.__stdin__ is not None else -1
        return fd if os.isatty(fd) else None
    except (OSError, ValueError):
        return None


def hung_up(fd: int, wait_s: float = 0.0) -> bool:
    """Whether the terminal is gone; waits at most this long for it to go."""
    poll = select.poll()
    poll.register(fd, 0)
    return any(seen & (select.POLLHUP | select.POLLNVAL) for _, seen in poll.poll(wait_s * 1000))


def _detach() -> None:
    """Let what is still written go nowhere: the terminal is gone, and a write to it would be an error."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for fd in (1, 2):
        os.dup2(nowhere, fd)
    os.close(nowhere)
