"""The faults bar: break the connection now, arm a fault for later, and read the verdict on the last resume."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static

from sse_tui.analysis.entry import Entry
from sse_tui.analysis.turn import Turn
from sse_tui.errors import SseTuiError
from sse_tui.faults import parse_plan
from sse_tui.recording.records import Fault
from sse_tui.resume import Verdict
from sse_tui.text.safety import pane_line
from sse_tui.tui.actions import bindings
from sse_tui.tui.drawing.fit import LinePart, fit_line
from sse_tui.tui.drawing.styles import component_style

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
        """The line."""
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

    def on_focus(self) -> None:
        """Show the keys that work now."""
        self.refresh()

    def on_blur(self) -> None:
        """Show the key that leads here."""
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """A click gives the bar the focus."""
        self.focus()


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

    `possible` is false where there is no connection to break; `home` gets the focus where nothing had it before.
    """

    class FaultAsked(Message):
        """A fault is to happen now: ``cut@now``."""

        def __init__(self, plan: str) -> None:
            super().__init__()
            self.plan = plan

    class PlanEntered(Message):
        """A plan, checked already, is to be armed."""

        def __init__(self, plan: str) -> None:
            super().__init__()
            self.plan = plan

    class DisarmAsked(Message):
        """The armed fault is to be taken back."""

    def __init__(self, *, possible: bool, home: Widget, id: str | None = None) -> None:
        super().__init__(id=id)
        self.keys = FaultKeys(possible, id="fault-keys")
        self.running_plan = ""
        self._possible = possible
        self._home = home
        self._focus_before: Widget | None = None
        self._armed_next = ""
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
                if entry.record.plan.strip() in self.running_plan:
                    self.running_plan = ""

    def sync(self, turns: Sequence[Turn], armed: str) -> None:
        """Show what changed. `armed` is the plan for the next stream; `running_plan` that of the running one."""
        self._armed_next = armed
        verdict = next((turn.verdict for turn in reversed(turns) if turn.verdict is not None), None)
        self.keys.show(armed or self.running_plan, verdict, self._last)

    # -- the field ------------------------------------------------------------------------------------------------

    @property
    def asking(self) -> bool:
        """Whether the field is shown."""
        return self._field.display

    def _show_field(self, shown: bool) -> None:
        # By `display` and not by a class: a style sheet is applied later, and until then a hidden field takes no focus,
        # so that the first letters of a plan would be taken for the keys of the bar, "c" for a cut.
        for widget in (self._label, self._field, self._problem):
            widget.display = shown
        self.keys.display = not shown

    def on_input_changed(self, event: Input.Changed) -> None:
        """Say at once what is wrong with the plan."""
        event.stop()
        self._problem.update(f" {_problem(event.value) or 'enter arms it, esc cancels'}")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Arm it, or say what is wrong."""
        event.stop()
        problem = _problem(event.value)
        if problem:
            self._problem.update(f" {problem}")
        else:
            self.action_leave()
            self.post_message(self.PlanEntered(event.value.strip()))

    # -- actions --------------------------------------------------------------------------------------------------

    def action_enter(self) -> None:
        """Have the next key act on the connection."""
        if not self._possible:
            self.notify("Faults need a live connection; this is a recording.")
            return
        focused = self.screen.focused
        if focused is not None and self not in focused.ancestors:
            self._focus_before = focused
        self.screen.set_focus(self.keys)

    def action_leave(self) -> None:
        """Go back to where the focus was."""
        self._show_field(False)
        self.screen.set_focus(self._focus_before or self._home)

    def close_field(self) -> bool:
        """Leave the field without arming anything; False when it was not shown."""
        if not self.asking:
            return False
        self.action_leave()
        return True

    def action_fault(self, plan: str) -> None:
        """Break the connection now."""
        self.action_leave()
        self.post_message(self.FaultAsked(plan))

    def action_arm(self) -> None:
        """Ask for a plan."""
        plan = self._armed_next or "cut@event="
        self._show_field(True)
        self._problem.update(" enter arms it, esc cancels")
        self._field.value = plan
        self._field.cursor_position = len(plan)
        self.screen.set_focus(self._field)

    def action_disarm(self) -> None:
        """Take an armed fault back."""
        self.action_leave()
        self.post_message(self.DisarmAsked())


def _problem(text: str) -> str:
    if not text.strip():
        return "ACTION@TRIGGER, for example cut@event=41"
    try:
        parse_plan(text.strip())
    except SseTuiError as error:
        return pane_line(str(error))
    return ""
