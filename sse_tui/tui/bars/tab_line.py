"""A line of tabs: those of the detail pane, and those of the panes in a narrow terminal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from sse_tui.tui.drawing.styles import component_style


class TabLine(Widget):
    """The names of the tabs; the chosen one in brackets."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"tabs--on", "tabs--off"}
    ALLOW_SELECT = False

    @dataclass
    class Chosen(Message):
        """A tab was clicked."""

        tab: str

    def __init__(self, tabs: tuple[str, ...], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.tabs = tabs
        self.chosen = tabs[0]

    def choose(self, tab: str) -> None:
        self.chosen = tab
        self.refresh()

    def render_line(self, y: int) -> Strip:
        base = self.rich_style
        on = component_style(self, "tabs--on")
        off = component_style(self, "tabs--off")
        segments = [
            Segment(f"[{tab}]" if tab == self.chosen else f" {tab} ", on if tab == self.chosen else off)
            for tab in self.tabs
        ]
        return Strip(segments).adjust_cell_length(self.size.width, base).apply_style(base)

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        right = 0
        for tab in self.tabs:
            right += len(tab) + 2
            if offset is not None and offset.x < right:
                self.post_message(self.Chosen(tab))
                return
