"""A run of lines of one kind in the conversation, and where its characters are in the turn's transcript."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from rich.segment import Segment

from sse_tui.tui.answer import markdown_lines
from sse_tui.tui.drawing.wrapping import Wrapper

GUTTERS = {"user": "▌ ", "reasoning": "┊ ", "tool": "│ ", "refusal": "! "}


class DocLine(NamedTuple):
    """A line on screen. `kind` gives its style, `turn` is the turn's position, `offsets` one offset per character."""

    kind: str
    turn: int
    gutter: str
    text: str
    offsets: Sequence[int]
    segments: list[Segment] | None = None


class Extent(NamedTuple):
    """Characters of a block that stand together in the transcript: from `position` in the block, `offset` there."""

    position: int
    offset: int


@dataclass(eq=False)
class Block:
    """Lines of one kind. `extents` say where its text is in the transcript, none for text that is not from there.

    The text of one choice is in many extents where the choices of an answer take turns. `last` is its last character.
    """

    kind: str
    turn: int
    wrapper: Wrapper
    extents: list[Extent] = field(default_factory=list)
    length: int = 0
    last: str = ""
    rendered: list[markdown_lines.RenderedLine] | None = None

    def __len__(self) -> int:
        return len(self.wrapper.lines) if self.rendered is None else len(self.rendered)

    def feed(self, text: str, offset: int) -> None:
        """Add text at the end, which stands at this offset in the transcript."""
        if not self.extents or self._offset(self.length) != offset:
            self.extents.append(Extent(self.length, offset))
        self.wrapper.feed(text)
        self.length += len(text)
        self.last = text[-1:]

    def line(self, index: int) -> DocLine:
        """A line of it, as it is drawn."""
        gutter = GUTTERS.get(self.kind, "")
        if self.rendered is not None:
            segments, text, positions = self.rendered[index]
            return DocLine(self.kind, self.turn, gutter, text, self._offsets(positions), segments)
        text, start = self.wrapper.lines[index]
        known = self._offsets(range(start, start + len(text))) if self.extents else ()
        return DocLine(self.kind, self.turn, gutter, text, known)

    def position_of(self, offset: int) -> int | None:
        """Where the transcript's character at `offset` is in the block; None where it is not."""
        at = bisect_right(self.extents, offset, key=lambda extent: extent.offset) - 1
        if at < 0:
            return None
        position = self.extents[at].position + offset - self.extents[at].offset
        end = self.extents[at + 1].position if at + 1 < len(self.extents) else self.length
        return position if position < end else None

    def line_of(self, position: int) -> int:
        """The line that shows a character of the block, or the nearest before it."""
        if self.rendered is None:
            return self.wrapper.line_at(position)
        best = 0
        for index, line in enumerate(self.rendered):
            first = next((known for known in line.offsets if known >= 0), None)
            if first is not None and first <= position:
                best = index
        return best

    def _offset(self, position: int) -> int:
        extent = self.extents[bisect_right(self.extents, position, key=lambda extent: extent.position) - 1]
        return extent.offset + position - extent.position

    def _offsets(self, positions: Sequence[int]) -> Sequence[int]:
        if len(self.extents) == 1:
            shift = self.extents[0].offset
            if isinstance(positions, range):
                return range(positions.start + shift, positions.stop + shift)
            return [position + shift if position >= 0 else position for position in positions]
        return [self._offset(position) if position >= 0 else position for position in positions]
