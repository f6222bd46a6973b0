"""The answer pane: the conversation, growing a line at a time while an answer streams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.text import Text
from textual import events
from textual.binding import BindingType
from textual.message import Message
from textual.strip import Strip

from sse_tui.analysis.entry import Span
from sse_tui.analysis.turn import Turn
from sse_tui.tui.actions import bindings
from sse_tui.tui.answer.blocks import DocLine
from sse_tui.tui.answer.conversation import Document, highlight
from sse_tui.tui.answer.prompts import prompt_of
from sse_tui.tui.drawing.line_view import LineView
from sse_tui.tui.panes import enter

CARET = "▋"


class AnswerPane(LineView):
    """Shows a `Document`. Feed it by `sync`; it draws only lines on screen and never parses while streaming."""

    BINDINGS: ClassVar[list[BindingType]] = list(bindings("answer"))
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "answer--label", "answer--user", "answer--text", "answer--reasoning", "answer--tool", "answer--refusal",
        "answer--caption", "answer--end", "answer--error", "answer--space", "answer--caret", "answer--selected",
        "answer--hint",
    }  # fmt: skip

    @dataclass
    class CharacterClicked(Message):
        """The character at `offset` of a turn's transcript was clicked."""

        turn: int
        offset: int

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.document = Document(40, prompt_of)
        self.hint: list[tuple[str, str]] = []
        self._turns: Sequence[Turn] = ()
        self._streaming = False
        self.selected: tuple[int, Span] | None = None
        """The turn and the span of its transcript that are highlighted."""
        self.border_title = "1 Answer"

    def line_count(self) -> int:
        """The lines of the document, or of the hint while there is none."""
        return len(self.document) or len(self.hint)

    def sync(self, turns: Sequence[Turn], *, streaming: bool) -> None:
        """Show what the turns have gained. `streaming` draws the caret."""
        self._turns = turns
        caret_changed = streaming != self._streaming
        self._streaming = streaming
        if self.document.sync(turns) or caret_changed:
            self.lines_changed()

    def show_hint(self, lines: list[tuple[str, str]]) -> None:
        """What to say while there is no conversation: (component, text) a line."""
        if lines != self.hint:
            self.hint = lines
            if not len(self.document):
                self.lines_changed()

    def relayout(self) -> None:
        """Lay everything out again, after a change of theme or of the Markdown choice."""
        self.document.rebuild(self._turns, width=self.content_width - 1)
        self.lines_changed()

    def on_resize(self) -> None:
        # A column is left free, so that text and scrollbar do not touch.
        if self.document.width != self.content_width - 1:
            self.document.rebuild(self._turns, width=self.content_width - 1)

    def restyle(self, code_theme: str) -> None:
        """Lay everything out again in the colours of another theme."""
        self.document.code_theme = code_theme
        self.document.accent = self.style_of("answer--label")
        self.relayout()

    @property
    def clipping(self) -> tuple[str, str]:
        """The last turn's text for the clipboard, and what to call it."""
        return (self._turns[-1].answer.text if self._turns else ""), "the answer"

    def select(self, turn: int, span: Span | None) -> None:
        """Highlight a span of a turn's transcript and bring it into view; None for none."""
        self.selected = (turn, span) if span is not None else None
        if span is not None:
            line = self.document.line_of(turn, span[0])
            if line is not None:
                self.release()
                self.show_line(line)
        self.refresh()

    def draw(self, index: int, width: int) -> Strip:
        if not len(self.document):
            kind, text = self.hint[index]
            return self.strip_of([(text, kind)], "answer")
        line = self.document.line(index)
        style = self.style_of(f"answer--{line.kind}")
        segments = [Segment(line.gutter, style)] if line.gutter else []
        body = line.segments if line.segments is not None else [Segment(line.text, style)]
        runs = highlight(line, *self.selected) if self.selected is not None else []
        if runs:
            marked = Text.assemble(*((text, style or "") for text, style, _ in body), end="")
            for first, last in runs:
                marked.stylize(self.style_of("answer--selected"), first, last)
            body = list(marked.render(self.app.console))
        segments += body
        if self._streaming and index == self.line_count() - 1:
            segments.append(Segment(CARET, self.style_of("answer--caret")))
        return Strip(segments)

    def on_click(self, event: events.Click) -> None:
        clicked = self.under(event)
        if clicked is None or not len(self.document):
            return
        line = self.document.line(clicked[0])
        offset = offset_at(line, clicked[1])
        if offset is not None:
            self.post_message(self.CharacterClicked(line.turn, offset))

    def action_enter(self) -> None:
        enter(self, self)

    def action_markdown(self) -> None:
        self.document.as_markdown = not self.document.as_markdown
        self.relayout()
        self._show_title()

    def on_line_view_follow_changed(self) -> None:
        self._show_title()

    def _show_title(self) -> None:
        paused = "" if self.following else " · paused (End to follow)"
        as_sent = "" if self.document.as_markdown else " · as sent"
        self.border_title = f"1 Answer{as_sent}{paused}"


def offset_at(line: DocLine, column: int) -> int | None:
    """The transcript's character at a column of a line, or the nearest before it on that line."""
    column -= cell_len(line.gutter)
    cells = 0
    known: int | None = None
    for char, offset in zip(line.text, line.offsets, strict=False):
        if cells > column:
            break
        if offset >= 0:
            known = offset
        cells += cell_len(char)
    return known
