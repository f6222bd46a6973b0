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
"""Choice and part of a text; of a tool call its slot and its choice."""

BEYOND = sys.maxsize
"""Stands for what is beyond the first `bounded.RECENT` parts of a channel: the part that takes the further text of a
choice, the slot of further tool calls, and the choice of all whose index is new."""


class Passage(NamedTuple):
    """A stretch of one choice: `channel` is "text", "reasoning", "refusal" or "tool"."""

    channel: str
    text: str
    choice: int = 0


class Transcript:
    """Grows by `append`, O(1) amortised; `since` reads it as it arrived, `text` as it is ordered by choice and part.

    The characters are kept by part. The order of arrival is runs of characters of one part: two choices that take turns
    cost 24 bytes a turn. `length` counts characters.
    """

    __slots__ = (
        "_at",
        "_channel",
        "_channels",
        "_choices",
        "_joined",
        "_key",
        "_last",
        "_runs",
        "_starts",
        "length",
    )

    def __init__(self) -> None:
        self.length = 0
        self._channels: dict[str, dict[Key, Pieces]] = {}
        self._choices: dict[str, set[int]] = {}
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
        self._channel, self._key = channel, key
        parts = self._channels.setdefault(channel, {})
        pieces = parts.get(key)
        if pieces is None:
            if len(parts) > bounded.RECENT:  # calls, and the one part of their names
                key = self._shared(channel, key)
            choice = key[channel == "tool"]
            self._choices.setdefault(channel, set()).add(choice)
            pieces = parts.get(key) or parts.setdefault(key, Pieces(channel, choice))
        goes_on = pieces is self._last
        self._last = pieces
        if goes_on:
            return
        self._runs.append(pieces)
        self._starts.append(self.length)
        self._at.append(pieces.length)

    def _shared(self, channel: str, key: Key) -> Key:
        """The part that takes the text of `key`, which is one too many."""
        choice = key[channel == "tool"]
        if choice not in self._choices[channel]:
            choice = BEYOND
        return (BEYOND, choice) if channel == "tool" else (choice, BEYOND)

    def since(self, offset: int) -> Iterator[Passage]:
        """What stands from character `offset` on, in the order of arrival; where passages are cut means nothing."""
        channel, choice, strings = "", 0, list[str]()
        for run in range(max(0, bisect_right(self._starts, offset) - 1), len(self._runs)):
            start = max(offset, self._starts[run])
            end = self._starts[run + 1] if run + 1 < len(self._runs) else self.length
            pieces, shift = self._runs[run], self._at[run] - self._starts[run]
            for text in pieces.between(start + shift, end + shift) if start < end else ():
                if pieces.channel != channel or pieces.choice != choice or len(strings) >= LOOSE:
                    if strings:
                        yield Passage(channel, "".join(strings), choice)
                    channel, choice, strings = pieces.channel, pieces.choice, []
                strings.append(text)
        if strings:
            yield Passage(channel, "".join(strings), choice)

    def __iter__(self) -> Iterator[Passage]:
        return self.since(0)

    def text(self, channel: str, choice: int | None = None) -> str:
        """What a choice said in a channel, by part, or all choices one after another, with nothing between.

        All of a channel is the same object until more is added.
        """
        parts = self._channels.get(channel, {})
        if len(parts) < 2:
            return "".join(pieces.text for pieces in parts.values() if choice in (None, pieces.choice))
        if choice is not None:
            return "".join(parts[key].text for key in sorted(parts) if parts[key].choice == choice)
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
            self._choices.setdefault(to, set()).add(index)
        self._choices.get(channel, set()).discard(index)
        self._joined.clear()
        self._channel = ""

    def arguments(self, slot: int, choice: int) -> str:
        """The arguments of a tool call, in the order of arrival."""
        pieces = self._channels.get("tool", {}).get((slot, choice))
        return pieces.text if pieces is not None else ""

    def length_of(self, channel: str) -> int:
        """Characters of a channel."""
        return sum(pieces.length for pieces in self._channels.get(channel, {}).values())

    def choices(self, channel: str) -> set[int]:
        """The choices that have a part in a channel."""
        return self._choices.get(channel, set())
