"""What the parts of the app share: its session, its panes, and the small moves between them.

The app is put together from classes by concern, each on this base: `links` (selection), `wire_actions` (find, filter,
copy), `fault_actions`, and `app` itself (life, frame, panes).
"""

from __future__ import annotations

from collections.abc import Awaitable

from textual.app import App
from textual.containers import Horizontal, Vertical
from textual.events import Event, Paste
from textual.notifications import SeverityLevel
from textual.widget import Widget

from sse_tui.errors import SseTuiError
from sse_tui.session.live import Live
from sse_tui.session.spec import SessionSpec
from sse_tui.text.safety import typed
from sse_tui.tui.answer.answer_pane import AnswerPane
from sse_tui.tui.answer.prompt import Prompt
from sse_tui.tui.bars.faults_bar import FaultsBar
from sse_tui.tui.bars.slo_table import Objectives
from sse_tui.tui.detail.detail_pane import DetailPane, TabLine
from sse_tui.tui.drawing.line_view import LineView
from sse_tui.tui.screens.help import metrics_screen
from sse_tui.tui.wire.filters import FILTERS
from sse_tui.tui.wire.find_bar import FindBar
from sse_tui.tui.wire.search import Search
from sse_tui.tui.wire.watch import Watch
from sse_tui.tui.wire.wire_pane import WireLog, WirePane
from sse_tui.tui.wire.wire_source import WireSource

PANES = {"Answer": "answer", "Wire": "wire", "Detail": "detail"}


class SessionApp(App[int]):
    """A session and its panes. The panes are set when the app is mounted; `prompt` is None where nobody listens."""

    spec: SessionSpec
    session: Live
    source: WireSource
    watch_entries: Watch
    objectives: Objectives
    answer: AnswerPane
    wire: WireLog
    wire_pane: WirePane
    pane_tabs: TabLine
    detail: DetailPane
    faults: FaultsBar
    find_bar: FindBar
    prompt: Prompt | None
    search: Search

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = False,
    ) -> None:
        """A notice; unlike Textual's, its text is shown as it is: paths and names may hold brackets."""
        super().notify(message, title=title, severity=severity, timeout=timeout, markup=markup)

    async def on_event(self, event: Event) -> None:
        """What is pasted goes to a field, and from there to the screen: it must not hold what a terminal obeys."""
        if isinstance(event, Paste):
            event.text = typed(event.text)
        await super().on_event(event)

    def wake(self) -> None:
        """There may be something new to show."""
        raise NotImplementedError

    def show_error(self, error: SseTuiError) -> None:
        """A notice with the error's message and hint."""
        self.notify(str(error), title=error.code, severity="error", timeout=12)

    async def attempt(self, awaitable: Awaitable[object]) -> bool:
        """Await it; False, and a notice, when it failed."""
        try:
            await awaitable
        except SseTuiError as error:
            self.show_error(error)
            return False
        return True

    def focus_on(self, widget: Widget) -> None:
        """Give a widget the focus."""
        # At once, unlike `Widget.focus`: the next key must not go to the field that had the focus before.
        self.screen.set_focus(widget)

    def pane_in_use(self) -> str:
        """The pane with the focus: prompt, answer, wire, find, detail, faults, arm, or "" for none."""
        focused = self.focused
        while focused is not None:
            if focused.id in {"prompt", "wire", "answer", "detail", "findings", "faults", "find"}:
                return "arm" if focused.id == "faults" and self.faults.asking else str(focused.id)
            parent = focused.parent
            focused = parent if isinstance(parent, Vertical | Horizontal | LineView | FaultsBar) else None
        return ""

    def show_titles(self) -> None:
        """What the panes' titles tell: following, the filter, how many rows."""
        hidden = self.wire.visible_rows.seen - len(self.wire.visible_rows)
        shown = f"{len(self.wire.visible_rows):,} rows" + (f", {hidden:,} hidden" if hidden else "")
        follow = "FOLLOW" if self.wire.following else "held: End follows"
        chosen = self.wire.visible_rows.filter
        name = "" if chosen is FILTERS[0] else f" · {chosen.name}"
        self.wire_pane.border_title = f"2 Wire · {follow}{name} · {shown}"
        held = "" if self.answer.following else " · held: End follows"
        plain = "" if self.answer.document.as_markdown else " · as sent"
        self.answer.border_title = f"1 Answer{plain}{held}"

    def show_pane(self, name: str) -> None:
        """In a narrow terminal one pane is shown at a time: this one."""
        for pane in PANES.values():
            self.screen_stack[0].set_class(pane == name, f"-{pane}")
        self.pane_tabs.choose(next(tab for tab, pane in PANES.items() if pane == name))

    def action_pane(self, name: str) -> None:
        """Go to a pane, or open the metrics."""
        if name == "metrics":
            analysis = self.session.analysis
            self.push_screen(
                metrics_screen(
                    analysis.turn, analysis.header.clock, len(analysis.turns), self.objectives.rows
                )
            )
            return
        if name in PANES.values():
            self.show_pane(name)
        targets = {
            "answer": self.answer,
            "wire": self.wire,
            "detail": self.detail.inner,
            "prompt": self.prompt,
        }
        target = targets.get(name)
        if target is not None:
            self.focus_on(target)
