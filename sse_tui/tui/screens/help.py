"""The screens over the app: all keys (F1), and every number with its definition (F5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from sse_tui.analysis.turn import Turn
from sse_tui.metrics import Objective
from sse_tui.tui.actions import Keymap, groups, key_name
from sse_tui.tui.drawing.figures import (
    CLOCKS,
    Figure,
    clock_figures,
    clock_text,
    gap_figures,
    objective_figure,
)


class Overlay(ModalScreen[None]):
    """A box of lines that escape closes."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,f1,f5,question_mark", "close", "close", show=False),
        Binding("ctrl+q", "app.quit", "quit", show=False),
    ]

    def __init__(self, title: str, content: Table | Text) -> None:
        super().__init__()
        self._title = title
        self._content = content

    def compose(self) -> ComposeResult:
        box = Vertical(VerticalScroll(Static(self._content)), id="overlay")
        box.border_title = self._title
        box.border_subtitle = "esc closes"
        yield box

    def action_close(self) -> None:
        self.dismiss(None)


def help_screen(keymap: Keymap) -> Overlay:
    """All actions by group, from the registry, with the user's own keys."""
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True, max_width=24)
    table.add_column()
    for position, (group, actions) in enumerate(groups().items()):
        if position:
            table.add_row("", "")
        table.add_row(Text(group, style="bold underline"), "")
        for action in actions:
            keys = " ".join(key_name(key) for key in keymap.keys(action)) or "palette"
            table.add_row(Text(keys, style="bold"), action.help)
    return Overlay("Keys", table)


def metrics_screen(
    turn: Turn | None, clock: str, requests: int, objectives: Sequence[Objective] = ()
) -> Overlay:
    """Every number of the turn and what it means, and the objectives."""
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column()
    if turn is None:
        return Overlay("Metrics", Text("No request yet."))
    for figure in clock_figures(turn.clocks.clocks()):
        _add(table, figure)
    table.add_row("", "", "")
    for figure in gap_figures(turn, turn.gaps.stats()):
        _add(table, figure)
    table.add_row("", "", "")
    for row in objectives:
        _add(table, objective_figure(row))
    if objectives:
        table.add_row("", "", "")
    _add(table, Figure("requests", f"{requests:,}", "of this session; the numbers above are the last one's"))
    _add(table, Figure("clock", "", f"{clock_text(clock)}: {CLOCKS.get(clock, clock)}"))
    return Overlay("Metrics (times in ms since the first byte of the request)", table)


def _add(table: Table, figure: Figure) -> None:
    table.add_row(Text(figure.name, style="bold"), figure.value, Text(figure.meaning, style="dim"))
