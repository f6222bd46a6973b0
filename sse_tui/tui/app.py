"""The Textual app: puts the panes together and passes messages between them.

The app never reads a stream. It polls a `Live` session when that says there is something new, at most 30 times a
second, and hands what came to the panes; widgets are changed only in message handlers on the app's own loop.
"""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Iterable
from typing import ClassVar

from textual.app import App, ComposeResult, SystemCommand
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input, TextArea

from sse_tui.config import state_dir
from sse_tui.errors import SseTuiError
from sse_tui.session.live import Live
from sse_tui.session.spec import SessionSpec
from sse_tui.tui import figures, themes
from sse_tui.tui.actions import ACTIONS, BY_ID, Keymap, bindings
from sse_tui.tui.answer import AnswerPane
from sse_tui.tui.ask import Ask
from sse_tui.tui.detail import DetailLines, DetailPane, TabLine
from sse_tui.tui.faults_bar import FaultsBar
from sse_tui.tui.filters import FILTERS
from sse_tui.tui.find_bar import FindBar
from sse_tui.tui.footer import FooterLine
from sse_tui.tui.header import HeaderLine
from sse_tui.tui.help import help_screen, metrics_screen
from sse_tui.tui.hints import hints
from sse_tui.tui.history import History
from sse_tui.tui.line_view import LineView
from sse_tui.tui.metrics_strip import MetricsStrip
from sse_tui.tui.prompt import Prompt
from sse_tui.tui.prompts import prompt_of
from sse_tui.tui.search import Search
from sse_tui.tui.watch import Watch
from sse_tui.tui.wire import WireLog, WirePane
from sse_tui.tui.wire_source import WireSource

FRAME_S = 1 / 30
TICK_S = 0.1
DETAIL_TICKS = 3
PANES = {"Answer": "answer", "Wire": "wire", "Detail": "detail"}


class SseTuiApp(App[int]):
    """One session on screen."""

    TITLE = "sse-tui"
    CSS_PATH = "app.tcss"
    BINDINGS: ClassVar[list[BindingType]] = list(bindings("app"))
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-short"), (30, "-tall")]
    ENABLE_COMMAND_PALETTE = True

    class Failed(Message):
        """Something that was asked for could not be done; `prompt` is what was to be sent."""

        def __init__(self, error: SseTuiError, prompt: str = "") -> None:
            super().__init__()
            self.error = error
            self.prompt = prompt

    def __init__(self, spec: SessionSpec, *, live: Live | None = None) -> None:
        super().__init__()
        self.spec = spec
        self.session = live or Live(spec, self.wake)
        self.keymap = Keymap(spec.config.keys)
        self.watch_entries = Watch()
        self._source = WireSource(self.session.rows, self.session.analysis.turns)
        self._due: asyncio.TimerHandle | None = None
        self._last_frame = 0.0
        self._ticks = 0
        self._detail_stale = False
        self._waiting = ""
        self._seen_error: SseTuiError | None = None
        self._focus_before: str | None = None
        self._closed = False

    # -- composition ----------------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        """The panes; a session that cannot be talked to has no prompt."""
        yield HeaderLine(self.session, id="header")
        yield TabLine(tuple(PANES), id="panes")
        with Horizontal(id="main"):
            with Vertical(id="left"):
                yield AnswerPane(prompt_of, id="answer")
                if self.spec.mode == "chat":
                    yield Prompt(History(state_dir() / "prompts.jsonl"), id="prompt")
            with Vertical(id="right"):
                yield WirePane(self._source, id="wire")
                yield FindBar(id="find")
                yield DetailPane(id="detail")
        yield MetricsStrip(id="metrics")
        yield FaultsBar(id="faults")
        yield FooterLine(self.keymap, id="footer")

    async def on_mount(self) -> None:
        """Themes, keys, signals; then the session starts, after the first paint."""
        for theme in themes.OWN:
            self.register_theme(theme)
        self._use_theme(self.spec.config.ui.theme)
        self.set_keymap(self.keymap.textual)
        self.answer = self.query_one(AnswerPane)
        self.wire = self.query_one(WireLog)
        self.detail = self.query_one(DetailPane)
        self.strip = self.query_one(MetricsStrip)
        self.faults = self.query_one(FaultsBar)
        self.find_bar = self.query_one(FindBar)
        self.prompt = self.query_one(Prompt) if self.spec.mode == "chat" else None
        self.search = Search(self.wire, self.find_bar, self.set_timer)
        self.query_one("#wire").border_title = "2 Wire"
        self.query_one("#detail").border_title = "3 Detail"
        self.answer.border_title = "1 Answer"
        if self.prompt is not None:
            self.prompt.border_title = "prompt"
        self._show_pane("answer")
        self._focus(self.prompt or self.wire)
        for problem in self.keymap.problems:
            self.notify(problem, severity="warning", timeout=12)
        self._catch_signals()
        self.theme_changed_signal.subscribe(self, lambda _theme: self._restyle())
        self._restyle()
        self._update_hints()
        self.call_after_refresh(self._begin)

    def _use_theme(self, name: str) -> None:
        if name in self.available_themes:
            self.theme = name
            return
        self.theme = themes.DARK.name
        self.notify(f"[ui] theme: there is no theme {name!r}; ^p theme lists them.", severity="warning", markup=False)

    def _restyle(self) -> None:
        document = self.answer.document
        document.code_theme = themes.code_theme(self.current_theme.dark)
        document.accent = self.get_css_variables().get("accent", "")
        self.answer.relayout()
        self.wire.refresh()

    def _catch_signals(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP):
            try:
                loop.add_signal_handler(number, self._signalled, number)
            except (NotImplementedError, RuntimeError, ValueError):
                # Not the main thread, as under a test; whoever runs the loop there has the signals.
                return

    def _signalled(self, number: int) -> None:
        self.exit(return_code=128 + number)

    def _begin(self) -> None:
        self.run_worker(self._start(), group="session")
        self.set_interval(TICK_S, self._tick)

    async def _start(self) -> None:
        try:
            await self.session.start()
        except SseTuiError as error:
            self.post_message(self.Failed(error))
        self.wake()

    async def on_unmount(self) -> None:
        """The session's processes end with the app."""
        await self.close_session()

    async def close_session(self) -> None:
        """Close the session once, whatever way the app ends."""
        if not self._closed:
            self._closed = True
            if self._due is not None:
                self._due.cancel()
            await self.session.close()

    # -- the frame ------------------------------------------------------------------------------------------------

    def wake(self) -> None:
        """There may be something new: look at the next frame, at most 30 a second. Called from anywhere in the loop."""
        if self._due is not None or self._closed:
            return
        delay = max(0.0, self._last_frame + FRAME_S - time.monotonic())
        self._due = asyncio.get_running_loop().call_later(delay, self._frame_due)

    def _frame_due(self) -> None:
        self._due = None
        self.call_later(self._frame)

    def _frame(self) -> None:
        """Take in what is new and hand it to the panes."""
        if self._closed:
            return
        self._last_frame = time.monotonic()
        try:
            self.watch_entries.see(self.session.poll())
        except SseTuiError as error:
            self._show_error(error)
        self._source.reader = self.session.reader
        self._show()
        if self.session.behind:
            self.wake()

    def _show(self) -> None:
        analysis = self.session.analysis
        turn = analysis.turn
        streaming = turn is not None and not turn.over and analysis.end is None
        self.wire.sync()
        self.answer.sync(analysis.turns, streaming=streaming)
        self._titles()
        self._update_hints()
        self.search.go_on()
        self._clocks()
        status = self.session.status
        if status.error is not None and status.error is not self._seen_error:
            self._show_error(status.error)
        self._seen_error = status.error

    def _titles(self) -> None:
        hidden = self.wire.visible_rows.seen - len(self.wire.visible_rows)
        shown = f"{len(self.wire.visible_rows):,} rows" + (f", {hidden:,} hidden" if hidden else "")
        follow = "FOLLOW" if self.wire.following else "held: End follows"
        chosen = self.wire.visible_rows.filter
        name = "" if chosen is FILTERS[0] else f" · {chosen.name}"
        self.query_one("#wire").border_title = f"2 Wire · {follow}{name} · {shown}"
        held = "" if self.answer.following else " · held: End follows"
        plain = "" if self.answer.document.as_markdown else " · as sent"
        self.answer.border_title = f"1 Answer{plain}{held}"

    def _update_hints(self) -> None:
        self.answer.show_hint(
            hints(self.session, self.session.status, self._waiting, self.keymap.first(BY_ID["retry"]))
        )

    def _tick(self) -> None:
        """What changes with time alone: clocks while something runs, and the detail of a followed row."""
        self._ticks += 1
        if self.session.now() is not None or self.session.behind:
            self._clocks()
        elif self._ticks % 5 == 0:
            self.wake()
        if self._detail_stale and self._ticks % DETAIL_TICKS == 0:
            self._show_detail()

    def _clocks(self) -> None:
        analysis = self.session.analysis
        turn, now = analysis.turn, self.session.now()
        running = turn is not None and not turn.over and now is not None
        self.query_one(HeaderLine).refresh()
        self.strip.show(
            turn,
            ttfts=figures.ttft_series(analysis.turns),
            idle=analysis.idle.view(now) if running and now is not None else None,
            clock=analysis.header.clock,
            rate_now=turn.gaps.rate(now) if running and turn is not None and now is not None else None,
        )
        self.faults.keys.show(
            armed=self.session.armed or self.watch_entries.armed,
            verdict=next((turn.verdict for turn in reversed(analysis.turns) if turn.verdict is not None), None),
            last=self.watch_entries.last_fault,
            possible=self.spec.mode != "open",
        )
        self.query_one(FooterLine).show(self._pane_in_use())

    def _show_error(self, error: SseTuiError) -> None:
        self.notify(str(error), title=error.code, severity="error", timeout=12, markup=False)

    def on_sse_tui_app_failed(self, event: Failed) -> None:
        """Say what could not be done; an unsent prompt goes back where it came from."""
        self._waiting = ""
        self._show_error(event.error)
        if event.prompt and self.prompt is not None and not self.prompt.text:
            self.prompt.text = event.prompt
        self._update_hints()

    # -- selection ------------------------------------------------------------------------------------------------

    def on_wire_log_selected(self, event: WireLog.Selected) -> None:
        """A row was selected: its characters in the answer, its bytes in the detail."""
        if not event.by_hand:
            self._detail_stale = True
            return
        self._show_detail()
        row = event.row
        span = self.session.rows.span(row) if row is not None else None
        self.answer.select(max(0, self.session.rows.turn_of(row)) if row is not None else 0, span)
        self._titles()

    def _show_detail(self) -> None:
        self._detail_stale = False
        index = self.wire.selected_row
        if index is None or self._source.reader is None:
            return
        try:
            row = self._source.row(index)
        except SseTuiError as error:
            self._show_error(error)
            return
        turn = self._source.turn(index)
        conn = next((c for c in turn.connections if c.number == row.conn), None) if turn is not None else None
        first = turn is not None and conn is not None and turn.connections[0] is conn
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
        self._show_detail()
        self.action_pane("detail")

    def on_line_view_follow_changed(self) -> None:
        """Say so in the titles; following again takes the highlight away."""
        if self.wire.following:
            self.answer.select(0, None)
        self._titles()

    # -- panes ----------------------------------------------------------------------------------------------------

    def _show_pane(self, name: str) -> None:
        """In a narrow terminal one pane is shown at a time: this one."""
        for pane in PANES.values():
            self.screen.set_class(pane == name, f"-{pane}")
        self.query_one("#panes", TabLine).choose(next(tab for tab, pane in PANES.items() if pane == name))

    def on_tab_line_chosen(self, event: TabLine.Chosen) -> None:
        """A pane's tab was clicked."""
        self.action_pane(PANES[event.tab])

    def on_descendant_focus(self) -> None:
        """The footer names the keys of the focused pane."""
        self.query_one(FooterLine).show(self._pane_in_use())

    def _pane_in_use(self) -> str:
        focused = self.focused
        while focused is not None:
            if focused.id in {"prompt", "wire", "answer", "detail", "faults", "find"}:
                return str(focused.id)
            parent = focused.parent
            focused = parent if isinstance(parent, Vertical | Horizontal | LineView | FaultsBar) else None
        return ""

    def _focus(self, widget: Widget) -> None:
        # At once, unlike `Widget.focus`: the next key must not go to the field that had the focus before.
        self.screen.set_focus(widget)

    def action_pane(self, name: str) -> None:
        """Go to a pane, or open the metrics."""
        if name == "metrics":
            analysis = self.session.analysis
            self.push_screen(metrics_screen(analysis.turn, analysis.header.clock, len(analysis.turns)))
            return
        if name in PANES.values():
            self._show_pane(name)
        targets = {"answer": self.answer, "wire": self.wire, "detail": self.detail.lines, "prompt": self.prompt}
        target = targets.get(name)
        if target is not None:
            self._focus(target)

    # -- actions --------------------------------------------------------------------------------------------------

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """The command palette: the registry's actions."""
        for action in ACTIONS:
            if action.palette:
                keys = self.keymap.first(action)
                yield SystemCommand(
                    action.label, f"{action.help}" + (f" ({keys})" if keys else ""), self._runner(action.run)
                )
        yield SystemCommand("theme", BY_ID["theme"].help, self.action_change_theme)

    def _runner(self, run: str) -> "object":
        async def go() -> None:
            await self.run_action(run)

        return go

    async def on_footer_line_pressed(self, event: FooterLine.Pressed) -> None:
        """A click on a key of the footer."""
        await self.run_action(event.run, self.focused or self)

    def action_help(self) -> None:
        """All keys."""
        self.push_screen(help_screen(self.keymap))

    async def action_quit(self) -> None:
        """End the session and the app."""
        self.exit(0)

    async def on_prompt_sent(self, event: Prompt.Sent) -> None:
        """Send the prompt, as soon as there is someone to send it to."""
        if self.session.busy or self._waiting:
            self.notify("An answer is still on its way: esc stops it.", severity="warning")
            return
        assert self.prompt is not None
        self.prompt.sent()
        self._waiting = event.text
        self.wire.follow()
        self.answer.follow()
        self._update_hints()
        self.run_worker(self._send(event.text), group="send")

    async def _send(self, text: str) -> None:
        try:
            await self.session.send(text)
        except SseTuiError as error:
            self.post_message(self.Failed(error, text))
        else:
            self._waiting = ""
        self.wake()

    async def action_stop(self) -> None:
        """Leave what is open, else stop the stream, else go back to the prompt. Never quits."""
        if self.find_bar.is_open:
            self._close_find()
        elif self.faults.asking:
            self.action_leave_faults()
        elif self.session.busy:
            await self._try(self.session.stop())
        elif self.prompt is not None:
            self._focus(self.prompt)

    async def action_interrupt(self) -> None:
        """Copy a selection in a field, else stop the stream."""
        focused = self.focused
        if isinstance(focused, Input | TextArea) and focused.selected_text:
            self.copy_to_clipboard(focused.selected_text)
        elif self.session.busy:
            await self._try(self.session.stop())
        else:
            self.notify("ctrl+q quits.")

    async def _try(self, awaitable: object) -> bool:
        try:
            await awaitable  # type: ignore[misc]
        except SseTuiError as error:
            self._show_error(error)
            return False
        return True

    def action_find(self) -> None:
        """Open the find bar."""
        self._show_pane("wire")
        self.find_bar.open()

    def on_find_bar_changed(self, event: FindBar.Changed) -> None:
        """Search while typing."""
        self.search.start(event.query)

    def on_find_bar_accepted(self) -> None:
        """Enter in the find bar: to the matches."""
        self._focus(self.wire)

    def _close_find(self) -> None:
        self.find_bar.close()
        self.search.start("")
        self._focus(self.wire)

    def action_find_next(self, by: int) -> None:
        """The next or previous match."""
        if not self.search.move(by):
            self.notify("Nothing was found." if self.wire.query_text else "/ finds text in the wire log.")

    def action_filter(self, by: int) -> None:
        """The next or previous filter."""
        place = FILTERS.index(self.wire.visible_rows.filter)
        self.wire.use_filter(FILTERS[(place + by) % len(FILTERS)])
        self._titles()

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
        context = self._pane_in_use()
        turn = self.session.analysis.turn
        if context == "detail":
            text, what = self.detail.lines.text, "the detail"
        elif context in {"wire", "find"} and self.wire.selected_row is not None:
            row = self._source.row(self.wire.selected_row)
            text, what = row.raw.decode("utf-8", "replace"), f"row {self.wire.selected_row}"
        else:
            text, what = (turn.answer.text if turn is not None else ""), "the answer"
        if text:
            self.copy_to_clipboard(text)
            self.notify(f"Copied {what}: {len(text):,} characters.")
        else:
            self.notify("There is nothing to copy here.")

    def action_markdown(self) -> None:
        """Markdown or as sent."""
        self.answer.document.as_markdown = not self.answer.document.as_markdown
        self.answer.relayout()
        self._titles()

    def action_keep(self) -> None:
        """Mark the recording to be kept, or take the mark off."""
        try:
            kept = self.session.keep()
        except SseTuiError as error:
            self._show_error(error)
            return
        self.notify(f"Kept: {kept}" if kept is not None else "This recording is yours already; nothing clears it.")

    def action_note(self) -> None:
        """Ask for a bookmark."""
        if self.spec.mode == "open":
            self.notify("Bookmarks are written while a session runs.")
            return
        self.push_screen(Ask("bookmark", "what happened here"), self._note)

    async def _note(self, text: str | None) -> None:
        if text:
            await self._try(self.session.note(text))

    async def action_retry(self) -> None:
        """Start the local endpoint again."""
        endpoint = self.session.status.endpoint
        if endpoint is None or endpoint.state not in {"failed", "stopped"}:
            self.notify("There is nothing to start again.")
            return
        await self._try(self.session.restart_endpoint())
        self.wake()

    # -- faults ---------------------------------------------------------------------------------------------------

    def action_faults(self) -> None:
        """The bar takes the next key."""
        if self.spec.mode == "open":
            self.notify("Faults need a live connection; this is a recording.")
            return
        focused = self.focused
        if focused is not None and focused is not self.faults.keys:
            self._focus_before = focused.id
        self._focus(self.faults.keys)

    def action_leave_faults(self) -> None:
        """Back to where the focus was."""
        self.faults.done()
        before = self.query(f"#{self._focus_before}") if self._focus_before else None
        self._focus(before.first() if before else self.prompt or self.wire)

    async def action_fault(self, plan: str) -> None:
        """Do it now; without a stream there is nothing to break."""
        self.action_leave_faults()
        if not self.session.busy:
            self.notify("No stream is running: ^x then a arms a fault for the next one.", severity="warning")
            return
        await self._try(self.session.fault(plan))

    def action_arm(self) -> None:
        """Ask for a plan."""
        self.faults.ask(self.session.armed or "cut@event=")

    async def on_faults_bar_arm(self, event: FaultsBar.Arm) -> None:
        """Arm a plan, in the running stream or for the next."""
        self.action_leave_faults()
        if await self._try(self.session.fault(event.plan)) and self.session.busy:
            self.watch_entries.armed = event.plan
        self._clocks()

    def action_disarm(self) -> None:
        """Take back a fault that is armed for the next stream."""
        if self.session.armed:
            self.session.armed = ""
            self._clocks()
        elif self.watch_entries.armed:
            self.notify("It is armed in the running stream and cannot be taken back.")
        self.action_leave_faults()


def run(spec: SessionSpec) -> int:
    """Run the app on a session; gives the exit code: 0, or 128 and the signal that ended it."""
    app = SseTuiApp(spec)

    async def main() -> None:
        try:
            await app.run_async()
        finally:
            await app.close_session()

    asyncio.run(main())
    return app.return_code or 0
