"""The faults bar: break the connection now, arm a fault for later, and read the verdict on the last resume."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.widget import Widget
from textual.widgets import Input, Static

from sse_tui.analysis.entry import Entry
from sse_tui.errors import SseTuiError
from sse_tui.faults import parse_plan
from sse_tui.recording.records import Fault
from sse_tui.resume import Verdict
from sse_tui.session.live import Live
from sse_tui.text.safety import pane_line
from sse_tui.tui.actions import bindings
from sse_tui.tui.drawing.fit import LinePart, fit_line
from sse_tui.tui.drawing.styles import component_style
from sse_tui.tui.screens.notices import attempt

SIGNS = {"lossless": "✓", "lost": "✗", "repeated": "≈", "restarted": "✗", "unknown": "?"}


class FaultKeys(Widget, can_focus=True):
    """The line of keys. While it has the focus, single letters act."""

    BINDINGS: ClassVar[list[BindingType]] = list(bindings("faults"))
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "faults--name", "faults--key", "faults--quiet", "faults--armed", "faults--good", "faults--bad",
    }  # fmt: skip
    ALLOW_SELECT = False

    def __init__(self, possible: bool, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._possible = possible
        self._shown: tuple[str, Verdict | None, str] = ("", None, "")

    def show(self, armed: str, verdict: Verdict | None, last: str) -> None:
        """The armed plan, the verdict on the last resume, and the last fault that fired."""
        if (armed, verdict, last) != self._shown:
            self._shown = (armed, verdict, last)
            self.refresh()

    def _style(self, name: str) -> Style:
        return component_style(self, f"faults--{name}")

    def render(self) -> Text:
        armed, verdict, last = self._shown
        parts = [LinePart(" Faults", self._style("name"), 1)]
        if not self._possible:
            parts.append(LinePart("need a live connection", self._style("quiet"), 2))
        elif self.has_focus:
            parts += [
                LinePart(text, self._style("key"), 0)
                for text in ("[c]ut", "[r]eset", "[s]tall 8 s", "[a]rm", "esc back")
            ]
        else:
            parts.append(LinePart("^x then c cut  r reset  s stall  a arm", self._style("quiet"), 4))
        if armed:
            parts.append(LinePart(f"armed: {pane_line(armed)}", self._style("armed"), 1))
        elif last:
            parts.append(LinePart(f"last: {pane_line(last)}", self._style("quiet"), 3))
        if verdict is not None:
            parts.append(verdict_part(verdict, self._style("good"), self._style("bad")))
        return fit_line(parts, self.size.width)


def verdict_part(verdict: Verdict, good: Style, bad: Style) -> LinePart:
    """The verdict with a sign: ``verdict: ✓ lossless``."""
    count = f" {verdict.n}" if verdict.kind in {"lost", "repeated"} else ""
    text = f"verdict: {SIGNS.get(verdict.kind, '?')} {verdict.kind}{count}"
    detail = f"{text}, {verdict.detail}" if verdict.detail and verdict.kind != "repeated" else text
    return LinePart(
        pane_line(detail), good if verdict.kind in {"lossless", "repeated"} else bad, 0, shorter=text
    )


class FaultsBar(Horizontal):
    """The keys, replaced by a field for a plan while one is typed.

    In a recording there is no connection to break. `home` gets the focus where nothing had it before.
    """

    def __init__(self, session: Live, home: Widget, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._session = session
        self._possible = session.spec.mode != "open"
        self.keys = FaultKeys(self._possible, id="fault-keys")
        self._running_plan = ""
        self._focus_before = home
        self._last = ""
        self._field = Input(id="fault-plan", compact=True, placeholder="cut@event=41", select_on_focus=False)
        self._label = Static(" arm ", id="fault-label", markup=False)
        self._problem = Static("", id="fault-problem", markup=False)

    def compose(self) -> ComposeResult:
        """Both; only one of them is displayed."""
        self._show_field(False)
        yield self.keys
        yield self._label
        yield self._field
        yield self._problem

    def add(self, entries: Iterable[Entry]) -> None:
        """Take in entries as they are read: a fault that fired is no longer armed."""
        for entry in entries:
            if isinstance(entry.record, Fault):
                self._last = entry.record.did
                if entry.record.plan.strip() in self._running_plan:
                    self._running_plan = ""

    def sync(self) -> None:
        """Show the plan that is armed for the next stream or in the running one, the verdict and the last fault."""
        turns = reversed(self._session.analysis.turns)
        verdict = next((turn.verdict for turn in turns if turn.verdict is not None), None)
        self.keys.show(self._session.armed or self._running_plan, verdict, self._last)

    @property
    def asking(self) -> bool:
        return self._field.display

    def _show_field(self, shown: bool) -> None:
        # By `display` and not by a class: a style sheet is applied later, and until then a hidden field takes no focus,
        # so that the first letters of a plan would be taken for the keys of the bar, "c" for a cut.
        for widget in (self._label, self._field, self._problem):
            widget.display = shown
        self.keys.display = not shown

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._problem.update(f" {_problem(event.value) or 'enter arms it, esc cancels'}")

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        """Arm the plan, in the running stream or for the next, or say what is wrong."""
        event.stop()
        plan, problem = event.value.strip(), _problem(event.value)
        if problem:
            self._problem.update(f" {problem}")
            return
        self.action_leave()
        if await attempt(self, self._session.fault(plan)) and self._session.busy:
            self._running_plan = plan

    def action_enter(self) -> None:
        if not self._possible:
            self.notify("Faults need a live connection; this is a recording.")
            return
        focused = self.screen.focused
        if focused is not None and self not in focused.ancestors:
            self._focus_before = focused
        self.screen.set_focus(self.keys)

    def action_leave(self) -> None:
        self._show_field(False)
        self.screen.set_focus(self._focus_before)

    def close_field(self) -> bool:
        """Leave the field without arming anything; False when it was not shown."""
        if not self.asking:
            return False
        self.action_leave()
        return True

    async def action_fault(self, plan: str) -> None:
        """Break the connection now; without a stream there is nothing to break."""
        self.action_leave()
        if self._session.busy:
            await attempt(self, self._session.fault(plan))
        else:
            self.notify("No stream is running: ^x then a arms a fault for the next one.", severity="warning")

    def action_arm(self) -> None:
        plan = self._session.armed or "cut@event="
        self._show_field(True)
        self._problem.update(" enter arms it, esc cancels")
        self._field.value = plan
        self._field.cursor_position = len(plan)
        self.screen.set_focus(self._field)

    def action_disarm(self) -> None:
        """Take back a fault that is armed for the next stream."""
        self.action_leave()
        if self._session.armed:
            self._session.armed = ""
        elif self._running_plan:
            self.notify("It is armed in the running stream and cannot be taken back.")


def _problem(text: str) -> str:
    if not text.strip():
        return "ACTION@TRIGGER, for example cut@event=41"
    try:
        parse_plan(text.strip())
    except SseTuiError as error:
        return pane_line(str(error))
    return ""
