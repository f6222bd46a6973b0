"""From the bytes of tokens to text that may be shown: whole characters only, and no part of a stop string.

A token may end in the middle of a UTF-8 character, and a stop string may begin in one token and end in a later one.
Bytes that could be either are held back until that is known. The text that comes out does not depend on how the bytes
were cut into tokens.
"""

from __future__ import annotations

import codecs
from collections.abc import Sequence


class TextStream:
    """One generation's text. `push` each token's bytes, then `close`; what they return, joined, is the answer.

    The stop string that is complete first ends the text; of several complete at the same byte, the longest. The text
    before it is returned, the stop string itself is not. Bytes that are not UTF-8 become U+FFFD.
    """

    def __init__(self, stops: Sequence[str] = ()) -> None:
        self._stops = tuple(stop for stop in stops if stop)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = ""
        self.stopped = False

    def push(self, data: bytes) -> str:
        """The text that these bytes made certain; sets `stopped` when a stop string is complete."""
        text = self._decoder.decode(data)
        if not self._stops or not text:
            return text
        return "" if self.stopped else self._release(self._held + text)

    def close(self) -> str:
        """What was still held back, at the end of a generation."""
        text = self._decoder.decode(b"", final=True)
        if self.stopped:
            return ""
        text = self._release(self._held + text) if self._stops else text
        held, self._held = self._held, ""
        return text if self.stopped else text + held

    def _release(self, text: str) -> str:
        cut = self._first_stop(text)
        if cut is not None:
            self.stopped = True
            self._held = ""
            return text[:cut]
        keep = max(_overlap(text, stop) for stop in self._stops)
        self._held = text[len(text) - keep :]
        return text[: len(text) - keep]

    def _first_stop(self, text: str) -> int | None:
        """The index where the text ends: the start of the stop string that is complete first, None without one."""
        best: tuple[int, int] | None = None
        for stop in self._stops:
            start = text.find(stop)
            if start >= 0 and (best is None or (start + len(stop), start) < best):
                best = (start + len(stop), start)
        return None if best is None else best[1]


def _overlap(text: str, stop: str) -> int:
    """The length of the longest suffix of `text` that is a proper prefix of `stop`."""
    for size in range(min(len(stop) - 1, len(text)), 0, -1):
        if text.endswith(stop[:size]):
            return size
    return 0
