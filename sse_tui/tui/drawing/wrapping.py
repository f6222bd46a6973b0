"""Word wrapping of text that grows at its end.

Only the last line is ever wrapped again when text is added, so that the cost of a whole answer is linear in its
length. Every line knows where in the data it starts: the link between characters on screen and bytes on the wire.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from rich.cells import cell_len

BLOCK = 128
"""Lines that become one string once as many more have come."""


class Line(NamedTuple):
    """A line on screen: `text` is the data from `start` on, character for character."""

    text: str
    start: int


class WrappedLines:
    """The lines of a long text, in few objects: all but the newest are kept as blocks of one string.

    Grows at its end, where the last line may be taken off again; any line can be read.
    """

    __slots__ = ("_blocks", "_recent")

    def __init__(self, first: Line) -> None:
        self._blocks: list[tuple[str, array[int], array[int]]] = []
        self._recent = [first]

    def __len__(self) -> int:
        return len(self._blocks) * BLOCK + len(self._recent)

    def __iter__(self) -> Iterator[Line]:
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, index: int) -> Line:
        block, line = divmod(index, BLOCK)
        if block >= len(self._blocks):
            return self._recent[index - len(self._blocks) * BLOCK]
        text, ends, starts = self._blocks[block]
        return Line(text[ends[line - 1] if line else 0 : ends[line]], starts[line])

    def append(self, line: Line) -> None:
        self._recent.append(line)
        if len(self._recent) == 2 * BLOCK:
            done, self._recent = self._recent[:BLOCK], self._recent[BLOCK:]
            ends = array("I", accumulate(len(text) for text, _ in done))
            self._blocks.append(
                ("".join(text for text, _ in done), ends, array("Q", (start for _, start in done)))
            )

    def pop(self) -> Line:
        """Take the last line off; at most one after each that was added."""
        return self._recent.pop()


class Wrapper:
    """Lines of at most `width` cells, for text that arrives in pieces. Line feeds end a line and are not part of it."""

    def __init__(self, width: int, start: int = 0) -> None:
        self.width = max(1, width)
        self.lines = WrappedLines(Line("", start))

    def feed(self, text: str) -> int:
        """Add text; gives the index of the first line that changed."""
        first = len(self.lines) - 1
        last = self.lines.pop()
        paragraphs = (last.text + text).split("\n")
        start = last.start
        for paragraph in paragraphs:
            self._wrap(paragraph, start)
            start += len(paragraph) + 1
        return first

    def _wrap(self, text: str, start: int) -> None:
        position = 0
        while True:
            cut = _cut(text, position, self.width)
            self.lines.append(Line(text[position:cut], start + position))
            if cut >= len(text):
                return
            position = cut

    def line_at(self, offset: int) -> int:
        """Index of the line that holds the character at this offset."""
        return max(0, bisect_right(self.lines, offset, key=lambda line: line.start) - 1)


def _cut(text: str, position: int, width: int) -> int:
    """Where the line that begins at `position` ends: after a space if one is in reach, else where the width is full."""
    end = _limit(text, position, width)
    if end >= len(text):
        return len(text)
    if text[end] == " ":
        # The space that does not fit any more hangs over the edge, so that the next line starts with a word.
        return end + 1
    space = text.rfind(" ", position, end)
    return space + 1 if space > position else max(end, position + 1)


def _limit(text: str, position: int, width: int) -> int:
    window = text[position : position + width]
    if window.isascii():
        return position + len(window)
    cells = 0
    for index, char in enumerate(text[position : position + width]):
        cells += cell_len(char)
        if cells > width:
            return position + index
    return position + len(window)
