"""The faults bar: break the connection now, arm a fault for later, and read what a resume made of it."""

from __future__ import annotations

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

from sse_tui.errors import SseTuiError
from sse_tui.faults import parse_plan
from sse_tui.resume import Verdict
from sse_tui.text.safety import pane_line
from sse_tui.tui.actions import bindings
from sse_tui.tui.drawing.fit import Part, fit_line
from sse_tui.tui.drawing.looks import look

SIGNS = {"lossless": "✓", "lost": "✗", "repeated": "≈", "restarted": "✗", "unknown": "?"}


class FaultKeys(Widget, can_focus=True):
    """The bar itself. While it has the focus, single keys act."""

    BINDINGS: ClassVar[list[BindingType]] = list(bindings("faults"))
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "faults--name", "faults--key", "faults--quiet", "faults--armed", "faults--good", "faults--bad",
    }  # fmt: skip
    ALLOW_SELECT = False

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._armed = ""
        self._verdict: Verdict | None = None
        self._last = ""
        self._possible = True

    def show(self, *, armed: str, verdict: Verdict | None, last: str, possible: bool) -> None:
        """The armed plan, the verdict on the last resume, the last fault that fired; `possible` on a live session."""
        new = (armed, verdict, last, possible)
        if new != (self._armed, self._verdict, self._last, self._possible):
            self._armed, self._verdict, self._last, self._possible = new
            self.refresh()

    def _look(self, name: str) -> Style:
        return look(self, f"faults--{name}")

    def render(self) -> Text:
        """The line."""
        parts = [Part(" Faults", self._look("name"), 1)]
        if not self._possible:
            parts.append(Part("need a live connection", self._look("quiet"), 2))
        elif self.has_focus:
            parts += [
                Part(text, self._look("key"), 0)
                for text in ("[c]ut", "[r]eset", "[s]tall 8 s", "[a]rm", "esc back")
            ]
        else:
            parts.append(Part("^x then c cut  r reset  s stall  a arm", self._look("quiet"), 4))
        if self._armed:
            parts.append(Part(f"armed: {pane_line(self._armed)}", self._look("armed"), 1))
        elif self._last:
            parts.append(Part(f"last: {pane_line(self._last)}", self._look("quiet"), 3))
        if self._verdict is not None:
            parts.append(verdict_part(self._verdict, self._look("good"), self._look("bad")))
        return fit_line(parts, self.size.width)

    def on_focus(self) -> None:
        """Show the keys that act now."""
        self.refresh()

    def on_blur(self) -> None:
        """Show how to get here."""
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """A click gives the bar the focus."""
        self.focus()


def verdict_part(verdict: Verdict, good: Style, bad: Style) -> Part:
    """The verdict with a sign: ``verdict: ✓ lossless``."""
    count = f" {verdict.n}" if verdict.kind in {"lost", "repeated"} else ""
    text = f"verdict: {SIGNS.get(verdict.kind, '?')} {verdict.kind}{count}"
    detail = f"{text}, {verdict.detail}" if verdict.detail and verdict.kind != "repeated" else text
    return Part(pane_line(detail), good if verdict.kind in {"lossless", "repeated"} else bad, 0, shorter=text)


class FaultsBar(Horizontal):
    """The keys, and in their place a field for a plan while one is armed."""

    class Arm(Message):
        """A plan was entered; it parses."""

        def __init__(self, plan: str) -> None:
            super().__init__()
            self.plan = plan

    class Left(Message):
        """The field was left without a plan."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.keys = FaultKeys(id="fault-keys")
        self._field = Input(id="fault-plan", compact=True, placeholder="cut@event=41", select_on_focus=False)
        self._label = Static(" arm ", id="fault-label", markup=False)
        self._problem = Static("", id="fault-problem", markup=False)

    def compose(self) -> ComposeResult:
        """Both; only one of them is displayed."""
        self._turn_to(asking=False)
        yield self.keys
        yield self._label
        yield self._field
        yield self._problem

    def ask(self, plan: str) -> None:
        """Show the field with a plan to begin with."""
        self._turn_to(asking=True)
        self._problem.update(" enter arms it, esc leaves")
        self._field.value = plan
        self._field.cursor_position = len(plan)
        self.screen.set_focus(self._field)

    def done(self) -> None:
        """Show the keys again."""
        self._turn_to(asking=False)

    def _turn_to(self, *, asking: bool) -> None:
        # By `display` and not by a class: a style sheet is applied later, and until then a hidden field takes no focus,
        # so that the first letters of a plan would be taken for the keys of the bar, "c" for a cut.
        for widget in (self._label, self._field, self._problem):
            widget.display = asking
        self.keys.display = not asking

    @property
    def asking(self) -> bool:
        """Whether the field is shown."""
        return self._field.display

    def on_input_changed(self, event: Input.Changed) -> None:
        """Say at once what is wrong with the plan."""
        event.stop()
        self._problem.update(f" {_problem(event.value) or 'enter arms it, esc leaves'}")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Arm it, or say what is wrong."""
        event.stop()
        problem = _problem(event.value)
        if problem:
            self._problem.update(f" {problem}")
        else:
            self.post_message(self.Arm(event.value.strip()))


def _problem(text: str) -> str:
    if not text.strip():
        return "ACTION@TRIGGER, for example cut@event=41"
    try:
        parse_plan(text.strip())
    except SseTuiError as error:
        return pane_line(str(error))
    return ""
