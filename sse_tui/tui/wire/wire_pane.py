"""The wire pane: every event, comment, fault and retry as it came, a row each."""

from __future__ import annotations

from typing import ClassVar

from rich.style import Style
from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.strip import Strip
from textual.widgets import Static

from sse_tui.errors import RecordingError
from sse_tui.tui.actions import bindings
from sse_tui.tui.detail.findings import SIGNS
from sse_tui.tui.drawing.fit import pad
from sse_tui.tui.drawing.line_view import LineView, strip_of
from sse_tui.tui.wire.end_of_file import EndOfFile
from sse_tui.tui.wire.filters import FILTERS, Filter, Visible
from sse_tui.tui.wire.finder import ranges
from sse_tui.tui.wire.wire_row import Cells, cells
from sse_tui.tui.wire.wire_source import WireSource
from sse_tui.wirelog.rows import Row

CACHE_ROWS = 2_000
KIND_STYLES = {
    "token": "token", "reasoning": "reasoning", "tool": "tool", "refusal": "error", "error": "error",
    "malformed": "error", "fault": "fault", "reconnect": "retry", "comment": "quiet", "ping": "quiet",
    "retry": "quiet", "ignored": "quiet", "no-data": "quiet", "tail": "error", "repeat": "quiet",
    "request": "record", "response": "record", "close": "record", "note": "note", "end": "record",
    "done": "end", "finish": "end", "usage": "end", "role": "event", "progress": "quiet", "event": "event",
}  # fmt: skip


class Columns:
    """The widths of the columns for a pane's width; the content gets what is left."""

    def __init__(self, width: int) -> None:
        self.number, self.t_ms, self.gap, self.size, self.kind = (
            (5, 8, 7, 5, 9) if width >= 60 else (4, 7, 6, 4, 9)
        )
        used = 2 + self.number + self.t_ms + self.gap + self.size + self.kind + 5
        self.content = max(6, width - used)

    def head(self) -> str:
        """The line of headings."""
        return (
            f"  {pad('#', self.number, right=True)} {pad('t+ms', self.t_ms, right=True)} "
            f"{pad('gap', self.gap, right=True)} {pad('B', self.size, right=True)} {pad('kind', self.kind)} content"
        )


class WireLog(LineView):
    """The rows. Only rows on screen are read back and laid out; laid out rows are kept for a while."""

    BINDINGS: ClassVar[list[BindingType]] = list(bindings("wire"))
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "wire--head", "wire--time", "wire--stutter", "wire--token", "wire--reasoning", "wire--tool", "wire--error",
        "wire--fault", "wire--retry", "wire--quiet", "wire--record", "wire--note", "wire--end", "wire--event",
        "wire--cursor", "wire--match", "wire--warning", "wire--info",
    }  # fmt: skip

    class Selected(Message):
        """The cursor is on another row (None while there is none); `by_hand` when the user moved it."""

        def __init__(self, row: int | None, by_hand: bool) -> None:
            super().__init__()
            self.row = row
            self.by_hand = by_hand

    class OpenDetail(Message):
        """The selected row is wanted in the detail."""

    def __init__(self, source: WireSource, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.source = source
        self.visible_rows = Visible()
        self.cursor = 0
        self.query_text = ""
        self._cache: dict[int, Cells] = {}
        self._labels: dict[int, str] = {}

    # -- rows -----------------------------------------------------------------------------------------------------

    def line_count(self) -> int:
        """The rows that the filter lets through."""
        return len(self.visible_rows)

    def sync(self) -> None:
        """Take in the rows that were added."""
        codes = self.source.codes(self.visible_rows.seen)
        if not codes:
            return
        self.visible_rows.extend(codes)
        self.lines_changed()
        if self.following:
            self._set_cursor(self.line_count() - 1, by_hand=False)

    def use_filter(self, chosen: Filter) -> None:
        """Show the rows of this filter; the cursor stays on its row or goes to the next one shown."""
        row = self.selected_row
        self.visible_rows.use(chosen, self.source.codes(0))
        self._settling = True
        self.lines_changed()
        if row is not None:
            place = min(self.visible_rows.position(row), max(0, self.line_count() - 1))
            self._set_cursor(place, by_hand=False)
            self._center(place)
        self._settling = False

    @property
    def selected_row(self) -> int | None:
        """The row under the cursor."""
        return self.visible_rows.row(self.cursor) if 0 <= self.cursor < self.line_count() else None

    def select_row(self, row: int, *, by_hand: bool = True) -> None:
        """Put the cursor on a row and stop following. A row that the filter hides makes it show all rows again."""
        place = self.visible_rows.position(row)
        if place >= self.line_count() or self.visible_rows.row(place) != row:
            self.use_filter(FILTERS[0])
            place = self.visible_rows.position(row)
        self.release()
        self._set_cursor(place, by_hand=by_hand)
        self._center(place)

    def _center(self, place: int) -> None:
        top = round(self.scroll_y)
        if not top <= place < top + self.size.height:
            self.scroll_to(y=max(0, place - self.size.height // 2), animate=False)

    def _set_cursor(self, place: int, *, by_hand: bool) -> None:
        place = max(0, min(place, self.line_count() - 1))
        if by_hand:
            self.show_line(place)
        moved = place != self.cursor
        self.cursor = place
        if moved or by_hand:
            self.post_message(self.Selected(self.selected_row, by_hand))
        self.refresh()

    def follow(self) -> None:
        """Go to the last row and stay there."""
        super().follow()
        self._set_cursor(self.line_count() - 1, by_hand=False)

    # -- drawing --------------------------------------------------------------------------------------------------

    def _cells(self, index: int) -> Cells:
        found = self._cache.get(index)
        if found is None:
            try:
                row: Row = self.source.row(index)
                found, label = cells(row, self.source.t0(index)), row.label
            except RecordingError as error:
                found, label = Cells("!", "-", "-", "-", "unreadable", error.message), "error"
            if len(self._cache) >= CACHE_ROWS:
                for old in list(self._cache)[: CACHE_ROWS // 4]:
                    del self._cache[old], self._labels[old]
            self._cache[index], self._labels[index] = found, label
        return found

    def draw(self, index: int, width: int) -> Strip:
        """One row."""
        row = self.visible_rows.row(index)
        said = self._cells(row)
        columns = Columns(width)
        own = self.style_of(f"wire--{KIND_STYLES.get(self._labels[row], 'event')}")
        time = self.style_of("wire--time")
        gap_style = self.style_of("wire--stutter") if self._stutters(said) else time
        here = index == self.cursor
        parts: list[tuple[str, Style | None]] = [
            ("▸" if here else " ", own),
            self._mark(row),
            (f"{pad(said.number, columns.number, right=True)} ", time),
            (f"{pad(said.t_ms, columns.t_ms, right=True)} ", time),
            (f"{pad(said.gap, columns.gap, right=True)} ", gap_style),
            (f"{pad(said.size, columns.size, right=True)} ", time),
            (f"{pad(said.kind, columns.kind)} ", own),
            *self._content(said, columns.content, own),
        ]
        strip = strip_of(parts)
        if here:
            strip = strip.adjust_cell_length(width).apply_style(self.style_of("wire--cursor"))
        return strip

    def _mark(self, row: int) -> tuple[str, Style | None]:
        """The letter of the worst finding about a row."""
        severity = self.source.severity(row)
        return (SIGNS[severity], self.style_of(f"wire--{severity}")) if severity else (" ", None)

    def _content(self, said: Cells, width: int, style: Style) -> list[tuple[str, Style | None]]:
        text = pad(said.content, width)
        if not self.query_text:
            return [(text, style)]
        made: list[tuple[str, Style | None]] = []
        place = 0
        for first, last in ranges(text, self.query_text):
            made += [(text[place:first], style), (text[first:last], style + self.style_of("wire--match"))]
            place = last
        return [*made, (text[place:], style)]

    @staticmethod
    def _stutters(said: Cells) -> bool:
        # A gap that a reader notices, by the same bound as the metrics' stutters: more than 100 ms.
        try:
            return float(said.gap) > 100
        except ValueError:
            return False

    # -- input ----------------------------------------------------------------------------------------------------

    def _step(self, place: int) -> None:
        if place < self.cursor or place < self.line_count() - 1:
            self.release()
        self._set_cursor(place, by_hand=True)

    def action_move(self, by: int) -> None:
        """Move the cursor by rows."""
        self._step(self.cursor + by)

    def action_page(self, by: int) -> None:
        """Move the cursor by pages."""
        self._step(self.cursor + by * max(1, self.size.height - 1))

    def action_first(self) -> None:
        """Go to the first row."""
        self._step(0)

    def action_follow(self) -> None:
        """Go to the end and follow."""
        self.follow()

    def action_open_detail(self) -> None:
        """Show the row in the detail."""
        self.post_message(self.OpenDetail())

    def on_click(self, event: events.Click) -> None:
        """Select the row that was clicked."""
        place = self.under(event)
        if place is not None:
            self._step(place[0])
            if event.chain == 2:
                self.post_message(self.OpenDetail())


class WirePane(Vertical):
    """The wire log under its headings."""

    def __init__(self, source: WireSource, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.log_view = WireLog(source, id="wire-log")
        self.end = EndOfFile(id="wire-end")
        self._head = Static("", id="wire-head", markup=False)

    def compose(self) -> ComposeResult:
        """The headings and the rows."""
        yield self._head
        yield self.log_view
        yield self.end

    def on_resize(self) -> None:
        """Fit the headings to the width."""
        self._head.update(Columns(self.log_view.content_width).head())
