"""A small window that asks for one line of text."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input


class Ask(ModalScreen[str | None]):
    """Gives the text, or None when it was cancelled."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "leave", show=False)]

    def __init__(
        self, title: str, placeholder: str, *, value: str = "", subtitle: str = "enter keeps it, esc cancels"
    ) -> None:
        super().__init__()
        self._title = title
        self._placeholder = placeholder
        self._value = value
        self._subtitle = subtitle

    def compose(self) -> ComposeResult:
        box = Vertical(
            Input(self._value, placeholder=self._placeholder, compact=True, select_on_focus=False), id="ask"
        )
        box.border_title = self._title
        box.border_subtitle = self._subtitle
        yield box

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.dismiss(event.value.strip() or None)

    def action_leave(self) -> None:
        self.dismiss(None)
