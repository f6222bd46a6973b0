"""The metrics strip: the numbers of the turn, live sparklines, and how long the stream has been silent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import msgspec
from rich.style import Style
from rich.text import Text
from textual.widget import Widget

from sse_tui.analysis.objectives import objective_rows
from sse_tui.metrics import Bounds, IdleView, Objective, passed
from sse_tui.session.live import Live
from sse_tui.tui.drawing import figures
from sse_tui.tui.drawing.figures import UNKNOWN, ms, seconds
from sse_tui.tui.drawing.fit import LinePart, fit_line
from sse_tui.tui.drawing.sparkline import spark
from sse_tui.tui.drawing.styles import component_style

BAR_CELLS = 10


class MetricsStrip(Widget):
    """Three lines of a session's numbers; objectives are evaluated again only when a turn has ended."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "strip--name",
        "strip--value",
        "strip--spark",
        "strip--warn",
        "strip--good",
    }
    ALLOW_SELECT = False

    def __init__(self, session: Live, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.objectives: list[Objective] = []
        """The table for the turns that are over; empty before the first one is."""
        self._bounds = Bounds(**msgspec.structs.asdict(session.spec.config.slo))
        self._session = session
        self._over = 0
        self._idle: IdleView | None = None
        self._rate: float | None = None

    def sync(self) -> None:
        """Take the numbers anew; the idle clocks and the current rate only while a stream runs."""
        analysis, now = self._session.analysis, self._session.now()
        turn, turns = analysis.turn, analysis.turns
        # Only the last turn can be running.
        over = len(turns) - (bool(turns) and not turns[-1].over)
        if over != self._over:
            self._over, self.objectives = over, objective_rows(self._bounds, turns)
        self._idle = self._rate = None
        if turn is not None and not turn.over and now is not None and not self._session.broken_off:
            self._idle, self._rate = analysis.idle.view(now), turn.gaps.rate(now)
        self.refresh()

    def render(self) -> Text:
        width = self.size.width
        return Text("\n").join([self._numbers(width), self._sparks(width), self._silence(width)])

    def _style(self, name: str) -> Style:
        return component_style(self, f"strip--{name}")

    def _numbers(self, width: int) -> Text:
        turn = self._session.analysis.turn
        if turn is None:
            return fit_line([LinePart(" no request yet", self._style("name"))], width)
        clocks = turn.clocks.clocks()
        stats = turn.gaps.stats()
        label = figures.gap_label(turn)
        tail_name, tail = figures.tail_text(stats)
        speed = self._rate if self._rate is not None else turn.tpot.per_second
        per_read = turn.gaps.events_per_read
        share = turn.gaps.coalesced_share
        pairs: list[tuple[str, str, int]] = [
            ("headers", ms(clocks.ttfb), 6),
            ("byte", ms(clocks.first_byte), 8),
            ("event", ms(clocks.ttfc), 7),
            ("TTFT", ms(clocks.ttft), 0),
            ("TTFO", f"{ms(clocks.ttfo)} ms", 4),
            (f"│ {label} p50", ms(stats.p50), 0),
            (tail_name, tail, 1),
            ("max", ms(stats.max) if tail_name != "max" else "", 3),
            ("n", f"{stats.n:,}", 5),
            ("│", f"{figures.rate(speed)} tok/s", 0),
            ("│", f"{UNKNOWN if per_read is None else f'{per_read:.1f}'} ev/read", 2),
            ("coalesced", UNKNOWN if share is None else f"{share:.0%}", 9),
        ]
        return self._paired([pair for pair in pairs if pair[1]], width)

    def _paired(self, pairs: list[tuple[str, str, int]], width: int) -> Text:
        """Names and values; a name and its value are kept or dropped together."""
        parts = [LinePart(f"{name} {value}", rank=rank) for name, value, rank in pairs]
        line = Text(" ") + fit_line(parts, max(1, width - 1))
        plain = line.plain
        line.stylize(self._style("value"))
        for name, _, _ in pairs:
            start = plain.find(name + " ")
            if start >= 0:
                line.stylize(self._style("name"), start, start + len(name))
        return line

    def _sparks(self, width: int) -> Text:
        """Inter-token latency over events and TTFT over requests, each with its scale, from zero."""
        turns, turn = self._session.analysis.turns, self._session.analysis.turn
        label = figures.gap_label(turn) if turn is not None else "ITL"
        room = width - 1
        first_room = room * 2 // 3
        line = Text(" ", no_wrap=True, end="")
        line.append_text(
            self._one_spark(label, list(turn.gaps.recent) if turn is not None else [], first_room)
        )
        line.append("  ")
        ttfts = [each.clocks.clocks().ttft for each in turns]
        line.append_text(self._one_spark("TTFT", ttfts, width - line.cell_len))
        line.truncate(width, pad=True)
        return line

    def _one_spark(self, name: str, values: Sequence[float | None], room: int) -> Text:
        # The scale's width is known only after the drawing, so that room for the widest is left.
        drawing = spark(values, max(0, room - len(name) - 14))
        known = any(value is not None for value in values)
        scale = f"0–{ms(drawing.top).removesuffix('.0')} ms" if known else UNKNOWN
        line = Text(no_wrap=True, end="")
        line.append(f"{name} ", self._style("name"))
        line.append(f"{scale} ", self._style("value"))
        line.append(drawing.cells, self._style("spark"))
        if drawing.clipped:
            line.append(f" {drawing.clipped}↑", self._style("warn"))
        return line

    def _silence(self, width: int) -> Text:
        view = self._idle
        name, value = self._style("name"), self._style("value")
        clock = LinePart(f"{figures.clock_text(self._session.analysis.header.clock)} ", name, 3, right=True)
        slo = self._slo()
        if view is None or view.bytes is None:
            return fit_line([LinePart(" beat - ", name, 1), LinePart("idle -", name, 2), slo, clock], width)
        parts = [LinePart(self._beat(view), value, 1)]
        if view.limit_s is not None and view.limit_in is not None:
            filled = min(BAR_CELLS, int(view.bytes / (view.limit_s * 1000) * BAR_CELLS + 0.5))
            bar = "█" * filled + "░" * (BAR_CELLS - filled)
            style = self._style("warn") if filled > BAR_CELLS // 2 else value
            parts += [
                LinePart(f"idle {seconds(view.bytes)}", style, 0),
                LinePart(f"{bar} limit {view.limit_s} s in {seconds(view.limit_in)}", style, 2, shorter=bar),
            ]
        else:
            parts.append(
                LinePart(f"idle {seconds(view.bytes)}, past every known limit", self._style("warn"), 0)
            )
        return fit_line([*parts, slo, clock], width, gap=3)

    def _slo(self) -> LinePart:
        """How many objectives are met; F5 lists them."""
        if not self.objectives:
            return LinePart("SLO -", self._style("name"), 2)
        failed = any(row.state == "fail" for row in self.objectives)
        text = f"SLO {'FAIL' if failed else 'ok'} {passed(self.objectives)}/{len(self.objectives)}"
        return LinePart(text, self._style("warn" if failed else "good"), 1)

    @staticmethod
    def _beat(view: IdleView) -> str:
        if view.beat_ago is None:
            return " beat none yet"
        every = f" (every {view.beat_period / 1000:.1f})" if view.beat_period is not None else ""
        return f" beat {seconds(view.beat_ago)} ago{every}"
