"""The panes side by side: composes answer, prompt, wire log and detail, and shows in each what another selected."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical

from sse_tui.analysis.entry import Entry
from sse_tui.config import state_dir
from sse_tui.errors import SseTuiError
from sse_tui.session.live import Live
from sse_tui.tui.answer.answer_pane import AnswerPane
from sse_tui.tui.answer.history import History
from sse_tui.tui.answer.prompt import Prompt
from sse_tui.tui.answer.prompts import prompt_of
from sse_tui.tui.detail.detail_pane import DetailPane
from sse_tui.tui.detail.findings import FindingsView
from sse_tui.tui.links import Links
from sse_tui.tui.screens.notices import notify_error
from sse_tui.tui.wire.wire_log import WireLog
from sse_tui.tui.wire.wire_pane import WirePane
from sse_tui.tui.wire.wire_source import WireSource


class Workspace(Horizontal):
    """The panes of a session; `prompt` is None where no prompts are taken."""

    def __init__(self, session: Live, *, id: str | None = None) -> None:
        super().__init__(id=id)
        source = WireSource(session)
        chat = session.spec.mode == "chat"
        self.answer = AnswerPane(prompt_of, id="answer")
        self.prompt = Prompt(History(state_dir() / "prompts.jsonl"), id="prompt") if chat else None
        self.wire = WirePane(source, id="wire")
        self.detail = DetailPane(session.analysis.findings, id="detail")
        self._session = session
        self._links = Links(session, source, self.answer, self.wire.log_view, self.detail)

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

    def add(self, entries: Sequence[Entry]) -> None:
        """Take in entries as they are read; `sync` shows them."""
        self.wire.add(entries)

    def sync(self) -> None:
        analysis = self._session.analysis
        turn = analysis.turn
        over = turn is None or turn.over or analysis.end is not None or self._session.broken_off
        self.wire.sync(self._session.end_rows)
        self.detail.sync()
        self.answer.sync(analysis.turns, streaming=not over)

    def refresh_detail(self) -> None:
        """Show in the detail the row that the wire log has followed to."""
        self._link(self._links.refresh)

    def follow(self) -> None:
        """Go to the end in the answer and the wire log, and follow."""
        self.wire.follow()
        self.answer.follow()

    def _link(self, link: Callable[[], object]) -> None:
        """Do it, or say why a row cannot be read back."""
        try:
            link()
        except SseTuiError as error:
            notify_error(self, error)

    def on_wire_log_row_selected(self, event: WireLog.RowSelected) -> None:
        self._link(lambda: self._links.row_selected(event.row, event.by_hand))

    def on_wire_log_row_opened(self) -> None:
        self._link(self._links.show_detail)
        self.detail.action_enter()

    def on_line_view_follow_changed(self) -> None:
        self._links.follow_changed()

    def on_answer_pane_character_clicked(self, event: AnswerPane.CharacterClicked) -> None:
        self._links.select_character(event.turn, event.offset)

    def on_findings_view_finding_chosen(self, event: FindingsView.FindingChosen) -> None:
        self._links.select_finding(event.number)

    def on_findings_view_finding_opened(self, event: FindingsView.FindingOpened) -> None:
        self._link(lambda: self._links.open_finding(event.number))

    def action_step(self, by: int) -> None:
        self._links.step(by)

    def action_copy(self) -> None:
        """Copy the selected row's bytes, the detail's tab or the answer to the clipboard."""
        self._link(self._copy)

    def _copy(self) -> None:
        clipping = self.answer.clipping
        if self.wire.has_focus_within:
            clipping = self.wire.clipping or clipping
        elif self.detail.has_focus_within:
            clipping = self.detail.clipping
        text, what = clipping
        if text:
            self.app.copy_to_clipboard(text)
            self.notify(f"Copied {what}: {len(text):,} characters.")
        else:
            self.notify("There is nothing to copy here.")
