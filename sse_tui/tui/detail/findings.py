"""The findings tab: what is wrong with the stream, one line each; the chosen one is shown in full."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message
from textual.strip import Strip

from sse_tui.diagnosis import Finding
from sse_tui.offline.report.parts import location, quoted
from sse_tui.text.safety import pane_line
from sse_tui.tui.actions import bindings
from sse_tui.tui.detail.detail_lines import Run
from sse_tui.tui.drawing.fit import pad
from sse_tui.tui.drawing.line_view import LineView
from sse_tui.tui.drawing.wrapping import Wrapper

SIGNS = {"error": "E", "warning": "W", "info": "i"}
"""The severities as letters, so that none is shown by colour alone."""
RULE_CELLS = 23
EVENT_CELLS = 9
NONE = "No findings so far."


def _folded(key: str, text: str, style: str, width: int) -> list[list[Run]]:
    """A text after its key, wrapped to the width."""
    indent = 2 if not key else 8
    wrapper = Wrapper(max(10, width - indent))
    wrapper.feed(pane_line(text))
    first = f"  {key:<{indent - 2}}"
    return [
        [(first if number == 0 else " " * indent, "key"), (line.text, style)]
        for number, line in enumerate(wrapper.lines)
    ]


class FindingsView(LineView):
    """The list. `cursor` is the number of the chosen finding, -1 for none; a finding that is shown may still change."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "findings--error", "findings--warning", "findings--info", "findings--rule", "findings--text",
        "findings--quiet", "findings--key", "findings--cursor",
    }  # fmt: skip
    BINDINGS: ClassVar[list[BindingType]] = list(bindings("findings"))

    @dataclass
    class FindingChosen(Message):
        """The cursor is on another finding: its row is to be selected."""

        number: int

    @dataclass
    class FindingOpened(Message):
        """The bytes of the chosen finding are to be shown."""

        number: int

    def __init__(self, findings: Sequence[Finding], *, id: str | None = None) -> None:
        super().__init__(id=id, following=False)
        self.findings = findings
        self.cursor = -1
        self._detail: list[list[Run]] = []
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
        self._lay_out()
        self.lines_changed()

    def choose(self, number: int) -> None:
        """Put the cursor on a finding and have all of it in view."""
        self.cursor = max(-1, min(number, len(self.findings) - 1))
        self._lay_out()
        self.lines_changed()
        if self.cursor >= 0:
            self.show_line(self.cursor + len(self._detail))
            self.show_line(self.cursor)

    def _lay_out(self) -> None:
        if not 0 <= self.cursor < len(self.findings):
            self._detail = []
            return
        finding, width = self.findings[self.cursor], self.content_width - 1
        texts = [
            ("", finding.message, "text"),
            ("do", finding.advice, "text"),
            ("where", location(finding), "quiet"),
            ("bytes", quoted(finding) if finding.raw else "", "quiet"),
            ("see", finding.reference, "quiet"),
        ]
        self._detail = [
            line for key, text, style in texts if text for line in _folded(key, text, style, width)
        ]

    def line_count(self) -> int:
        """A line for each finding, and more below the chosen one."""
        return len(self.findings) + len(self._detail) if self.findings else 1

    def _at(self, index: int) -> tuple[int, int]:
        """The finding that a line belongs to, and which of its lines it is."""
        if self.cursor < 0 or index <= self.cursor:
            return index, 0
        if index <= self.cursor + len(self._detail):
            return self.cursor, index - self.cursor
        return index - len(self._detail), 0

    def draw(self, index: int, width: int) -> Strip:
        if not self.findings:
            return self.strip_of([(NONE, "quiet")], "findings")
        number, line = self._at(index)
        return self.strip_of(self._detail[line - 1], "findings") if line else self._head(number, width)

    def _head(self, number: int, width: int) -> Strip:
        finding = self.findings[number]
        chosen = number == self.cursor
        event = f"#{finding.conn}" + (f" e{finding.event}" if finding.event is not None else "")
        times = f" ×{finding.count}" if finding.count > 1 else ""
        rule = min(RULE_CELLS, max(8, width // 3))
        used = 5 + rule + EVENT_CELLS
        message = "" if chosen else pane_line(finding.message)
        runs = [
            (f"{'▸' if chosen else ' '}{SIGNS[finding.severity]} ", finding.severity),
            (f"{pad(finding.rule, rule)} ", "rule"),
            (f"{pad(event + times, EVENT_CELLS)} ", "quiet"),
            (pad(message, max(0, width - used)), "text"),
        ]
        strip = self.strip_of(runs, "findings")
        if chosen:
            strip = strip.adjust_cell_length(width).apply_style(self.style_of("findings--cursor"))
        return strip

    def neighbour(self, by: int) -> int:
        """The number of the finding after or before the chosen one; it may be past either end."""
        return self.cursor + by if self.cursor >= 0 or by > 0 else len(self.findings) - 1

    def move_to(self, number: int) -> None:
        """Choose a finding, and have its row selected."""
        if self.findings:
            self.choose(max(0, min(number, len(self.findings) - 1)))
            self.post_message(self.FindingChosen(self.cursor))

    def action_move(self, by: int) -> None:
        self.move_to(self.cursor + by)

    def action_first(self) -> None:
        self.move_to(0)

    def action_last(self) -> None:
        self.move_to(len(self.findings) - 1)

    def action_open_finding(self) -> None:
        """To the bytes of the chosen finding."""
        if self.findings:
            if self.cursor < 0:
                self.move_to(0)
            self.post_message(self.FindingOpened(self.cursor))

    def on_click(self, event: events.Click) -> None:
        """Choose the finding under the pointer; twice, go to its bytes."""
        clicked = self.under(event)
        if clicked is None or not self.findings:
            return
        number, _ = self._at(clicked[0])
        self.move_to(number)
        if event.chain == 2:
            self.action_open_finding()

    def on_resize(self) -> None:
        self._lay_out()

    @property
    def text(self) -> str:
        """All findings, for the clipboard."""
        return "\n\n".join(
            "\n".join(
                part
                for part in (
                    f"{SIGNS[finding.severity]} {finding.rule}  {location(finding)}",
                    finding.message,
                    finding.advice,
                    f"| {quoted(finding)}" if finding.raw else "",
                    f"see {finding.reference}" if finding.reference else "",
                )
                if part
            )
            for finding in self.findings
        )
