"""The links between the panes: a row of the wire log, its characters in the answer, its bytes in the detail."""

from __future__ import annotations

from sse_tui.errors import SseTuiError
from sse_tui.tui.answer.answer_pane import AnswerPane
from sse_tui.tui.app_base import SessionApp
from sse_tui.tui.wire.wire_pane import WireLog


class Links(SessionApp):
    """Handles what was selected in one pane and shows it in the others."""

    detail_stale = False

    def on_wire_log_selected(self, event: WireLog.Selected) -> None:
        """A row was selected: its characters in the answer, its bytes in the detail."""
        if not event.by_hand:
            self.detail_stale = True
            return
        self.show_detail()
        row = event.row
        span = self.session.rows.span(row) if row is not None else None
        self.answer.select(max(0, self.session.rows.turn_of(row)) if row is not None else 0, span)
        self.show_titles()

    def show_detail(self) -> None:
        self.detail_stale = False
        index = self.wire.selected_row
        if index is None or self.source.reader is None:
            return
        try:
            row = self.source.row(index)
        except SseTuiError as error:
            self.show_error(error)
            return
        turn = self.source.turn(index)
        conn = next((c for c in turn.connections if c.number == row.conn), None) if turn is not None else None
        first = turn is not None and conn is not None and turn.connections[0] is conn
        about = self.session.found.at(index)
        if about and self.detail.findings.cursor not in about:
            self.detail.findings.choose(about[0])
        self.detail.show(row, conn, turn.clocks.clocks() if turn is not None and first else None)

    def on_answer_pane_picked(self, event: AnswerPane.Picked) -> None:
        """A character of the answer was clicked: to the row that wrote it."""
        row = self.session.rows.at_span(event.turn, event.offset)
        if row is not None:
            self.wire.select_row(row)

    def on_answer_pane_step(self, event: AnswerPane.Step) -> None:
        """The next or previous row that wrote something."""
        rows = self.session.rows
        row = self.wire.selected_row
        place = (row if row is not None else len(rows)) + event.by
        while 0 <= place < len(rows):
            if rows.span(place) is not None:
                self.wire.select_row(place)
                return
            place += event.by

    def on_answer_pane_open_wire(self) -> None:
        """To the wire log."""
        self.action_pane("wire")

    def on_wire_log_open_detail(self) -> None:
        """To the detail."""
        self.show_detail()
        self.action_pane("detail")

    def on_line_view_follow_changed(self) -> None:
        """Say so in the titles; following again takes the highlight away."""
        if self.wire.following:
            self.answer.select(0, None)
        self.show_titles()
