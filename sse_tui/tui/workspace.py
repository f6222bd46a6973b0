"""The panes side by side, and the links between them: what is selected in one is shown in the others.

A row of the wire log has its characters in the answer and its bytes in the detail.
"""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical

from sse_tui.config import state_dir
from sse_tui.errors import SseTuiError
from sse_tui.session.live import Live
from sse_tui.tui.answer.answer_pane import AnswerPane
from sse_tui.tui.answer.history import History
from sse_tui.tui.answer.prompt import Prompt
from sse_tui.tui.detail.detail_pane import DetailPane
from sse_tui.tui.detail.findings import FindingsView
from sse_tui.tui.screens.notices import notify_error
from sse_tui.tui.wire.wire_log import WireLog
from sse_tui.tui.wire.wire_pane import WirePane
from sse_tui.tui.wire.wire_source import WireSource

# The tab that shows a row without bytes of its own; json shows the record of any other.
_TABS = {"request": "headers", "response": "headers"}


class Workspace(Horizontal):
    """The panes of a session; `prompt` is None where no prompts are taken."""

    def __init__(self, session: Live, *, id: str | None = None) -> None:
        super().__init__(id=id)
        source = WireSource(session)
        chat = session.spec.mode == "chat"
        self.answer = AnswerPane(id="answer")
        self.prompt = Prompt(History(state_dir() / "prompts.jsonl"), id="prompt") if chat else None
        self.wire = WirePane(source, id="wire")
        self.detail = DetailPane(session.analysis.findings, id="detail")
        self._log = self.wire.log_view
        self._session = session
        self._source = source
        self._stale = False

    def compose(self) -> ComposeResult:
        """The conversation on the left, the wire log and its detail on the right."""
        with Vertical(id="left"):
            yield self.answer
            if self.prompt is not None:
                yield self.prompt
        with Vertical(id="right"):
            yield self.wire
            yield self.detail

    @property
    def home(self) -> Prompt | WireLog:
        """What has the focus at first."""
        return self.prompt or self.wire.log_view

    def sync(self) -> None:
        analysis = self._session.analysis
        turn = analysis.turn
        over = turn is None or turn.over or analysis.end is not None or self._session.broken_off
        self.wire.sync(self._session.end_rows)
        self.detail.sync()
        self.answer.sync(analysis.turns, streaming=not over)

    def refresh_detail(self) -> None:
        """Show in the detail the row that the wire log has followed to."""
        if self._stale:
            self._show_detail()

    def follow(self) -> None:
        """Go to the end in the answer and the wire log, and follow."""
        self._log.follow()
        self.answer.follow()

    def on_wire_log_row_selected(self, event: WireLog.RowSelected) -> None:
        if not event.by_hand:
            # A followed stream selects each row as it comes: the detail is not laid out anew for every one of them.
            self._stale = True
        elif self._show_detail():
            row, rows = event.row, self._session.rows
            if row is None:
                self.answer.select(0, None)
            else:
                self.answer.select(max(0, rows.turn_of(row)), rows.span(row))

    def on_wire_log_row_opened(self) -> None:
        self._show_detail()
        self.detail.action_enter()

    def _show_detail(self) -> bool:
        """Show the selected row in the detail; False, and a notice, when it cannot be read back."""
        self._stale = False
        index = self._log.selected_row
        if index is None or self._session.reader is None:
            return True
        try:
            row = self._source.row(index)
        except SseTuiError as error:
            notify_error(self, error)
            return False
        turn = self._source.turn(index)
        conn = next((c for c in turn.connections if c.number == row.conn), None) if turn is not None else None
        first = turn is not None and conn is not None and turn.connections[0] is conn
        numbers = self._session.found.at(index)
        if numbers and self.detail.findings.cursor not in numbers:
            self.detail.findings.choose(numbers[0])
        self.detail.show(row, conn, turn.clocks.clocks() if turn is not None and first else None)
        return True

    def on_line_view_follow_changed(self) -> None:
        """Following again takes the highlight away."""
        if self._log.following:
            self.answer.select(0, None)

    def on_answer_pane_character_clicked(self, event: AnswerPane.CharacterClicked) -> None:
        """Select the row that wrote the character."""
        row = self._session.rows.at_span(event.turn, event.offset)
        if row is not None:
            self._log.select_row(row)

    def action_step(self, by: int) -> None:
        """Select the next or previous row that wrote something."""
        rows = self._session.rows
        selected = self._log.selected_row
        row = (selected if selected is not None else len(rows)) + by
        while 0 <= row < len(rows):
            if rows.span(row) is not None:
                self._log.select_row(row)
                return
            row += by

    def on_findings_view_finding_chosen(self, event: FindingsView.FindingChosen) -> None:
        row = self._session.found.row(event.number)
        if row is not None:
            self._log.select_row(row)

    def on_findings_view_finding_opened(self, event: FindingsView.FindingOpened) -> None:
        """Show the bytes of a finding, or the headers or the record that it is about."""
        row = self._session.found.row(event.number)
        if row is None:
            self.notify("This finding is not about a row of the wire log.")
            return
        self._log.select_row(row)
        if not self._show_detail():
            return
        finding, shown = self._session.found.findings[event.number], self.detail.row
        if shown is not None and shown.raw:
            self.detail.show_bytes(
                finding.start if finding.start is not None else shown.start, finding.end or 0
            )
        else:
            self.detail.choose(_TABS.get(self._session.rows.label(row), "json"))

    def action_copy(self) -> None:
        """Copy the selected row's bytes, the detail's tab or the answer to the clipboard."""
        text, what = self.answer.clipping
        if self.detail.has_focus_within:
            text, what = self.detail.clipping
        elif self.wire.has_focus_within:
            try:
                text, what = self.wire.clipping or (text, what)
            except SseTuiError as error:
                notify_error(self, error)
                return
        if text:
            self.app.copy_to_clipboard(text)
            self.notify(f"Copied {what}: {len(text):,} characters.")
        else:
            self.notify("There is nothing to copy here.")
