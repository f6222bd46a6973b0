"""The Textual app: composes the panes, passes messages between them, and holds the session.

The app never reads a stream. It polls a `Live` session when that says there is something new, at most 30 times a
second, and hands what came to the panes; widgets are changed only in message handlers on the app's own loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from functools import partial
from typing import ClassVar

from textual.actions import ActionParseResult
from textual.app import App, ComposeResult, SystemCommand
from textual.binding import BindingType
from textual.dom import DOMNode
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver
from textual.events import Event, Paste
from textual.notifications import SeverityLevel
from textual.screen import Screen
from textual.widgets import Input, TextArea

from sse_tui.errors import SseTuiError
from sse_tui.session.live import Live
from sse_tui.session.spec import SessionSpec
from sse_tui.text.safety import typed
from sse_tui.tui.actions import ACTIONS, BY_ID, UNDER_WINDOWS, Keymap, bindings
from sse_tui.tui.answer.hints import hints
from sse_tui.tui.answer.prompt import Prompt
from sse_tui.tui.bars.faults_bar import FaultsBar
from sse_tui.tui.bars.footer import FooterLine
from sse_tui.tui.bars.header import HeaderLine
from sse_tui.tui.bars.metrics_strip import MetricsStrip
from sse_tui.tui.bars.tab_line import TabLine
from sse_tui.tui.drawing import themes
from sse_tui.tui.frames import Frames
from sse_tui.tui.panes import PANES, PaneEntered
from sse_tui.tui.screens.help import help_screen, metrics_screen
from sse_tui.tui.screens.notices import LONG_S, attempt, notify_error
from sse_tui.tui.session_keys import SessionKeys
from sse_tui.tui.terminal_driver import TerminalDriver
from sse_tui.tui.termination_guard import TerminationGuard
from sse_tui.tui.workspace import Workspace

TICK_S = 0.1
DETAIL_TICKS = 3
IDLE_TICKS = 5
FOOTER_CONTEXTS = frozenset({"prompt", "wire", "answer", "detail", "findings", "faults", "find"})


class SseTuiApp(App[int]):
    """One session on screen. Its widgets are there once it is mounted."""

    TITLE = "sse-tui"
    CSS_PATH = "app.tcss"
    BINDINGS: ClassVar[list[BindingType]] = list(bindings("app"))
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-short"), (30, "-tall")]

    def __init__(self, spec: SessionSpec, *, live: Live | None = None) -> None:
        super().__init__()
        self.spec = spec
        self.session = live or Live(spec, self.wake)
        self.keymap = Keymap(spec.config.keys)
        self.session_keys = SessionKeys(self, self.session, self.wake)
        self.waiting = ""
        """A prompt that is sent as soon as there is a model to take it."""
        self._frames = Frames(self._read, self._show, self.call_later)
        self._ticks = 0
        self._shown_error: SseTuiError | None = None
        self._endpoint_failed = False
        self._session_closed = False
        self._started = asyncio.Event()

    def compose(self) -> ComposeResult:
        """The panes; a session that takes no prompts has no field for them."""
        self.header = HeaderLine(self.session, id="header")
        self.pane_tabs = TabLine(tuple(PANES), id="panes")
        self.workspace = Workspace(self.session, id="main")
        self.strip = MetricsStrip(self.session, id="metrics")
        self.faults = FaultsBar(self.session, self.workspace.home, id="faults")
        self.footer = FooterLine(self.keymap, id="footer")
        work = self.workspace
        # What the part of an action before the dot stands for: ``wire.find``.
        self.targets: Mapping[str, DOMNode] = {
            "answer": work.answer, "wire": work.wire, "detail": work.detail, "workspace": work, "faults": self.faults,
            "session": self.session_keys,
        }  # fmt: skip
        yield from (self.header, self.pane_tabs, work, self.strip, self.faults, self.footer)

    @property
    def prompt(self) -> Prompt | None:
        """Where prompts are written; None where none are taken."""
        return self.workspace.prompt

    async def on_mount(self) -> None:
        """Themes, keys; then the session starts, after the first paint."""
        for theme in themes.OWN:
            self.register_theme(theme)
        self._use_theme(self.spec.config.ui.theme)
        self.set_keymap(self.keymap.textual)
        self._show_pane("answer")
        self.screen.set_focus(self.workspace.home)
        for problem in self.keymap.problems:
            self.notify(problem, severity="warning", timeout=LONG_S)
        self.theme_changed_signal.subscribe(self, lambda _theme: self._restyle())
        self._restyle()
        self._show_hints()
        self.call_after_refresh(self._begin)

    def _use_theme(self, name: str) -> None:
        known = name in self.available_themes
        self.theme = name if known else themes.DARK.name
        if not known:
            self.notify(f"[ui] theme: unknown theme {name!r}; ^p theme lists them.", severity="warning")

    def _restyle(self) -> None:
        self.workspace.answer.restyle(themes.code_theme(self.current_theme.dark))
        self.workspace.wire.log_view.refresh()

    def _begin(self) -> None:
        self.run_worker(self._start(), group="session")
        self.set_interval(TICK_S, self._tick)

    async def _start(self) -> None:
        if not await attempt(self, self.session.start()):
            self._shown_error = self.session.status.error
        self._started.set()
        self.wake()

    async def on_unmount(self) -> None:
        await self.close_session()

    async def close_session(self) -> None:
        """Close the session once, whatever way the app ends."""
        if not self._session_closed:
            self._session_closed = True
            self._frames.stop()
            await self.session.close()

    def wake(self) -> None:
        """There may be something new to show. Called from anywhere in the loop."""
        self._frames.wake()

    def _read(self) -> bool:
        """Take in what is new; True while a large file holds more."""
        try:
            entries = self.session.poll()
        except SseTuiError as error:
            notify_error(self, error)
            return False
        self.workspace.wire.add(entries)
        self.faults.add(entries)
        return self.session.behind

    def _show(self) -> None:
        self.workspace.sync()
        self._show_hints()
        self._show_clocks()
        self._show_failures()

    def _show_failures(self) -> None:
        status = self.session.status
        if status.error is not None and status.error is not self._shown_error:
            notify_error(self, status.error)
        self._shown_error = status.error
        endpoint = status.endpoint
        failed = endpoint is not None and endpoint.state == "failed"
        if endpoint is not None and failed and not self._endpoint_failed and self.session.analysis.turns:
            self.notify(endpoint.message, title="endpoint-gone", severity="error", timeout=LONG_S)
        self._endpoint_failed = failed

    def _show_hints(self) -> None:
        retry_key = self.keymap.first(BY_ID["retry"])
        self.workspace.answer.show_hint(hints(self.session, self.session.status, self.waiting, retry_key))

    def _show_clocks(self) -> None:
        self.header.refresh()
        self.strip.sync()
        self.faults.sync()
        self.footer.show(self.pane_in_use())

    def _tick(self) -> None:
        """What changes with time alone: clocks while something runs, and the detail of a followed row."""
        self._ticks += 1
        if self._session_closed:
            return
        if self.session.now() is not None or self.session.behind:
            self._show_clocks()
        elif self._ticks % IDLE_TICKS == 0:
            self.wake()
        if self._ticks % DETAIL_TICKS == 0:
            self.workspace.refresh_detail()

    def _show_pane(self, name: str) -> None:
        """In a narrow terminal one pane is shown at a time: this one."""
        for pane in PANES.values():
            self.screen_stack[0].set_class(pane == name, f"-{pane}")
        self.pane_tabs.choose(next(tab for tab, pane in PANES.items() if pane == name))

    def pane_in_use(self) -> str:
        """What has the focus: prompt, answer, wire, find, detail, findings, faults, arm, or "" for none of them."""
        nodes = self.focused.ancestors_with_self if self.focused is not None else ()
        name = next((node.id for node in nodes if node.id in FOOTER_CONTEXTS), None) or ""
        return "arm" if name == "faults" and self.faults.asking else name

    def on_pane_entered(self, event: PaneEntered) -> None:
        self._show_pane(event.pane)

    async def on_tab_line_chosen(self, event: TabLine.Chosen) -> None:
        await self.run_action(f"{PANES[event.tab]}.enter")

    def on_descendant_focus(self) -> None:
        self.footer.show(self.pane_in_use())

    async def on_footer_line_pressed(self, event: FooterLine.Pressed) -> None:
        await self.run_action(event.run, self.focused or self)

    async def on_prompt_sent(self, event: Prompt.Sent) -> None:
        """Send the prompt as soon as there is a model to take it."""
        if self.session.busy or self.waiting:
            self.notify("An answer is still streaming: esc stops it.", severity="warning")
            return
        assert self.prompt is not None
        self.prompt.sent()
        self.waiting = event.text
        self.workspace.follow()
        self._show_hints()
        self.run_worker(self._send(event.text), group="send")

    async def _send(self, text: str) -> None:
        await self._started.wait()
        if (
            not await attempt(self, self.session.send(text))
            and self.prompt is not None
            and not self.prompt.text
        ):
            # An unsent prompt goes back where it came from.
            self.prompt.text = text
        self.waiting = ""
        self._show_hints()
        self.wake()

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = False,
    ) -> None:
        """A notice. Its text is never taken for markup: paths and names may hold brackets."""
        super().notify(message, title=title, severity=severity, timeout=timeout, markup=False)

    async def on_event(self, event: Event) -> None:
        """What is pasted goes to a field, and from there to the screen: it must hold nothing that a terminal obeys."""
        if isinstance(event, Paste):
            event.text = typed(event.text)
        await super().on_event(event)

    def get_driver_class(self) -> type[Driver]:
        """Our own driver where Textual would take its one for a terminal."""
        found = super().get_driver_class()
        return TerminalDriver if found is LinuxDriver else found

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        for action in ACTIONS:
            if action.palette:
                key = self.keymap.first(action)
                text = action.help + (f" ({key})" if key else "")
                yield SystemCommand(action.label, text, partial(self.run_action, action.run))
        yield SystemCommand("theme", BY_ID["theme"].help, self.action_change_theme)

    async def run_action(
        self,
        action: str | ActionParseResult,
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Run an action, of a pane where it names one: ``wire.find``. Under a window most of the app's do nothing."""
        # Priority keys reach the app even while a window is open, and would act on panes that cannot be seen.
        if len(self.screen_stack) > 1 and isinstance(action, str) and action in UNDER_WINDOWS:
            return False
        return await super().run_action(action, default_namespace, namespaces or self.targets)

    def action_help(self) -> None:
        self.push_screen(help_screen(self.keymap))

    def action_metrics(self) -> None:
        analysis, objectives = self.session.analysis, self.strip.objectives
        self.push_screen(
            metrics_screen(analysis.turn, analysis.header.clock, len(analysis.turns), objectives)
        )

    def action_prompt(self) -> None:
        if self.prompt is not None:
            self.screen.set_focus(self.prompt)

    def action_screenshot(self, filename: str | None = None, path: str | None = None) -> None:
        try:
            self.notify(f"Saved {self.save_screenshot(filename, path or '.')}")
        except OSError as error:
            self.notify(f"Cannot save the screen: {error.strerror}.", severity="error")

    async def action_quit(self) -> None:
        self.exit(0)

    async def action_stop(self) -> None:
        """Leave a field that is open, else stop the stream, else go back to the prompt. Never quits."""
        if self.workspace.wire.close_find() or self.faults.close_field():
            return
        if self.session.busy:
            await attempt(self, self.session.stop())
        else:
            self.action_prompt()

    async def action_interrupt(self) -> None:
        """Copy a selection in a field, else stop the stream."""
        focused = self.focused
        if isinstance(focused, Input | TextArea) and focused.selected_text:
            self.copy_to_clipboard(focused.selected_text)
        elif self.session.busy:
            await attempt(self, self.session.stop())
        else:
            self.notify(f"{self.keymap.first(BY_ID['quit'])} quits.")


def run(spec: SessionSpec) -> int:
    """Run the app on a session; gives the exit code: 0, or 128 and the signal that ended it."""
    app = SseTuiApp(spec)
    guard = TerminationGuard(lambda code: app.exit(return_code=code))

    async def main() -> None:
        guard.install()
        try:
            await app.run_async()
        finally:
            await app.close_session()
            guard.uninstall()

    asyncio.run(main())
    return app.return_code or 0
