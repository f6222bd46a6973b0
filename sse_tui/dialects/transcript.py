"""The text of an answer, held once and readable two ways: in the order of arrival, and by the part it belongs to."""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from sse_tui import bounded
from sse_tui.dialects.pieces import LOOSE, Pieces

Key = tuple[int, int]
"""Choice and part of a text, or the slot of a tool call and 0."""

_BEYOND: Key = (sys.maxsize, 0)
"""The part that takes the text of all parts beyond the first `bounded.RECENT` of a channel."""


class Passage(NamedTuple):
    """A stretch of the transcript: `channel` is "text", "reasoning", "refusal" or "tool"."""

    channel: str
    text: str


class Transcript:
    """Grows by `append`, O(1) amortised; `since` reads it as it arrived, `text` as it is ordered by choice and part.

    The characters are kept by part. The order of arrival is runs of characters of one part: two choices that take turns
    cost 24 bytes a turn. `length` counts characters.
    """

    __slots__ = ("_at", "_channel", "_channels", "_joined", "_key", "_last", "_runs", "_starts", "length")

    def __init__(self) -> None:
        self.length = 0
        self._channels: dict[str, dict[Key, Pieces]] = {}
        self._joined: dict[str, tuple[int, str]] = {}
        # Of each run: its part, where it begins in the transcript, and where in the part.
        self._runs: list[Pieces] = []
        self._starts = array("Q")
        self._at = array("Q")
        self._channel = ""
        self._key: Key = (0, 0)
        self._last = Pieces("")

    def append(self, channel: str, text: str, index: int = 0, part: int = 0) -> None:
        """Add text to a channel's part of a choice; "" only says that there is such a part."""
        if channel != self._channel or (index, part) != self._key:
            self._turn_to(channel, (index, part))
        self._last.append(text)
        self.length += len(text)

    def _turn_to(self, channel: str, key: Key) -> None:
        parts = self._channels.setdefault(channel, {})
        pieces = parts.get(key)
        if pieces is None:
            owner = key if len(parts) <= bounded.RECENT else _BEYOND  # calls, and the one part of their names
            pieces = parts.get(owner) or parts.setdefault(owner, Pieces(channel))
        goes_on = pieces is self._last
        self._channel, self._key, self._last = channel, key, pieces
        if goes_on:
            return
        self._runs.append(pieces)
        self._starts.append(self.length)
        self._at.append(pieces.length)

    def since(self, offset: int) -> Iterator[Passage]:
        """What stands from character `offset` on, in the order of arrival; where passages are cut means nothing."""
        channel, strings = "", list[str]()
        for run in range(max(0, bisect_right(self._starts, offset) - 1), len(self._runs)):
            start = max(offset, self._starts[run])
            end = self._starts[run + 1] if run + 1 < len(self._runs) else self.length
            pieces, shift = self._runs[run], self._at[run] - self._starts[run]
            for text in pieces.between(start + shift, end + shift) if start < end else ():
                if pieces.channel != channel or len(strings) >= LOOSE:
                    if strings:
                        yield Passage(channel, "".join(strings))
                    channel, strings = pieces.channel, []
                strings.append(text)
        if strings:
            yield Passage(channel, "".join(strings))

    def __iter__(self) -> Iterator[Passage]:
        return self.since(0)

    def text(self, channel: str) -> str:
        """All that a channel said, by choice and part, with nothing between; the same object until more is added."""
        parts = self._channels.get(channel, {})
        if len(parts) < 2:
            return next(iter(parts.values())).text if parts else ""
        length, joined = self._joined.get(channel, (-1, ""))
        if length != self.length_of(channel):
            joined = "".join(parts[key].text for key in sorted(parts))
            self._joined[channel] = len(joined), joined
        return joined

    def move(self, index: int, channel: str, to: str) -> None:
        """All that a choice said so far on one channel belongs to another one; the order of arrival stays."""
        parts, others = self._channels.get(channel, {}), self._channels.setdefault(to, {})
        for key in [key for key in parts if key[0] == index]:
            pieces = parts.pop(key)
            pieces.channel = to
            part = key[1] if key not in others else min(other for _, other in others) - 1
            others[index, part] = pieces
        self._joined.clear()
        self._channel = ""

    def part(self, channel: str, index: int) -> str:
        """What a channel said under one index, in the order of arrival."""
        pieces = self._channels.get(channel, {}).get((index, 0))
        return pieces.text if pieces is not None else ""

    def length_of(self, channel: str) -> int:
        """Characters of a channel."""
        return sum(pieces.length for pieces in self._channels.get(channel, {}).values())

    def choices(self, channel: str) -> set[int]:
        """The choices that have a part in a channel."""
        return {index for index, _ in self._channels.get(channel, {})}
