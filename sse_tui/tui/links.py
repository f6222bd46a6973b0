"""The links between the panes: a row of the wire log, its characters in the answer, its bytes in the detail."""

from __future__ import annotations

from sse_tui.session.live import Live
from sse_tui.tui.answer.answer_pane import AnswerPane
from sse_tui.tui.detail.detail_pane import DetailPane
from sse_tui.tui.wire.wire_log import WireLog
from sse_tui.tui.wire.wire_source import WireSource

# The tab that shows a row without bytes of its own; json shows the record of any other.
_TABS = {"request": "headers", "response": "headers"}


class Links:
    """What is selected in one pane is shown in the others."""

    def __init__(
        self, session: Live, source: WireSource, answer: AnswerPane, wire: WireLog, detail: DetailPane
    ) -> None:
        self._session = session
        self._source = source
        self._answer = answer
        self._wire = wire
        self._detail = detail
        self._stale = False

    def row_selected(self, row: int | None, by_hand: bool) -> None:
        """A row was selected: show its characters in the answer and its bytes in the detail."""
        if not by_hand:
            # A followed stream selects each row as it comes: the detail is not laid out anew for every one of them.
            self._stale = True
            return
        self.show_detail()
        span = self._session.rows.span(row) if row is not None else None
        self._answer.select(max(0, self._session.rows.turn_of(row)) if row is not None else 0, span)

    def follow_changed(self) -> None:
        """Following again takes the highlight away."""
        if self._wire.following:
            self._answer.select(0, None)

    def refresh(self) -> None:
        """Show the followed row in the detail, where another one has come since."""
        if self._stale:
            self.show_detail()

    def show_detail(self) -> None:
        """Show the selected row in the detail. Raises `RecordingError` when it cannot be read back."""
        self._stale = False
        index = self._wire.selected_row
        if index is None or self._session.reader is None:
            return
        row = self._source.row(index)
        turn = self._source.turn(index)
        conn = next((c for c in turn.connections if c.number == row.conn), None) if turn is not None else None
        first = turn is not None and conn is not None and turn.connections[0] is conn
        numbers = self._session.found.at(index)
        if numbers and self._detail.findings.cursor not in numbers:
            self._detail.findings.choose(numbers[0])
        self._detail.show(row, conn, turn.clocks.clocks() if turn is not None and first else None)

    def select_character(self, turn: int, offset: int) -> None:
        """Select the row that wrote a character of a turn's transcript."""
        row = self._session.rows.at_span(turn, offset)
        if row is not None:
            self._wire.select_row(row)

    def step(self, by: int) -> None:
        """Select the next or previous row that wrote something."""
        rows = self._session.rows
        selected = self._wire.selected_row
        row = (selected if selected is not None else len(rows)) + by
        while 0 <= row < len(rows):
            if rows.span(row) is not None:
                self._wire.select_row(row)
                return
            row += by

    def select_finding(self, number: int) -> int | None:
        """Select the row of a finding; gives the row, None where there is none."""
        row = self._session.found.row(number)
        if row is not None:
            self._wire.select_row(row)
        return row

    def open_finding(self, number: int) -> None:
        """Show the bytes of a finding, or the headers or the record that it is about."""
        row = self.select_finding(number)
        if row is None:
            self._detail.notify("This finding is not about a row of the wire log.")
            return
        self.show_detail()
        finding, shown = self._session.found.findings[number], self._detail.row
        if shown is not None and shown.raw:
            self._detail.show_bytes(
                finding.start if finding.start is not None else shown.start, finding.end or 0
            )
        else:
            self._detail.choose(_TABS.get(self._session.rows.label(row), "json"))
