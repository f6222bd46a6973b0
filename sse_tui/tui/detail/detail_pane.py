"""The detail pane: one row of the wire log as JSON, as fields, as bytes, and its connection's headers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.strip import Strip

from sse_tui.analysis.turn import Connection
from sse_tui.diagnosis import Finding
from sse_tui.metrics import Clocks
from sse_tui.tui.actions import bindings
from sse_tui.tui.bars.tab_line import TabLine
from sse_tui.tui.detail.detail_lines import (
    TABS,
    LazyLines,
    Run,
    fixed,
    header_lines,
    hex_line_of,
    hex_lines,
    json_lines,
    text_lines,
)
from sse_tui.tui.detail.findings import NONE, FindingsView
from sse_tui.tui.drawing.folding import fold
from sse_tui.tui.drawing.line_view import LineView
from sse_tui.tui.panes import enter
from sse_tui.wirelog.rows import Row

STYLES = ("key", "string", "number", "word", "quiet", "title", "error", "match")
FOLDED_LINES = 5_000
NOTHING = [[("Select a row of the wire log.", "quiet")]]


class DetailLines(LineView):
    """The lines of the chosen tab; long ones are folded to the pane's width."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"detail--{style}" for style in STYLES}

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, following=False)
        self._lines: LazyLines = fixed(NOTHING)
        self._folded: list[list[Run]] | None = None

    def show(self, lines: LazyLines, *, keep_position: bool = False) -> None:
        """Show other lines, from the top unless `keep_position`."""
        self._lines = lines
        self._fold()
        if not keep_position:
            self.scroll_to(y=0, animate=False)
        self.lines_changed()

    def _fold(self) -> None:
        # Only a few thousand lines are folded ahead of time; more (a large hex dump) never exceed the width.
        if self._lines.total > FOLDED_LINES:
            self._folded = None
            return
        if not self.size.width:
            # Not laid out yet: the width is known with the resize that follows.
            self._folded = []
            return
        width = self.content_width
        self._folded = [
            part for index in range(self._lines.total) for part in fold(self._lines.line(index), width)
        ]

    def on_resize(self) -> None:
        """Fold to the new width."""
        self._fold()

    def line_count(self) -> int:
        return self._lines.total if self._folded is None else len(self._folded)

    def draw(self, index: int, width: int) -> Strip:
        runs = self._lines.line(index) if self._folded is None else self._folded[index]
        return self.strip_of(runs, "detail")

    @property
    def text(self) -> str:
        """All of the tab, for the clipboard."""
        return "\n".join(
            "".join(text for text, _ in self._lines.line(index)) for index in range(self._lines.total)
        )


class DetailPane(Vertical):
    """Tabs over the lines of a row; one tab is the list of findings."""

    BINDINGS: ClassVar[list[BindingType]] = list(bindings("detail"))

    def __init__(self, findings: Sequence[Finding] = (), *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.tabs = TabLine(TABS, id="detail-tabs")
        self.lines = DetailLines(id="detail-lines")
        self.findings = FindingsView(findings, id="findings")
        self.findings.display = False
        self.match: tuple[int, int] | None = None
        self.row: Row | None = None
        self.border_title = "3 Detail"
        self._conn: Connection | None = None
        self._clocks: Clocks | None = None

    def compose(self) -> ComposeResult:
        yield self.tabs
        yield self.lines
        yield self.findings

    def sync(self) -> None:
        if self.findings.display and self.findings.stale:
            self.findings.sync()

    @property
    def inner(self) -> LineView:
        """The view of the chosen tab: what takes the focus."""
        return self.findings if self.tabs.chosen == "findings" else self.lines

    @property
    def clipping(self) -> tuple[str, str]:
        """All of the tab for the clipboard, and what to call it."""
        if self.tabs.chosen == "findings":
            return self.findings.text, "the findings"
        return self.lines.text, "the detail"

    def show(self, row: Row, conn: Connection | None, clocks: Clocks | None) -> None:
        """Show a row and its connection; `clocks` are the turn's where it is the turn's first connection."""
        same = self.row is not None and row.index == self.row.index
        self.row, self._conn, self._clocks = row, conn, clocks
        if not same:
            self.match = None
        self._update(keep_position=same)

    def _update(self, *, keep_position: bool = False) -> None:
        self.lines.show(self._lines_of_tab(), keep_position=keep_position)

    def _lines_of_tab(self) -> LazyLines:
        if self.row is None:
            return fixed(NOTHING)
        if self.tabs.chosen == "json":
            return json_lines(self.row)
        if self.tabs.chosen == "text":
            return text_lines(self.row)
        if self.tabs.chosen == "hex":
            return hex_lines(self.row, self.lines.content_width, self.match)
        return header_lines(self._conn, self._clocks)

    def choose(self, tab: str) -> None:
        had_focus = self.inner.has_focus
        self.tabs.choose(tab)
        self.lines.display = tab != "findings"
        self.findings.display = tab == "findings"
        if tab == "findings":
            self.findings.sync()
        else:
            self._update()
        if had_focus:
            # At once, unlike `Widget.focus`: the next key is the new view's.
            self.screen.set_focus(self.inner)

    def show_bytes(self, start: int, end: int) -> None:
        """Show these bytes of the body, which are the shown row's, highlighted in the hex dump."""
        self.match = (start, end)
        self.choose("hex")
        if self.row is not None:
            self.lines.show_line(hex_line_of(self.row, self.lines.content_width, start))

    def on_tab_line_chosen(self, event: TabLine.Chosen) -> None:
        event.stop()
        self.choose(event.tab)

    def on_resize(self) -> None:
        """The hex dump depends on the width."""
        if self.tabs.chosen == "hex":
            self._update(keep_position=True)

    def action_enter(self) -> None:
        enter(self, self.inner)

    def action_tab(self, by: int) -> None:
        self.choose(TABS[(TABS.index(self.tabs.chosen) + by) % len(TABS)])

    def action_findings(self) -> None:
        """Go to the findings, to the first one where none is chosen."""
        self.choose("findings")
        if self.findings.cursor < 0:
            self.findings.choose(0)
        self.action_enter()

    def action_finding(self, by: int) -> None:
        """Go to the next or previous finding, and its row."""
        number, total = self.findings.neighbour(by), len(self.findings.findings)
        if not 0 <= number < total:
            self.notify(NONE if not total else f"There is no {'next' if by > 0 else 'previous'} finding.")
            return
        self.action_findings()
        self.findings.move_to(number)
