"""The footer: at most seven keys, those of the pane with the focus."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.message import Message
from textual.widget import Widget

from sse_tui.tui.actions import Keymap, footer
from sse_tui.tui.drawing.styles import component_style


class FooterLine(Widget):
    """Keys and their actions, cut where the width ends, never in the middle of a word."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"footer--key", "footer--label"}
    ALLOW_SELECT = False

    @dataclass
    class Pressed(Message):
        """An action was clicked."""

        run: str

    def __init__(self, keymap: Keymap, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._keymap = keymap
        self._pane = ""
        self._spans: list[tuple[int, int, str]] = []

    def show(self, context: str) -> None:
        if context != self._pane:
            self._pane = context
            self.refresh()

    def render(self) -> Text:
        key_style = component_style(self, "footer--key")
        label_style = component_style(self, "footer--label")
        typing = self._pane in {"prompt", "find", "arm"}
        line = Text(" ", no_wrap=True, end="")
        self._spans = []
        for action in footer(self._pane):
            key = self._keymap.first(action, typing=typing)
            start = line.cell_len
            if start + len(key) + len(action.label) + 1 > self.size.width:
                break
            line.append(key, key_style)
            line.append(f" {action.label}", label_style)
            self._spans.append((start, line.cell_len, action.run))
            line.append("   ")
        line.truncate(self.size.width, pad=True)
        return line

    def on_click(self, event: events.Click) -> None:
        for start, end, run in self._spans:
            if start <= event.x < end:
                self.post_message(self.Pressed(run))
