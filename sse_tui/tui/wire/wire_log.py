"""The wire log: every event, comment, fault and reconnect as it came, one row each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import BindingType
from textual.message import Message
from textual.strip import Strip

from sse_tui.errors import RecordingError
from sse_tui.tui.actions import bindings
from sse_tui.tui.detail.findings import SIGNS
from sse_tui.tui.drawing.line_view import LineView
from sse_tui.tui.wire.filters import FILTERS, Filter, VisibleRows
from sse_tui.tui.wire.finder import ranges
from sse_tui.tui.wire.wire_row import Cells, Columns, cells
from sse_tui.tui.wire.wire_source import WireSource

CACHE_ROWS = 2_000
STYLES = {
    "token": "token", "reasoning": "reasoning", "tool": "tool", "refusal": "error", "error": "error",
    "malformed": "error", "fault": "fault", "reconnect": "retry", "comment": "quiet", "ping": "quiet",
    "retry": "quiet", "ignored": "quiet", "no-data": "quiet", "tail": "error", "repeat": "quiet",
    "request": "record", "response": "record", "close": "record", "note": "note", "end": "record",
    "done": "end", "finish": "end", "usage": "end", "role": "event", "progress": "quiet", "event": "event",
}  # fmt: skip
"""The component class of each label, without its prefix."""


class WireLog(LineView):
    """The rows. Only rows on screen are read back and laid out; a few thousand of those are cached."""

    BINDINGS: ClassVar[list[BindingType]] = list(bindings("wire"))
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "wire--head", "wire--time", "wire--stutter", "wire--token", "wire--reasoning", "wire--tool", "wire--error",
        "wire--fault", "wire--retry", "wire--quiet", "wire--record", "wire--note", "wire--end", "wire--event",
        "wire--cursor", "wire--match", "wire--warning", "wire--info",
    }  # fmt: skip

    @dataclass
    class RowSelected(Message):
        """The cursor moved to a row, or to none; `by_hand` is false where it followed the stream."""

        row: int | None
        by_hand: bool

    class RowOpened(Message):
        """The selected row is to be shown in the detail."""

    def __init__(self, source: WireSource, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.visible_rows = VisibleRows()
        self.cursor = 0
        self.query_text = ""
        self._source = source
        self._cache: dict[int, tuple[Cells, str]] = {}

    def line_count(self) -> int:
        return len(self.visible_rows)

    def sync(self) -> bool:
        """Take in the rows that were added; False when there were none."""
        codes = self._source.table.codes(self.visible_rows.seen)
        if not codes:
            return False
        self.visible_rows.extend(codes)
        self.lines_changed()
        if self.following:
            self._set_cursor(self.line_count() - 1, by_hand=False)
        return True

    def use_filter(self, chosen: Filter) -> None:
        """Show the rows of this filter; the cursor stays on its row or goes to the next one shown."""
        row = self.selected_row
        self.visible_rows.use(chosen, self._source.table.codes(0))
        with self.settling():
            self.lines_changed()
            if row is not None:
                position = min(self.visible_rows.position(row), max(0, self.line_count() - 1))
                self._set_cursor(position, by_hand=False)
                self._center(position)

    @property
    def selected_row(self) -> int | None:
        return self.visible_rows.row(self.cursor) if 0 <= self.cursor < self.line_count() else None

    def select_row(self, row: int, *, by_hand: bool = True) -> None:
        """Put the cursor on a row and stop following. A row that the filter hides makes it show all rows again."""
        position = self.visible_rows.position(row)
        if position >= self.line_count() or self.visible_rows.row(position) != row:
            self.use_filter(FILTERS[0])
            position = self.visible_rows.position(row)
        self.release()
        self._set_cursor(position, by_hand=by_hand)
        self._center(position)

    def _center(self, position: int) -> None:
        top = round(self.scroll_y)
        if not top <= position < top + self.size.height:
            self.scroll_to(y=max(0, position - self.size.height // 2), animate=False)

    def _set_cursor(self, position: int, *, by_hand: bool) -> None:
        position = max(0, min(position, self.line_count() - 1))
        if by_hand:
            self.show_line(position)
        moved = position != self.cursor
        self.cursor = position
        if moved or by_hand:
            self.post_message(self.RowSelected(self.selected_row, by_hand))
        self.refresh()

    def follow(self) -> None:
        super().follow()
        self._set_cursor(self.line_count() - 1, by_hand=False)

    def find(self, query: str) -> None:
        """Highlight this text in the rows; "" for none."""
        self.query_text = query
        self.refresh()

    def cells(self, row: int) -> Cells:
        """The text of a row by column, whether the filter shows it or not."""
        return self._laid_out(row)[0]

    def _laid_out(self, index: int) -> tuple[Cells, str]:
        laid_out = self._cache.get(index)
        if laid_out is None:
            try:
                row = self._source.row(index)
                laid_out = cells(row, self._source.t0(index)), row.label
            except RecordingError as error:
                laid_out = Cells("!", "-", "-", "-", "unreadable", error.message), "error"
            if len(self._cache) >= CACHE_ROWS:
                for old in list(self._cache)[: CACHE_ROWS // 4]:
                    del self._cache[old]
            self._cache[index] = laid_out
        return laid_out

    def draw(self, index: int, width: int) -> Strip:
        row = self.visible_rows.row(index)
        laid_out, label = self._laid_out(row)
        texts = Columns(width).fit(laid_out)
        own = self.style_of(f"wire--{STYLES.get(label, 'event')}")
        time = self.style_of("wire--time")
        selected = index == self.cursor
        strip = Strip(
            [
                Segment("▸" if selected else " ", own),
                self._severity(row),
                Segment(texts.number + texts.t_ms, time),
                Segment(texts.gap, self.style_of("wire--stutter") if texts.stutter else time),
                Segment(texts.size, time),
                Segment(texts.kind, own),
                *self._content(texts.content, own),
            ]
        )
        if selected:
            strip = strip.adjust_cell_length(width).apply_style(self.style_of("wire--cursor"))
        return strip

    def _severity(self, row: int) -> Segment:
        severity = self._source.found.worst(row)
        return Segment(SIGNS[severity], self.style_of(f"wire--{severity}")) if severity else Segment(" ")

    def _content(self, text: str, style: Style) -> list[Segment]:
        """The content with the matches of the query highlighted."""
        made: list[Segment] = []
        end = 0
        for first, last in ranges(text, self.query_text):
            match = Segment(text[first:last], style + self.style_of("wire--match"))
            made += [Segment(text[end:first], style), match]
            end = last
        return [*made, Segment(text[end:], style)]

    def _step(self, position: int) -> None:
        if position < self.cursor or position < self.line_count() - 1:
            self.release()
        self._set_cursor(position, by_hand=True)

    def action_move(self, by: int) -> None:
        self._step(self.cursor + by)

    def action_page(self, by: int) -> None:
        self._step(self.cursor + by * max(1, self.size.height - 1))

    def action_first(self) -> None:
        self._step(0)

    def action_open_detail(self) -> None:
        self.post_message(self.RowOpened())

    def on_click(self, event: events.Click) -> None:
        clicked = self.under(event)
        if clicked is not None:
            self._step(clicked[0])
            if event.chain == 2:
                self.post_message(self.RowOpened())
