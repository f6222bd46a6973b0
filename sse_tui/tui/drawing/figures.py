"""The numbers of a turn as the strip and the metrics screen print them; an unknown value is a dash, never a guess."""

from __future__ import annotations

import time
from typing import NamedTuple

from sse_tui.analysis.turn import Turn
from sse_tui.metrics import Clocks, Objective, Stats, label_for
from sse_tui.offline.report.parts import bound, measured, samples

UNKNOWN = "-"


class Figure(NamedTuple):
    """A number with its name, as printed, and its definition."""

    name: str
    value: str
    meaning: str


def ms(value: float | None) -> str:
    """Milliseconds, with a decimal below 100: ``-``, ``0.4``, ``46.9``, ``261``, ``12,345``."""
    if value is None:
        return UNKNOWN
    return f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def seconds(value_ms: float) -> str:
    """A duration for people: ``0.4 s``, ``12 s``, ``3:05``."""
    s = value_ms / 1000
    return f"{s:.1f} s" if s < 10 else f"{s:.0f} s" if s < 100 else f"{int(s) // 60}:{int(s) % 60:02}"


def rate(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value:.1f}" if value < 1000 else f"{value:,.0f}"


def gap_label(turn: Turn) -> str:
    """ "ITL" where an event is a token as far as counts can tell, else "ICL": the gaps are between chunks then."""
    return label_for(turn.tokens_per_event)


def tail_text(stats: Stats) -> tuple[str, str]:
    """Name and value of the slow end: ``p99``, or ``max`` where there are too few samples."""
    return ("max" if stats.p99 is None else "p99"), ms(stats.p99_or_max)


CLOCKS = {
    "kernel": "kernel receive time",
    "read": "monotonic, after the read",
    "imported": "times from the capture",
    "none": "none: the bytes were imported without times",
}


def clock_text(name: str) -> str:
    """The clock of the times, and its resolution."""
    if name == "none":
        return "no clock"
    if name == "imported":
        return "the capture's clock"
    step_s = 1e-9 if name == "kernel" else time.get_clock_info("monotonic").resolution
    resolution = f"{step_s * 1e9:.0f} ns" if step_s < 1e-6 else f"{step_s * 1e6:.0f} µs"
    return f"{name} clock ±{resolution}"


def clock_figures(clocks: Clocks) -> list[Figure]:
    return [
        Figure("connect", ms(clocks.connect), "name resolution, TCP and TLS; not part of the other times"),
        Figure("headers", ms(clocks.ttfb), "TTFB: status line and headers have arrived"),
        Figure("byte", ms(clocks.first_byte), "the body's first byte"),
        Figure("event", ms(clocks.ttfc), "TTFC: the first event, whatever it holds"),
        Figure("TTFT", ms(clocks.ttft), "the first event with text, reasoning or a tool call"),
        Figure("TTFO", ms(clocks.ttfo), "the first event with visible text or a tool call"),
        Figure("E2E", ms(clocks.e2e), "the last token-bearing event"),
        Figure("stream end", ms(clocks.stream_end), "the end of the body"),
    ]


def gap_figures(turn: Turn, stats: Stats) -> list[Figure]:
    """Gaps, rates and what the reads held."""
    label = gap_label(turn)
    tpot = turn.tpot
    p99 = "n < 100: see max" if stats.p99 is None and stats.n else ms(stats.p99)
    share = turn.gaps.coalesced_share
    tokens = turn.output_tokens
    return [
        Figure(f"{label} p50", ms(stats.p50), "half of the gaps between token-bearing events are shorter"),
        Figure(f"{label} p90", ms(stats.p90), "90 % are shorter"),
        Figure(f"{label} p95", ms(stats.p95), "95 % are shorter"),
        Figure(f"{label} p99", p99, "needs at least 100 gaps"),
        Figure(f"{label} max", ms(stats.max), "the longest gap"),
        Figure(f"{label} mean", ms(stats.mean), f"standard deviation {ms(stats.sd)} ms"),
        Figure(f"{label} n", f"{stats.n:,}", "gaps that could be observed"),
        Figure(
            "coalesced",
            UNKNOWN if share is None else f"{share:.0%}",
            f"{turn.gaps.coalesced:,} gaps inside one read: not observable, in no percentile",
        ),
        Figure("TPOT", ms(tpot.ms), f"time per output token, tokens from {tpot.source or 'no source'}"),
        Figure("tok/s", rate(tpot.per_second), "decode speed, 1/TPOT"),
        Figure(
            "events/read", _ratio(turn.gaps.events_per_read), "well above 1: something buffers the stream"
        ),
        Figure(
            "tok/event",
            _ratio(turn.tokens_per_event),
            "the server's tokens per token-bearing event",
        ),
        Figure("stutters", f"{turn.gaps.stutters:,}", "gaps longer than 100 ms"),
        Figure(
            "tokens", UNKNOWN if tokens is None else f"{tokens:,}", "output tokens as the server counts them"
        ),
    ]


def objective_figure(row: Objective) -> Figure:
    """An objective of the session: what was found, whether that holds, and the bound."""
    sign = {"pass": "✓", "fail": "✗"}.get(row.state, "?")
    found = f"{sign} {row.state}: {bound(row)} ({samples(row)})"
    return Figure(f"SLO {row.name}", measured(row.value, row.unit), found)


def _ratio(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value:.2f}"
