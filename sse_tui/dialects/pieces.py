"""Text that arrives in small pieces, kept in few: a million tokens would otherwise cost a string object each."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator

LOOSE = 512
"""Pieces kept as they came until they are joined into one block."""


class Pieces:
    """A text that grows at its end. Adding is O(1) amortised; reading joins only what was not joined before."""

    __slots__ = ("_blocks", "_loose", "_starts", "channel", "choice", "length")

    def __init__(self, channel: str, choice: int = 0) -> None:
        self.channel = channel
        self.choice = choice
        self.length = 0
        self._blocks: list[str] = []
        self._starts = array("Q")
        self._loose: list[str] = []

    def append(self, text: str) -> None:
        """Add text at the end."""
        self._loose.append(text)
        self.length += len(text)
        if len(self._loose) >= LOOSE:
            self._settle()

    def _settle(self) -> None:
        text = "".join(self._loose)
        self._loose.clear()
        # A reader that comes after every token must not cost a block each; a block of bounded size is joined again.
        if self._blocks and len(self._blocks[-1]) < 4 * LOOSE:
            self._blocks[-1] += text
        else:
            self._starts.append(self.length - len(text))
            self._blocks.append(text)

    @property
    def text(self) -> str:
        """All of it; the same object until more is added."""
        if self._loose:
            self._settle()
        if len(self._blocks) > 1:
            self._blocks = ["".join(self._blocks)]
            self._starts = array("Q", [0])
        return self._blocks[0] if self._blocks else ""

    def between(self, start: int, end: int) -> Iterator[str]:
        """The characters from `start` to `end`, in the blocks that they are kept in."""
        if self._loose:
            self._settle()
        for number in range(max(0, bisect_right(self._starts, start) - 1), len(self._blocks)):
            first = self._starts[number]
            if first >= end:
                return
            yield self._blocks[number][max(0, start - first) : end - first]
