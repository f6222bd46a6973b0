"""The figures of a turn as rows of a table; unknown ones are shown as unknown."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sse_tui.analysis.analysis import Analysis
    from sse_tui.analysis.turn import Turn


def metric_rows(analysis: Analysis, turn: Turn) -> list[tuple[str, str]]:
    """The clocks, gaps and rates of `turn`, with units."""
    from sse_tui.analysis.jsonform import clocks_json, gaps_json

    if analysis.header.clock == "none":
        return [("clock", "none: this stream was captured without times")]
    # A phase that did not happen (TLS with plain HTTP) gets no row; any other clock without a time is unknown.
    clocks = [
        (_clock_name(name), _ms(value))
        for name, value in clocks_json(turn).items()
        if value is not None or name not in ("dns", "tcp", "tls")
    ]
    usage = turn.answer.usage or {}
    tokens = [(f"tokens {name}", str(count)) for name, count in usage.items() if count is not None]
    return [("clock", _clock(analysis.header.clock)), *clocks, *_gap_rows(gaps_json(turn)), *tokens]


def _clock(source: str) -> str:
    if source == "imported":
        return "times of the imported capture"
    resolution = time.get_clock_info("monotonic").resolution * 1e9
    of = "kernel receive times" if source == "kernel" else "time of each read"
    return f"{of}, resolution {resolution:.0f} ns"


def _gap_rows(gaps: dict[str, Any]) -> list[tuple[str, str]]:
    label = str(gaps["label"])
    rows = [(f"{label} n", str(gaps["n"]))]
    for name in ("p50", "p90", "p95", "p99", "max", "mean", "sd"):
        # With fewer than 100 samples the p99 is practically the maximum.
        few = name == "p99" and gaps[name] is None and gaps["n"]
        rows.append((f"{label} {name}", "fewer than 100 samples, see max" if few else _ms(gaps[name])))
    rate = gaps["tokens_per_s"]
    return [
        *rows,
        ("coalesced (one read, gap unknown)", str(gaps["coalesced"])),
        ("stutters over 100 ms", str(gaps["stutters"])),
        (f"TPOT (tokens from {gaps['tokens_from']})", _ms(gaps["tpot_ms"])),
        ("tokens/s", "unknown" if rate is None else f"{rate:.1f}"),
    ]


def _clock_name(name: str) -> str:
    """``ttft_ms`` as people write it: TTFT."""
    name = name.removesuffix("_ms").replace("_", " ")
    return name.upper() if name in ("ttfb", "ttfc", "ttft", "ttfo", "e2e") else name


def _ms(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.1f} ms" if value >= 1 else f"{value:.3f} ms"
