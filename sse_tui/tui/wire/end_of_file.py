"""The last rows of a large recording, shown under the wire log while the file is still being read from its start."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual.widget import Widget

from sse_tui.tui.wire.wire_row import Cells, Columns, cells
from sse_tui.wirelog.glimpse import GlimpsedRow


class EndOfFile(Widget):
    """As many of the last rows as there is room for; they cannot be selected. Hidden while there are none."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._rows: Sequence[GlimpsedRow] = ()
        self._cells: list[Cells] = []
        self.border_title = "the end of the file; the rest is being read"

    def show(self, rows: Sequence[GlimpsedRow]) -> None:
        """Show these rows; nothing happens when they are those shown already."""
        if rows is self._rows or (not rows and not self._rows):
            return
        self._rows = rows
        self._cells = [cells(glimpsed.row, glimpsed.t0) for glimpsed in rows]
        self.display = bool(rows)
        self.refresh()

    def render(self) -> Text:
        """The rows, the last at the bottom, in the columns of the wire log."""
        columns = Columns(self.size.width)
        shown = self._cells[-max(1, self.size.height) :]
        return Text("\n".join(map(columns.line, shown)), no_wrap=True, overflow="crop")
