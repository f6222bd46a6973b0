"""Service level objectives over the finished requests of a session: bounds, and a table of what holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sse_tui.metrics.percentiles import Stats, summarize


@dataclass(frozen=True, slots=True)
class Bounds:
    """The bounds: times in ms and the share of errors must stay below, the share of completions above."""

    ttft_p50_ms: float
    ttft_p99_ms: float
    tpot_ms: float
    tbt_p99_ms: float
    completion: float
    errors: float


@dataclass(frozen=True, slots=True)
class Finished:
    """The numbers of one finished request, ms. None where a number is not known: it then counts neither way.

    `gaps` are its observed gaps between token-bearing events; `complete` is None when the dialect cannot
    tell; `error`: it failed, or an error was reported inside the stream. A request that the user stopped is
    not a finished request and should be left out.
    """

    ttft: float | None = None
    tpot: float | None = None
    gaps: Iterable[float] = ()
    complete: bool | None = None
    error: bool = False


class Objective(NamedTuple):
    """One objective. `state` is "pass", "fail" or "unknown" (`value` is None then).

    `unit` is "ms" or "share"; `n` counts the samples behind `value`, and `statistic` says what it is, since a
    p99 of fewer than 100 samples is the maximum.
    """

    name: str
    bound: float
    value: float | None
    state: str
    unit: str
    statistic: str
    n: int


def evaluate(bounds: Bounds, requests: Sequence[Finished]) -> list[Objective]:
    """The table, always of the same six rows.

    TPOT is judged by its median over the requests, TBT (time between tokens) over the gaps of all of them
    together.
    """
    ttft = summarize(request.ttft for request in requests if request.ttft is not None)
    tpot = summarize(request.tpot for request in requests if request.tpot is not None)
    tbt = summarize(gap for request in requests for gap in request.gaps)
    told = [request.complete for request in requests if request.complete is not None]
    return [
        _time("TTFT p50", bounds.ttft_p50_ms, ttft, _median),
        _time("TTFT p99", bounds.ttft_p99_ms, ttft, _p99),
        _time("TPOT", bounds.tpot_ms, tpot, _median),
        _time("TBT p99", bounds.tbt_p99_ms, tbt, _p99),
        _share("completion", bounds.completion, sum(told), len(told), above=True),
        _share(
            "errors", bounds.errors, sum(request.error for request in requests), len(requests), above=False
        ),
    ]


def passed(rows: Sequence[Objective]) -> int:
    """How many objectives are known to hold."""
    return sum(row.state == "pass" for row in rows)


def _median(stats: Stats) -> tuple[str, float | None]:
    return "p50", stats.p50


def _p99(stats: Stats) -> tuple[str, float | None]:
    return ("max", stats.max) if stats.p99 is None else ("p99", stats.p99)


def _time(
    name: str, bound: float, stats: Stats, pick: Callable[[Stats], tuple[str, float | None]]
) -> Objective:
    statistic, value = pick(stats)
    holds = value is not None and value < bound
    return Objective(name, bound, value, _state(value, holds), "ms", statistic, stats.n)


def _share(name: str, bound: float, hits: int, n: int, *, above: bool) -> Objective:
    value = hits / n if n else None
    # A bound of 1 or of 0 could otherwise never be met.
    holds = value is not None and ((value > bound or value == 1) if above else (value < bound or value == 0))
    return Objective(name, bound, value, _state(value, holds), "share", "share", n)


def _state(value: float | None, holds: bool) -> str:
    if value is None:
        return "unknown"
    return "pass" if holds else "fail"
