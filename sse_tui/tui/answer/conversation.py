"""The conversation as lines: prompts, answers while they stream, finished answers as Markdown, and how each ended.

No widget here: lines come out by number, each with the offsets in the turn's transcript that it shows.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style

from sse_tui.analysis.entry import Span
from sse_tui.analysis.turn import Turn
from sse_tui.text.safety import pane
from sse_tui.text.wording import many
from sse_tui.tui.answer import markdown_lines
from sse_tui.tui.drawing.wrapping import Wrapper

GUTTERS = {"user": "▌ ", "reasoning": "┊ ", "tool": "│ ", "refusal": "! "}
CAPTIONS = {"reasoning": "reasoning", "tool": "tool call", "refusal": "refusal"}


class DocLine(NamedTuple):
    """A line on screen. `kind` gives its style, `turn` is the turn's position, `offsets` one offset per character."""

    kind: str
    turn: int
    gutter: str
    text: str
    offsets: Sequence[int]
    segments: list[Segment] | None = None


@dataclass
class Block:
    """A run of lines of one kind. `start` and `length` say which part of the transcript it is; -1 and 0 for others."""

    kind: str
    turn: int
    wrapper: Wrapper
    start: int = -1
    length: int = 0
    rendered: list[markdown_lines.RenderedLine] | None = None

    def __len__(self) -> int:
        return len(self.wrapper.lines) if self.rendered is None else len(self.rendered)

    def line(self, index: int) -> DocLine:
        gutter = GUTTERS.get(self.kind, "")
        if self.rendered is not None:
            segments, text, offsets = self.rendered[index]
            return DocLine(self.kind, self.turn, gutter, text, offsets, segments)
        text, start = self.wrapper.lines[index]
        known: Sequence[int] = range(start, start + len(text)) if self.start >= 0 else ()
        return DocLine(self.kind, self.turn, gutter, text, known)

    def line_of(self, offset: int) -> int:
        """The line that shows a character of the transcript, or the nearest before it."""
        if self.rendered is None:
            return self.wrapper.line_at(offset)
        best = 0
        for index, line in enumerate(self.rendered):
            first = next((known for known in line.offsets if known >= 0), None)
            if first is not None and first <= offset:
                best = index
        return best


class Document:
    """Lines of all turns. `sync` takes in what is new; `as_markdown` chooses how finished answers are shown."""

    def __init__(self, width: int, prompt_of: Callable[[Turn], str | None]) -> None:
        self.width = max(8, width)
        self.as_markdown = True
        self.code_theme = "monokai"
        self.accent: Style | None = None
        self.blocks: list[Block] = []
        self._starts: list[int] = []
        self._prompt_of = prompt_of
        self._shown: list[_Shown] = []

    def __len__(self) -> int:
        return self._starts[-1] + len(self.blocks[-1]) if self.blocks else 0

    def line(self, index: int) -> DocLine:
        block = bisect_right(self._starts, index) - 1
        return self.blocks[block].line(index - self._starts[block])

    def sync(self, turns: Sequence[Turn]) -> bool:
        """Take in what the turns have more than was shown; True when any line changed."""
        changed = False
        for position, turn in enumerate(turns):
            if position == len(self._shown):
                self._begin(position, turn)
                changed = True
            shown = self._shown[position]
            if not shown.finished:
                changed = self._grow(position, turn, shown) or changed
        return changed

    def rebuild(self, turns: Sequence[Turn], *, width: int | None = None) -> None:
        """Lay everything out again: another width, another theme, another way of showing."""
        self.width = max(8, width if width is not None else self.width)
        self.blocks, self._starts, self._shown = [], [], []
        self.sync(turns)

    def line_of(self, turn: int, offset: int) -> int | None:
        """The line that shows a character of a turn's transcript."""
        for start, block in zip(self._starts, self.blocks, strict=True):
            if block.turn == turn and 0 <= block.start <= offset < block.start + block.length:
                return start + block.line_of(offset)
        return None

    def _add(self, block: Block) -> Block:
        self._starts.append(len(self))
        self.blocks.append(block)
        return block

    def _static(self, kind: str, turn: int, text: str) -> None:
        wrapper = Wrapper(self.width - len(GUTTERS.get(kind, "")))
        wrapper.feed(pane(text))
        self._add(Block(kind, turn, wrapper))

    def _begin(self, position: int, turn: Turn) -> None:
        if position:
            self._static("space", position, "")
        prompt = self._prompt_of(turn)
        if prompt:
            self._static("label", position, "you")
            self._static("user", position, prompt.rstrip())
            self._static("space", position, "")
        self._static("label", position, "assistant" if prompt else "stream")
        self._shown.append(_Shown())

    def _grow(self, position: int, turn: Turn, shown: _Shown) -> bool:
        changed = False
        if shown.length < turn.transcript.length:
            for channel, text, _ in turn.transcript.since(shown.length):
                before = shown.last if self.blocks[-1].kind == channel else ""
                self._write(position, shown, channel, pane(text, before))
                shown.last = text[-1:]
            changed = True
        if turn.over:
            shown.finished = True
            self._finish(position, turn)
            changed = True
        return changed

    def _write(self, position: int, shown: _Shown, channel: str, text: str) -> None:
        block = self.blocks[-1]
        if block.kind != channel or block.start < 0 or block.turn != position:
            if block.start >= 0:
                self._static("space", position, "")
            if channel in CAPTIONS:
                self._static("caption", position, CAPTIONS[channel])
            wrapper = Wrapper(self.width - len(GUTTERS.get(channel, "")), shown.length)
            block = self._add(Block(channel, position, wrapper, shown.length))
        block.wrapper.feed(text)
        block.length += len(text)
        shown.length += len(text)

    def _finish(self, position: int, turn: Turn) -> None:
        if self.as_markdown:
            for block in self.blocks:
                if block.turn == position and block.kind == "text":
                    self._render(block, turn)
            self._restart()
        if turn.error is not None:
            self._static("error", position, turn.error.message or turn.error.type or "error in the stream")
        self._static("space", position, "")
        self._static("end", position, ending(turn))

    def _render(self, block: Block, turn: Turn) -> None:
        if block.length > markdown_lines.LIMIT:
            return
        text = "".join(text for _, text, _ in turn.transcript.since(block.start))
        source = pane(text[: block.length])
        if source.strip():
            block.rendered = markdown_lines.render(
                source, self.width, start=block.start, code_theme=self.code_theme, accent=self.accent
            )

    def _restart(self) -> None:
        self._starts = [0, *accumulate(len(block) for block in self.blocks[:-1])]


@dataclass
class _Shown:
    """How much of a turn was laid out, and its last character."""

    length: int = 0
    last: str = ""
    finished: bool = False


def ending(turn: Turn) -> str:
    """How a turn ended, in a line: ``complete · stop · 128 tokens``."""
    parts = [turn.conclusion.brief]
    if turn.answer.finish_reason:
        parts.append(str(turn.answer.finish_reason))
    tokens = turn.output_tokens
    if tokens is not None:
        parts.append(many(tokens, "token"))
    elif turn.events:
        parts.append(many(turn.events, "event"))
    if turn.verdict is not None:
        parts.append(f"resumed {turn.connection_count - 1}×, {turn.verdict.kind}")
    return pane(" · ".join(parts))


def highlight(line: DocLine, turn: int, span: Span) -> list[tuple[int, int]]:
    """The runs of a line's characters that a span of a turn's transcript wrote, as (first, last + 1)."""
    if line.turn != turn:
        return []
    runs: list[tuple[int, int]] = []
    start, end = span
    for column, offset in enumerate(line.offsets):
        if start <= offset < end:
            if runs and runs[-1][1] == column:
                runs[-1] = (runs[-1][0], column + 1)
            else:
                runs.append((column, column + 1))
    return runs
