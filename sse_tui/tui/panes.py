"""The panes that share the screen, and how one asks to be shown: a narrow terminal shows one at a time."""

from __future__ import annotations

from dataclasses import dataclass

from textual.message import Message
from textual.widget import Widget

PANES = {"Answer": "answer", "Wire": "wire", "Detail": "detail"}
"""Tab and widget id of each pane."""


@dataclass
class PaneEntered(Message):
    """The focus went to the pane with this id."""

    pane: str


def enter(pane: Widget, target: Widget) -> None:
    """Give `target`, a part of `pane`, the focus, and have the pane shown."""
    # At once, unlike `Widget.focus`: the next key must not go to whatever had the focus before.
    pane.screen.set_focus(target)
    pane.post_message(PaneEntered(str(pane.id)))
