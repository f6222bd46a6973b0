"""The find bar under the wire log: a field and how many matches there are."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Input, Static


class FindBar(Horizontal):
    """A field for the query, hidden until it is wanted."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.display = False
        self.field = Input(
            id="find-field", compact=True, placeholder="find in the wire log", select_on_focus=True
        )
        self._count = Static("", id="find-count", markup=False)

    def compose(self) -> ComposeResult:
        yield Static(" / ", id="find-label", markup=False)
        yield self.field
        yield self._count

    def count(self, rank: int, found: int, share: float) -> None:
        """Show which match of how many, and how much was searched (0 to 1)."""
        if not self.field.value:
            text = ""
        elif share < 1:
            text = f" {rank or '-'}/{found:,}… {share:.0%} "
        else:
            text = f" {rank or '-'}/{found:,} " if found else " no match "
        self._count.update(text)
