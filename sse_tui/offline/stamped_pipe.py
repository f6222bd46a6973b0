"""A pipe read in a thread of its own, so that each read has the time at which its bytes came."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator

from sse_tui.recording import Piece

READ_SIZE = 64 * 1024
# How many bytes may wait to be taken. Beyond it the pipe is left unread, which holds its writer back.
AHEAD_BYTES = 16 * 2**20


class StampedPipe:
    """The rest of the pipe `fd`, as pieces with the time that `now` gives right after each read. Iterate once.

    Whoever takes the pieces parses, prints and waits for the reader of its own output; the times do not depend on it.
    Raises OSError as the read does.
    """

    def __init__(self, fd: int, now: Callable[[], int]) -> None:
        self._fd = fd
        self._now = now
        self._pieces: deque[Piece] = deque()
        self._held = 0
        self._ended = False
        self._error: OSError | None = None
        self._changed = threading.Condition()
        threading.Thread(target=self._read, name="stamped pipe", daemon=True).start()

    def __iter__(self) -> Iterator[Piece]:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._pieces or self._ended)
                if not self._pieces:
                    break
                piece = self._pieces.popleft()
                self._held -= len(piece[1])
                self._changed.notify()
            yield piece
        if self._error is not None:
            raise self._error

    def _read(self) -> None:
        try:
            while data := os.read(self._fd, READ_SIZE):
                t = self._now()
                with self._changed:
                    self._pieces.append((t, data))
                    self._held += len(data)
                    self._changed.notify()
                    self._changed.wait_for(lambda: self._held < AHEAD_BYTES)
        except OSError as error:
            self._error = error
        with self._changed:
            self._ended = True
            self._changed.notify()
