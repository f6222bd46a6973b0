"""What the keys of the wire log do: find, filter, the slowest gap, copy."""

from __future__ import annotations

from sse_tui.tui.app_base import SessionApp
from sse_tui.tui.wire.filters import FILTERS
from sse_tui.tui.wire.find_bar import FindBar


class WireActions(SessionApp):
    """Find, filter, slowest gap and copy."""

    def action_find(self) -> None:
        """Open the find bar."""
        self.show_pane("wire")
        self.find_bar.open()

    def on_find_bar_changed(self, event: FindBar.Changed) -> None:
        """Search while typing."""
        self.search.start(event.query)

    def on_find_bar_accepted(self) -> None:
        """Enter in the find bar: to the matches."""
        self.focus_on(self.wire)

    def _close_find(self) -> None:
        self.find_bar.close()
        self.search.start("")
        self.focus_on(self.wire)

    def action_find_next(self, by: int) -> None:
        """The next or previous match."""
        if not self.search.move(by):
            self.notify("Nothing was found." if self.wire.query_text else "/ finds text in the wire log.")

    def action_filter(self, by: int) -> None:
        """The next or previous filter."""
        place = FILTERS.index(self.wire.visible_rows.filter)
        self.wire.use_filter(FILTERS[(place + by) % len(FILTERS)])
        self.show_titles()

    def action_slowest_gap(self) -> None:
        """To the longest gap of the turn."""
        row = self.watch_entries.slowest_row
        if row is None:
            self.notify("No gap was observed yet.")
            return
        self.action_pane("wire")
        self.wire.select_row(row)

    def action_copy(self) -> None:
        """The selected row's bytes, the detail's tab or the answer to the clipboard."""
        context = self.pane_in_use()
        turn = self.session.analysis.turn
        if context == "findings":
            text, what = self.detail.findings.text, "the findings"
        elif context == "detail":
            text, what = self.detail.lines.text, "the detail"
        elif context in {"wire", "find"} and self.wire.selected_row is not None:
            row = self.source.row(self.wire.selected_row)
            text, what = row.raw.decode("utf-8", "replace"), f"row {self.wire.selected_row}"
        else:
            text, what = (turn.answer.text if turn is not None else ""), "the answer"
        if text:
            self.copy_to_clipboard(text)
            self.notify(f"Copied {what}: {len(text):,} characters.")
        else:
            self.notify("There is nothing to copy here.")
