"""The wire pane: the wire log under its headings, with find, filter and the way to the slowest gap."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input, Static

from sse_tui.analysis.entry import Entry
from sse_tui.text.wording import many
from sse_tui.tui.panes import enter
from sse_tui.tui.wire.end_of_file import EndOfFile
from sse_tui.tui.wire.filters import FILTERS
from sse_tui.tui.wire.find_bar import FindBar
from sse_tui.tui.wire.row_search import RowSearch
from sse_tui.tui.wire.slowest_gap import SlowestGap
from sse_tui.tui.wire.wire_log import WireLog
from sse_tui.tui.wire.wire_row import HEADINGS, Columns
from sse_tui.tui.wire.wire_source import WireSource
from sse_tui.wirelog.glimpse import GlimpsedRow


class WirePane(Vertical):
    """`log_view` has the rows, and posts `WireLog.RowSelected` and `RowOpened`."""

    def __init__(self, source: WireSource, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.log_view = WireLog(source, id="wire-log")
        self.end = EndOfFile(id="wire-end")
        self.find_bar = FindBar(id="find")
        self._source = source
        self._head = Static("", id="wire-head", markup=False)
        self._search = RowSearch(self.log_view, source, self.find_bar, self.set_timer)
        self._slowest = SlowestGap()
        self.border_title = "2 Wire"

    def compose(self) -> ComposeResult:
        yield self._head
        yield self.log_view
        yield self.end
        yield self.find_bar

    def add(self, entries: Sequence[Entry]) -> None:
        """Take in entries as they are read; the rows appear with the next `sync`."""
        self._slowest.add(entries)

    def sync(self, end_rows: Sequence[GlimpsedRow]) -> None:
        """Show the rows that were added; `end_rows` are the last ones of a file that is still being read."""
        self.end.show(end_rows)
        if self.log_view.sync():
            self._show_title()
        self._search.resume()

    def _show_title(self) -> None:
        rows = self.log_view.visible_rows
        hidden = rows.seen - len(rows)
        count = many(len(rows), "row") + (f", {hidden:,} hidden" if hidden else "")
        follow = "FOLLOW" if self.log_view.following else "paused (End to follow)"
        name = "" if rows.filter is FILTERS[0] else f" · {rows.filter.name}"
        self.border_title = f"2 Wire · {follow}{name} · {count}"

    @property
    def clipping(self) -> tuple[str, str] | None:
        """The bytes of the selected row for the clipboard, and what to call them; None without one."""
        row = self.log_view.selected_row
        if row is None:
            return None
        return self._source.row(row).raw.decode("utf-8", "replace"), f"row {row}"

    def on_resize(self) -> None:
        self._head.update(Columns(self.log_view.content_width).line(HEADINGS))

    def on_line_view_follow_changed(self) -> None:
        self._show_title()

    def action_enter(self) -> None:
        enter(self, self.log_view)

    def action_find(self) -> None:
        self.find_bar.display = True
        enter(self, self.find_bar.field)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._search.start(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.screen.set_focus(self.log_view)

    def close_find(self) -> bool:
        """Close the find bar and forget its query; False when it was not open."""
        if not self.find_bar.display:
            return False
        self.find_bar.display = False
        self._search.start("")
        self.screen.set_focus(self.log_view)
        return True

    def action_find_next(self, by: int) -> None:
        if not self._search.move(by):
            self.notify("No match." if self.log_view.query_text else "/ finds text in the wire log.")

    def action_filter(self, by: int) -> None:
        current = FILTERS.index(self.log_view.visible_rows.filter)
        self.log_view.use_filter(FILTERS[(current + by) % len(FILTERS)])
        self._show_title()

    def action_slowest_gap(self) -> None:
        if self._slowest.row is None:
            self.notify("No gap was observed yet.")
            return
        self.action_enter()
        self.log_view.select_row(self._slowest.row)
