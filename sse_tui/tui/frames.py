"""When the screen is brought up to date: at most 30 times a second, and between frames while a file is being read."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

FRAME_S = 1 / 30
SLICE_PAUSE_S = 0.001


class Frames:
    """Calls `read` soon after `wake`, and `show` when a frame is due.

    `read` takes in a slice of what is new and is called again at once while it gives True: there is more. Both are
    called by `post`, which puts a callback among the app's messages: widgets change only there.
    """

    def __init__(
        self,
        read: Callable[[], bool],
        show: Callable[[], None],
        post: Callable[[Callable[[], None]], object],
    ) -> None:
        self._read = read
        self._show = show
        self._post = post
        self._due: asyncio.TimerHandle | None = None
        self._shown_at = 0.0
        self._stopped = False

    def wake(self) -> None:
        """There may be something new. Called from anywhere in the event loop."""
        self._schedule(max(0.0, self._shown_at + FRAME_S - time.monotonic()))

    def stop(self) -> None:
        """Call nothing any more."""
        self._stopped = True
        if self._due is not None:
            self._due.cancel()

    def _schedule(self, delay: float) -> None:
        if self._due is None and not self._stopped:
            self._due = asyncio.get_running_loop().call_later(delay, self._fire)

    def _fire(self) -> None:
        self._due = None
        self._post(self._frame)

    def _frame(self) -> None:
        if self._stopped:
            return
        more = self._read()
        # While a large file is read, most slices are not shown: drawing each would take longer than reading it.
        now = time.monotonic()
        if not more or now - self._shown_at >= FRAME_S:
            self._shown_at = now
            self._show()
        if more:
            self._schedule(SLICE_PAUSE_S)
