"""The findings tab: what is wrong with the stream, a line each; the chosen one says all that is known of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import BindingType
from textual.message import Message
from textual.strip import Strip

from sse_tui.diagnosis import Finding
from sse_tui.offline.report.parts import place, quoted
from sse_tui.text.safety import pane_line
from sse_tui.tui.actions import bindings
from sse_tui.tui.detail.detail_lines import Run
from sse_tui.tui.drawing.fit import pad
from sse_tui.tui.drawing.line_view import LineView
from sse_tui.tui.drawing.wrapping import Wrapper

SIGNS = {"error": "E", "warning": "W", "info": "i"}
"""The severities as letters: none is told by colour alone."""
RULE_CELLS = 23
SPOT_CELLS = 9
NONE = "Nothing was found wrong so far."


def _folded(key: str, text: str, look: str, width: int) -> list[list[Run]]:
    """A text under its key, its lines below one another."""
    indent = 2 if not key else 8
    wrapper = Wrapper(max(10, width - indent))
    wrapper.feed(pane_line(text))
    first = f"  {key:<{indent - 2}}"
    return [
        [(first if number == 0 else " " * indent, "key"), (line.text, look)]
        for number, line in enumerate(wrapper.lines)
    ]


class FindingsView(LineView):
    """The list. `cursor` is the number of the chosen finding, -1 for none; a finding that is shown may still change."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "findings--error", "findings--warning", "findings--info", "findings--rule", "findings--text",
        "findings--quiet", "findings--key", "findings--cursor",
    }  # fmt: skip
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("findings"), *bindings("detail")]

    class Tab(Message):
        """The tab before (-1) or after (1) is wanted."""

        def __init__(self, by: int) -> None:
            super().__init__()
            self.by = by

    class Moved(Message):
        """Another finding was chosen: its row is wanted."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    class Opened(Message):
        """The bytes of the chosen finding are wanted."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    def __init__(self, findings: Sequence[Finding], *, id: str | None = None) -> None:
        super().__init__(id=id, following=False)
        self.findings = findings
        self.cursor = -1
        self._told: list[list[Run]] = []
        self._shown: tuple[int, int] = (0, 0)

    @property
    def stale(self) -> bool:
        """Whether there is more to show than was: findings, or occurrences of them."""
        return self._state() != self._shown

    def _state(self) -> tuple[int, int]:
        return len(self.findings), sum(finding.count for finding in self.findings)

    def sync(self) -> None:
        """Take in new findings, and what has changed in the chosen one."""
        self._shown = self._state()
        self._tell()
        self.lines_changed()

    def choose(self, number: int) -> None:
        """Put the cursor on a finding and have all of it in view."""
        self.cursor = max(-1, min(number, len(self.findings) - 1))
        self._tell()
        self.lines_changed()
        if self.cursor >= 0:
            self.show_line(self.cursor + max(0, len(self._told) - 1))
            self.show_line(self.cursor)

    def _tell(self) -> None:
        """The lines of the chosen finding."""
        if not 0 <= self.cursor < len(self.findings):
            self._told = []
            return
        finding, width = self.findings[self.cursor], self.content_width - 1
        said = [
            ("", finding.message, "text"),
            ("do", finding.advice, "text"),
            ("where", place(finding), "quiet"),
            ("bytes", quoted(finding) if finding.raw else "", "quiet"),
            ("see", finding.reference, "quiet"),
        ]
        self._told = [
            [],
            *(line for key, text, look in said if text for line in _folded(key, text, look, width)),
        ]

    def line_count(self) -> int:
        """A line a finding, and those that tell of the chosen one."""
        return len(self.findings) + max(0, len(self._told) - 1) if self.findings else 1

    def _at(self, index: int) -> tuple[int, int]:
        """The finding that a line belongs to, and which of its lines it is."""
        told = max(0, len(self._told) - 1)
        if self.cursor < 0 or index <= self.cursor:
            return index, 0
        if index <= self.cursor + told:
            return self.cursor, index - self.cursor
        return index - told, 0

    def draw(self, index: int, width: int) -> Strip:
        """One line."""
        if not self.findings:
            return Strip([Segment(NONE, self.style_of("findings--quiet"))])
        number, line = self._at(index)
        if line:
            return Strip(
                [
                    Segment(text, self.style_of(f"findings--{name}") if name else None)
                    for text, name in self._told[line]
                ]
            )
        return self._head(number, width)

    def _head(self, number: int, width: int) -> Strip:
        finding = self.findings[number]
        here = number == self.cursor
        severity = self.style_of(f"findings--{finding.severity}")
        spot = f"#{finding.conn}" + (f" e{finding.event}" if finding.event is not None else "")
        times = f" ×{finding.count}" if finding.count > 1 else ""
        rule = min(RULE_CELLS, max(8, width // 3))
        used = 5 + rule + SPOT_CELLS
        said = "" if here else pane_line(finding.message)
        strip = Strip(
            [
                Segment("▸" if here else " ", severity),
                Segment(f"{SIGNS[finding.severity]} ", severity),
                Segment(f"{pad(finding.rule, rule)} ", self.style_of("findings--rule")),
                Segment(f"{pad(spot + times, SPOT_CELLS)} ", self.style_of("findings--quiet")),
                Segment(pad(said, max(0, width - used)), self.style_of("findings--text")),
            ]
        )
        return (
            strip.adjust_cell_length(width).apply_style(self.style_of("findings--cursor")) if here else strip
        )

    # -- input ----------------------------------------------------------------------------------------------------

    def _move_to(self, number: int) -> None:
        if self.findings:
            self.choose(max(0, min(number, len(self.findings) - 1)))
            self.post_message(self.Moved(self.cursor))

    def action_move(self, by: int) -> None:
        """The finding before or after."""
        self._move_to(self.cursor + by)

    def action_first(self) -> None:
        """The first finding."""
        self._move_to(0)

    def action_last(self) -> None:
        """The last finding."""
        self._move_to(len(self.findings) - 1)

    def action_open_finding(self) -> None:
        """To the bytes of the chosen finding."""
        if self.findings:
            if self.cursor < 0:
                self._move_to(0)
            self.post_message(self.Opened(self.cursor))

    def action_tab(self, by: int) -> None:
        """Ask for another tab."""
        self.post_message(self.Tab(by))

    def on_click(self, event: events.Click) -> None:
        """Choose the finding under the pointer; twice, go to its bytes."""
        place_ = self.under(event)
        if place_ is None or not self.findings:
            return
        number, _ = self._at(place_[0])
        self._move_to(number)
        if event.chain == 2:
            self.action_open_finding()

    def on_resize(self) -> None:
        """Fold to the new width."""
        self._tell()

    @property
    def text(self) -> str:
        """All findings, for the clipboard."""
        return "\n\n".join(
            "\n".join(
                part
                for part in (
                    f"{SIGNS[finding.severity]} {finding.rule}  {place(finding)}",
                    finding.message,
                    finding.advice,
                    f"| {quoted(finding)}" if finding.raw else "",
                    f"see {finding.reference}" if finding.reference else "",
                )
                if part
            )
            for finding in self.findings
        )
