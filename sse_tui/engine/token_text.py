"""From the bytes of tokens to text that may be shown: whole characters only, and no part of a stop string.

A token may end in the middle of a UTF-8 character, and a stop string may begin in one token and end in a later one.
Bytes that could be either are held back until that is known. The text that comes out does not depend on how the bytes
were cut into tokens.
"""

from __future__ import annotations

import codecs
from collections.abc import Sequence

from sse_tui.engine.stop_strings import StopStrings


class TextStream:
    """One generation's text. `push` each token's bytes, then `close`; what they return, joined, is the answer.

    The stop string that is complete first ends the text; of several complete at the same byte, the longest. The text
    before it is returned, the stop string itself is not. Bytes that are not UTF-8 become U+FFFD.
    """

    def __init__(self, stops: Sequence[str] = ()) -> None:
        self._stops = StopStrings(stops) if any(stops) else None
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = ""
        self.stopped = False

    def push(self, data: bytes) -> str:
        """The text that these bytes made certain; sets `stopped` when a stop string is complete."""
        text = self._decoder.decode(data)
        if self._stops is None or not text:
            return text
        return "" if self.stopped else self._release(self._stops, text)

    def close(self) -> str:
        """What was still held back, at the end of a generation."""
        text = self._decoder.decode(b"", final=True)
        if self.stopped:
            return ""
        text = text if self._stops is None else self._release(self._stops, text)
        held, self._held = self._held, ""
        return text if self.stopped else text + held

    def _release(self, stops: StopStrings, new: str) -> str:
        """The text up to where a stop string may have begun, and no further than one that is complete."""
        text = self._held + new
        state = self._held
        for end, character in enumerate(new, len(state) + 1):
            state = stops.step(state, character)
            if state and (length := stops.match(state)):
                self.stopped = True
                self._held = ""
                return text[: end - length]
        self._held = state
        return text[: len(text) - len(state)]
