"""The detail pane: one row of the wire log as JSON, as fields, as bytes, and its connection's headers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from sse_tui.analysis.turn import Connection
from sse_tui.diagnosis import Finding
from sse_tui.metrics import Clocks
from sse_tui.tui.actions import bindings
from sse_tui.tui.detail.detail_lines import (
    TABS,
    Lines,
    Run,
    fixed,
    header_lines,
    hex_line_of,
    hex_lines,
    json_lines,
    text_lines,
)
from sse_tui.tui.detail.findings import FindingsView
from sse_tui.tui.drawing.folding import fold
from sse_tui.tui.drawing.line_view import LineView
from sse_tui.tui.drawing.looks import look
from sse_tui.wirelog.rows import Row

LOOKS = ("key", "string", "number", "word", "quiet", "title", "error", "mark")
NOTHING = [[("Select a row of the wire log.", "quiet")]]


class DetailLines(LineView):
    """The lines of the chosen tab; long ones are folded to the pane's width."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"detail--{look}" for look in LOOKS}
    BINDINGS: ClassVar[list[BindingType]] = list(bindings("detail"))

    class Tab(Message):
        """The tab before (-1) or after (1) is wanted."""

        def __init__(self, by: int) -> None:
            super().__init__()
            self.by = by

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, following=False)
        self._lines: Lines = fixed(NOTHING)
        self._folded: list[list[Run]] | None = None

    def show(self, lines: Lines, *, keep_place: bool = False) -> None:
        """Show other lines, from the top unless `keep_place`."""
        self._lines = lines
        self._fold()
        if not keep_place:
            self.scroll_to(y=0, animate=False)
        self.lines_changed()

    def _fold(self) -> None:
        # Only a few thousand lines are folded ahead of time; more (a large hex dump) never exceed the width.
        if self._lines.total > 5_000:
            self._folded = None
            return
        width = self.content_width
        self._folded = [
            part for index in range(self._lines.total) for part in fold(self._lines.line(index), width)
        ]

    def on_resize(self) -> None:
        """Fold to the new width."""
        self._fold()

    def line_count(self) -> int:
        """Lines of the tab."""
        return self._lines.total if self._folded is None else len(self._folded)

    def draw(self, index: int, width: int) -> Strip:
        """One line."""
        runs = self._lines.line(index) if self._folded is None else self._folded[index]
        return Strip(
            [Segment(text, self.style_of(f"detail--{name}") if name else None) for text, name in runs if text]
        )

    def action_tab(self, by: int) -> None:
        """Ask for another tab."""
        self.post_message(self.Tab(by))

    @property
    def text(self) -> str:
        """All of the tab, for the clipboard."""
        return "\n".join(
            "".join(text for text, _ in self._lines.line(index)) for index in range(self._lines.total)
        )


class TabLine(Widget):
    """The names of the tabs; the chosen one in brackets."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"tabs--on", "tabs--off"}
    ALLOW_SELECT = False

    class Chosen(Message):
        """A tab was clicked."""

        def __init__(self, tab: str) -> None:
            super().__init__()
            self.tab = tab

    def __init__(self, tabs: tuple[str, ...], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.tabs = tabs
        self.chosen = tabs[0]

    def choose(self, tab: str) -> None:
        """Mark a tab as chosen."""
        self.chosen = tab
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """The line of tabs."""
        base = self.rich_style
        on = look(self, "tabs--on")
        off = look(self, "tabs--off")
        segments = [
            Segment(f"[{tab}]" if tab == self.chosen else f" {tab} ", on if tab == self.chosen else off)
            for tab in self.tabs
        ]
        return Strip(segments).adjust_cell_length(self.size.width, base).apply_style(base)

    def on_click(self, event: events.Click) -> None:
        """Choose the tab under the pointer."""
        place = event.get_content_offset(self)
        left = 0
        for tab in self.tabs:
            left += len(tab) + 2
            if place is not None and place.x < left:
                self.post_message(self.Chosen(tab))
                return


class DetailPane(Vertical):
    """Tabs over lines. `show` is given a row and its connection; one tab is a list of findings of its own."""

    def __init__(self, findings: Sequence[Finding] = (), *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.tabs = TabLine(TABS, id="detail-tabs")
        self.lines = DetailLines(id="detail-lines")
        self.findings = FindingsView(findings, id="findings")
        self.findings.display = False
        self.mark: tuple[int, int] | None = None
        self.row: Row | None = None
        self._conn: Connection | None = None
        self._clocks: Clocks | None = None

    def compose(self) -> ComposeResult:
        """Tabs and lines."""
        yield self.tabs
        yield self.lines
        yield self.findings

    def sync(self) -> None:
        """Show what was found since."""
        if self.findings.display and self.findings.stale:
            self.findings.sync()

    @property
    def inner(self) -> LineView:
        """The view of the chosen tab: what takes the focus."""
        return self.findings if self.tabs.chosen == "findings" else self.lines

    def show(self, row: Row | None, conn: Connection | None, clocks: Clocks | None) -> None:
        """Show a row; None for none."""
        same = self.row is not None and row is not None and row.index == self.row.index
        self.row, self._conn, self._clocks = row, conn, clocks
        if not same:
            self.mark = None
        self._update(keep_place=same)

    def _update(self, *, keep_place: bool = False) -> None:
        self.lines.show(self._made(), keep_place=keep_place)

    def _made(self) -> Lines:
        if self.row is None:
            return fixed(NOTHING)
        if self.tabs.chosen == "json":
            return json_lines(self.row)
        if self.tabs.chosen == "text":
            return text_lines(self.row)
        if self.tabs.chosen == "hex":
            return hex_lines(self.row, self.lines.content_width, self.mark)
        return header_lines(self._conn, self._clocks)

    def choose(self, tab: str) -> None:
        """Show this tab."""
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
        """Show these bytes of the body, of the row that is shown, marked in the hex dump."""
        self.mark = (start, end)
        self.choose("hex")
        if self.row is not None:
            self.lines.show_line(hex_line_of(self.row, self.lines.content_width, start))

    def on_tab_line_chosen(self, event: TabLine.Chosen) -> None:
        """A tab was clicked."""
        event.stop()
        self.choose(event.tab)

    def on_detail_lines_tab(self, event: DetailLines.Tab | FindingsView.Tab) -> None:
        """The next or previous tab."""
        event.stop()
        place = TABS.index(self.tabs.chosen)
        self.choose(TABS[(place + event.by) % len(TABS)])

    def on_findings_view_tab(self, event: FindingsView.Tab) -> None:
        """The same from the findings."""
        self.on_detail_lines_tab(event)

    def on_resize(self) -> None:
        """The hex dump depends on the width."""
        if self.tabs.chosen == "hex":
            self._update(keep_place=True)
