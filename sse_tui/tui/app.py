"""The Textual app: puts the panes together and passes messages between them.

The app never reads a stream. It polls a `Live` session when that says there is something new, at most 30 times a
second, and hands what came to the panes; widgets are changed only in message handlers on the app's own loop.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from typing import ClassVar

from textual.app import ComposeResult, SystemCommand
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Input, TextArea

from sse_tui.config import state_dir
from sse_tui.errors import SseTuiError
from sse_tui.session.live import Live
from sse_tui.session.spec import SessionSpec
from sse_tui.tui.actions import ACTIONS, BY_ID, UNDER_WINDOWS, Keymap, bindings
from sse_tui.tui.answer.answer_pane import AnswerPane
from sse_tui.tui.answer.hints import hints
from sse_tui.tui.answer.history import History
from sse_tui.tui.answer.prompt import Prompt
from sse_tui.tui.answer.prompts import prompt_of
from sse_tui.tui.app_base import PANES
from sse_tui.tui.bars.fault_actions import FaultActions
from sse_tui.tui.bars.faults_bar import FaultsBar
from sse_tui.tui.bars.footer import FooterLine
from sse_tui.tui.bars.header import HeaderLine
from sse_tui.tui.bars.metrics_strip import MetricsStrip
from sse_tui.tui.bars.slo_table import Objectives
from sse_tui.tui.detail.detail_pane import DetailPane, TabLine
from sse_tui.tui.detail.finding_actions import FindingActions
from sse_tui.tui.drawing import figures, themes
from sse_tui.tui.ending import Ending
from sse_tui.tui.screens.bundle_actions import BundleActions
from sse_tui.tui.screens.help import help_screen
from sse_tui.tui.session_actions import SessionActions
from sse_tui.tui.wire.find_bar import FindBar
from sse_tui.tui.wire.search import Search
from sse_tui.tui.wire.watch import Watch
from sse_tui.tui.wire.wire_actions import WireActions
from sse_tui.tui.wire.wire_pane import WireLog, WirePane
from sse_tui.tui.wire.wire_source import WireSource

FRAME_S = 1 / 30
TICK_S = 0.1
PAUSE_S = 0.001
DETAIL_TICKS = 3


class SseTuiApp(FindingActions, WireActions, FaultActions, SessionActions, BundleActions):
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
        self.source = WireSource(self.session.rows, self.session.analysis.turns, found=self.session.found)
        self.objectives = Objectives(spec.config.slo)
        self._due: asyncio.TimerHandle | None = None
        self._last_frame = 0.0
        self._ticks = 0
        self._waiting = ""
        self._seen_error: SseTuiError | None = None
        self._endpoint_failed = False
        self._session_closed = False
        self._started = asyncio.Event()

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
                yield WirePane(self.source, id="wire")
                yield FindBar(id="find")
                yield DetailPane(self.session.analysis.findings, id="detail")
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
        self.wire_pane = self.query_one(WirePane)
        self.pane_tabs = self.query_one("#panes", TabLine)
        self.header = self.query_one(HeaderLine)
        self.footer = self.query_one(FooterLine)
        self.strip = self.query_one(MetricsStrip)
        self.faults = self.query_one(FaultsBar)
        self.find_bar = self.query_one(FindBar)
        self.prompt = self.query_one(Prompt) if self.spec.mode == "chat" else None
        self.search = Search(self.wire, self.find_bar, self.set_timer)
        self.wire_pane.border_title = "2 Wire"
        self.detail.border_title = "3 Detail"
        self.answer.border_title = "1 Answer"
        if self.prompt is not None:
            self.prompt.border_title = "prompt"
        self.show_pane("answer")
        self.focus_on(self.prompt or self.wire)
        for problem in self.keymap.problems:
            self.notify(problem, severity="warning", timeout=12)
        self.theme_changed_signal.subscribe(self, lambda _theme: self._restyle())
        self._restyle()
        self._update_hints()
        self.call_after_refresh(self._begin)

    def _use_theme(self, name: str) -> None:
        if name in self.available_themes:
            self.theme = name
            return
        self.theme = themes.DARK.name
        self.notify(f"[ui] theme: there is no theme {name!r}; ^p theme lists them.", severity="warning")

    def _restyle(self) -> None:
        document = self.answer.document
        document.code_theme = themes.code_theme(self.current_theme.dark)
        document.accent = self.answer.style_of("answer--label")
        self.answer.relayout()
        self.wire.refresh()

    def _begin(self) -> None:
        self.run_worker(self._start(), group="session")
        self.set_interval(TICK_S, self._tick)

    async def _start(self) -> None:
        try:
            await self.session.start()
        except SseTuiError as error:
            self.post_message(self.Failed(error))
        finally:
            self._started.set()
        self.wake()

    async def on_unmount(self) -> None:
        """The session's processes end with the app."""
        await self.close_session()

    async def close_session(self) -> None:
        """Close the session once, whatever way the app ends."""
        if not self._session_closed:
            self._session_closed = True
            if self._due is not None:
                self._due.cancel()
            await self.session.close()

    # -- the frame ------------------------------------------------------------------------------------------------

    def wake(self) -> None:
        """There may be something new: look at the next frame, at most 30 a second. Called from anywhere in the loop."""
        self._look_in(max(0.0, self._last_frame + FRAME_S - time.monotonic()))

    def _look_in(self, delay: float) -> None:
        if self._due is None and not self._session_closed:
            self._due = asyncio.get_running_loop().call_later(delay, self._look_due)

    def _look_due(self) -> None:
        self._due = None
        self.call_later(self._look)

    def _look(self) -> None:
        """Take in what is new; show it when a frame is due. A large file is read slice by slice between frames."""
        if self._session_closed:
            return
        try:
            self.watch_entries.see(self.session.poll())
        except SseTuiError as error:
            self.show_error(error)
            return
        self.source.reader = self.session.reader
        behind = self.session.behind
        now = time.monotonic()
        if not behind or now - self._last_frame >= FRAME_S:
            self._last_frame = now
            self._show()
        if behind:
            self._look_in(PAUSE_S)

    def _show(self) -> None:
        analysis = self.session.analysis
        turn = analysis.turn
        streaming = (
            turn is not None and not turn.over and analysis.end is None and not self.session.broken_off
        )
        self.wire.sync()
        self.wire_pane.end.show(self.session.end_rows)
        self.detail.sync()
        self.answer.sync(analysis.turns, streaming=streaming)
        self.show_titles()
        self._update_hints()
        self.search.go_on()
        self.show_clocks()
        status = self.session.status
        if status.error is not None and status.error is not self._seen_error:
            self.show_error(status.error)
        self._seen_error = status.error
        failed = (
            status.endpoint if status.endpoint is not None and status.endpoint.state == "failed" else None
        )
        if failed is not None and not self._endpoint_failed and analysis.turns:
            self.notify(failed.message, title="endpoint-gone", severity="error", timeout=12)
        self._endpoint_failed = failed is not None

    def _update_hints(self) -> None:
        self.answer.show_hint(
            hints(self.session, self.session.status, self._waiting, self.keymap.first(BY_ID["retry"]))
        )

    def _tick(self) -> None:
        """What changes with time alone: clocks while something runs, and the detail of a followed row."""
        self._ticks += 1
        if self._session_closed:
            return
        if self.session.now() is not None or self.session.behind:
            self.show_clocks()
        elif self._ticks % 5 == 0:
            self.wake()
        if self.detail_stale and self._ticks % DETAIL_TICKS == 0:
            self.show_detail()

    def show_clocks(self) -> None:
        analysis = self.session.analysis
        turn, now = analysis.turn, self.session.now()
        running = turn is not None and not turn.over and now is not None and not self.session.broken_off
        self.header.refresh()
        self.strip.show(
            turn,
            ttfts=figures.ttft_series(analysis.turns),
            idle=analysis.idle.view(now) if running and now is not None else None,
            clock=analysis.header.clock,
            rate_now=turn.gaps.rate(now) if running and turn is not None and now is not None else None,
            objectives=self.objectives.sync(analysis.turns),
        )
        self.faults.keys.show(
            armed=self.session.armed or self.watch_entries.armed,
            verdict=next(
                (turn.verdict for turn in reversed(analysis.turns) if turn.verdict is not None), None
            ),
            last=self.watch_entries.last_fault,
            possible=self.spec.mode != "open",
        )
        self.footer.show(self.pane_in_use())

    def on_sse_tui_app_failed(self, event: Failed) -> None:
        """Say what could not be done; an unsent prompt goes back where it came from."""
        self._waiting = ""
        self.show_error(event.error)
        if event.prompt and self.prompt is not None and not self.prompt.text:
            self.prompt.text = event.prompt
        self._update_hints()

    # -- panes ----------------------------------------------------------------------------------------------------

    def on_tab_line_chosen(self, event: TabLine.Chosen) -> None:
        """A pane's tab was clicked."""
        self.action_pane(PANES[event.tab])

    def on_descendant_focus(self) -> None:
        """The footer names the keys of the focused pane."""
        self.footer.show(self.pane_in_use())

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

    def _runner(self, run: str) -> Callable[[], Awaitable[None]]:
        async def go() -> None:
            await self.run_action(run)

        return go

    async def on_footer_line_pressed(self, event: FooterLine.Pressed) -> None:
        """A click on a key of the footer."""
        await self.run_action(event.run, self.focused or self)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While a window is over the app, its keys are the window's; only quitting goes through."""
        if len(self.screen_stack) > 1 and action in UNDER_WINDOWS:
            return False
        return super().check_action(action, parameters)

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
        await self._started.wait()
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
            await self.attempt(self.session.stop())
        elif self.prompt is not None:
            self.focus_on(self.prompt)

    async def action_interrupt(self) -> None:
        """Copy a selection in a field, else stop the stream."""
        focused = self.focused
        if isinstance(focused, Input | TextArea) and focused.selected_text:
            self.copy_to_clipboard(focused.selected_text)
        elif self.session.busy:
            await self.attempt(self.session.stop())
        else:
            self.notify("ctrl+q quits.")

    def action_markdown(self) -> None:
        """Markdown or as sent."""
        self.answer.document.as_markdown = not self.answer.document.as_markdown
        self.answer.relayout()
        self.show_titles()


def run(spec: SessionSpec) -> int:
    """Run the app on a session; gives the exit code: 0, or 128 and the signal that ended it."""
    app = SseTuiApp(spec)

    ending = Ending(lambda code: app.exit(return_code=code))

    async def main() -> None:
        ending.install()
        try:
            await app.run_async()
        finally:
            await app.close_session()
            ending.uninstall()

    asyncio.run(main())
    return app.return_code or 0
