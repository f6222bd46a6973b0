"""The last rows of a large recording, under the wire log while that is still being read from its beginning."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual.widget import Widget

from sse_tui.tui.drawing.fit import pad
from sse_tui.tui.wire.wire_row import cells
from sse_tui.wirelog.glimpse import GlimpsedRow


class EndOfFile(Widget):
    """As many of the last rows as there is room for, to be looked at only; hidden while there are none."""

    DEFAULT_CSS = """
    EndOfFile { height: 50%; border-top: solid $primary; border-title-color: $text-muted; display: none; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._rows: Sequence[GlimpsedRow] = ()
        self._lines: list[tuple[str, ...]] = []
        self.border_title = "the end of the file; the rest is being read"

    def show(self, rows: Sequence[GlimpsedRow]) -> None:
        """Show these rows; nothing happens when they are those shown already."""
        if rows is self._rows or (not rows and not self._rows):
            return
        self._rows = rows
        self._lines = [tuple(cells(one.row, one.t0)) for one in rows]
        self.display = bool(rows)
        self.refresh()

    def render(self) -> Text:
        """The rows, the last at the bottom, in the columns of the wire log."""
        from sse_tui.tui.wire.wire_pane import Columns

        columns = Columns(self.size.width)
        lines = [
            f"  {pad(number, columns.number, right=True)} {pad(t_ms, columns.t_ms, right=True)} "
            f"{pad(gap, columns.gap, right=True)} {pad(size, columns.size, right=True)} "
            f"{pad(kind, columns.kind)} {pad(content, columns.content)}"
            for number, t_ms, gap, size, kind, content in self._lines[-max(1, self.size.height) :]
        ]
        return Text("\n".join(lines), no_wrap=True, overflow="crop")
