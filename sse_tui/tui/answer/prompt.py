"""The prompt: a field for the next message, with the earlier ones in its history."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message
from textual.widgets import TextArea

from sse_tui.tui.actions import bindings
from sse_tui.tui.answer.history import History


class Prompt(TextArea):
    """Enter sends, shift+enter or ctrl+j start a new line, up and down at the edges go through the history.

    Keys of the text area that the app needs everywhere (ctrl+f, ctrl+x, F6) are taken by the app first.
    """

    BINDINGS: ClassVar[list[BindingType]] = list(bindings("prompt"))

    @dataclass
    class Sent(Message):
        """The text was sent."""

        text: str

    def __init__(self, history: History, *, id: str | None = None) -> None:
        super().__init__(
            id=id, compact=True, soft_wrap=True, tab_behavior="focus", show_line_numbers=False,
            highlight_cursor_line=False, placeholder="Ask something; enter sends it",
        )  # fmt: skip
        self.earlier = history
        self.border_title = "prompt"

    async def _on_key(self, event: events.Key) -> None:
        # The text area inserts a line feed on enter before any binding is looked at.
        if event.key == "enter":
            event.stop()
            event.prevent_default()
            self.action_send()
            return
        await super()._on_key(event)

    def action_send(self) -> None:
        text = self.text.strip()
        if text:
            self.post_message(self.Sent(text))

    def sent(self) -> None:
        """The text was accepted: add it to the history and clear the prompt."""
        self.earlier.add(self.text.strip())
        self.text = ""

    def action_newline(self) -> None:
        self.insert("\n")

    def action_older(self) -> None:
        """Up: within the text first, then the prompt before."""
        if self.cursor_at_first_line:
            self._recall(self.earlier.older(self.text))
        else:
            self.action_cursor_up()

    def action_newer(self) -> None:
        """Down: within the text first, then the prompt after."""
        if self.cursor_at_last_line:
            self._recall(self.earlier.newer())
        else:
            self.action_cursor_down()

    def _recall(self, text: str | None) -> None:
        if text is not None:
            self.text = text
            self.move_cursor(self.document.end)
