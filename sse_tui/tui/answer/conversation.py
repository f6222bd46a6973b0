"""The conversation as lines: prompts, answers while they stream, finished answers as Markdown, and how each ended.

No widget here: lines come out by number, each with the offsets in the turn's transcript that it shows.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from rich.style import Style

from sse_tui.analysis.entry import Span
from sse_tui.analysis.turn import Turn
from sse_tui.dialects.transcript import BEYOND
from sse_tui.text.safety import pane
from sse_tui.text.wording import choice_words, many
from sse_tui.tui.answer import markdown_lines
from sse_tui.tui.answer.blocks import GUTTERS, Block, DocLine
from sse_tui.tui.drawing.wrapping import Wrapper

CAPTIONS = {"reasoning": "reasoning", "tool": "tool call", "refusal": "refusal"}


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
            if shown.index_counts != turn.answer.index_counts:
                # What looked like several choices is one, or the other way round.
                self.rebuild(turns)
                return True
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
            if block.turn == turn and (at := block.position_of(offset)) is not None:
                return start + block.line_of(at)
        return None

    def _put(self, blocks: list[Block], at: int | None = None) -> None:
        """Add blocks at the end, or before the block at a position."""
        if at is None or at == len(self.blocks):
            for block in blocks:
                self._starts.append(len(self))
                self.blocks.append(block)
        else:
            self.blocks[at:at] = blocks
            self._restart()

    def _block(self, kind: str, turn: int, text: str = "") -> Block:
        wrapper = Wrapper(self.width - len(GUTTERS.get(kind, "")))
        wrapper.feed(pane(text))
        return Block(kind, turn, wrapper)

    def _static(self, kind: str, turn: int, text: str) -> None:
        self._put([self._block(kind, turn, text)])

    def _begin(self, position: int, turn: Turn) -> None:
        if position:
            self._static("space", position, "")
        prompt = self._prompt_of(turn)
        if prompt:
            self._static("label", position, "you")
            self._static("user", position, prompt.rstrip())
            self._static("space", position, "")
        self._static("label", position, "assistant" if prompt else "stream")
        self._shown.append(_Shown(index_counts=turn.answer.index_counts))

    def _grow(self, position: int, turn: Turn, shown: _Shown) -> bool:
        changed = False
        if shown.length < turn.transcript.length:
            for channel, text, choice in turn.transcript.since(shown.length):
                block = self._block_for(position, shown, channel, 0 if shown.index_counts else choice)
                block.feed(pane(text, block.last), shown.length)
                shown.length += len(text)
            if len(shown.ends) > 1:
                self._restart()
            changed = True
        if turn.over:
            shown.finished = True
            self._finish(position, turn)
            changed = True
        return changed

    def _block_for(self, position: int, shown: _Shown, channel: str, choice: int) -> Block:
        """The block at the end of a choice, a new one where that is of another channel."""
        last = shown.ends.get(choice)
        if last is not None and last.kind == channel:
            return last
        first = last is None
        new = [] if first and not shown.ends else [self._block("space", position)]
        if first and shown.ends:
            self._caption_first(position, shown)
            new.append(self._block("caption", position, choice_words(None if choice == BEYOND else choice)))
        if channel in CAPTIONS:
            new.append(self._block("caption", position, CAPTIONS[channel]))
        block = self._block(channel, position)
        self._put([*new, block], None if last is None else self.blocks.index(last) + 1)
        shown.ends[choice] = block
        shown.top = shown.top or (new or [block])[0]
        return block

    def _caption_first(self, position: int, shown: _Shown) -> None:
        """Say which choice the first one is, now that there is another."""
        if len(shown.ends) == 1 and shown.top is not None:
            (choice,) = shown.ends
            self._put([self._block("caption", position, choice_words(choice))], self.blocks.index(shown.top))

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
        source = pane(_text_of(block, turn))
        if source.strip():
            block.rendered = markdown_lines.render(
                source, self.width, start=0, code_theme=self.code_theme, accent=self.accent
            )

    def _restart(self) -> None:
        self._starts = [0, *accumulate(len(block) for block in self.blocks[:-1])]


@dataclass
class _Shown:
    """How much of a turn was laid out: the first block of its answer, and the last block of each choice."""

    index_counts: bool
    length: int = 0
    finished: bool = False
    top: Block | None = None
    ends: dict[int, Block] = field(default_factory=dict)


def _text_of(block: Block, turn: Turn) -> str:
    """The text of a block as it stands in the transcript."""
    ends = [*(extent.position for extent in block.extents[1:]), block.length]
    return "".join(
        _stretch(turn, extent.offset, end - extent.position)
        for extent, end in zip(block.extents, ends, strict=True)
    )


def _stretch(turn: Turn, offset: int, length: int) -> str:
    texts: list[str] = []
    for passage in turn.transcript.since(offset):
        texts.append(passage.text[:length])
        length -= len(texts[-1])
        if not length:
            break
    return "".join(texts)


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
