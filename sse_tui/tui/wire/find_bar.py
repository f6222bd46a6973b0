"""The find bar under the wire log: a field and how many matches there are."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input, Static


class FindBar(Horizontal):
    """A field for the query. Every change posts `Changed`, enter posts `Accepted`."""

    class Changed(Message):
        """The query was changed."""

        def __init__(self, query: str) -> None:
            super().__init__()
            self.query = query

    class Accepted(Message):
        """Enter: done typing."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.display = False
        self.field = Input(
            id="find-field", compact=True, placeholder="find in the wire log", select_on_focus=True
        )
        self._count = Static("", id="find-count", markup=False)

    def compose(self) -> ComposeResult:
        """The field and the count."""
        yield Static(" / ", id="find-label", markup=False)
        yield self.field
        yield self._count

    def open(self) -> None:
        """Show the bar."""
        self.display = True

    def close(self) -> None:
        """Hide the bar."""
        self.display = False

    @property
    def is_open(self) -> bool:
        """Whether it is shown."""
        return self.display

    def count(self, rank: int, found: int, share: float) -> None:
        """Show which match of how many, and how much was searched (0 to 1)."""
        if not self.field.value:
            text = ""
        elif share < 1:
            text = f" {rank or '-'}/{found:,}… {share:.0%} "
        else:
            text = f" {rank or '-'}/{found:,} " if found else " no match "
        self._count.update(text)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Search while typing."""
        event.stop()
        self.post_message(self.Changed(event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Done typing."""
        event.stop()
        self.post_message(self.Accepted())
