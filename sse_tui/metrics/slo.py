"""Service level objectives for the finished requests of a session: bounds, and a table of results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sse_tui.metrics.percentiles import Stats, summarize


@dataclass(frozen=True, slots=True)
class Bounds:
    """The bounds: times in ms and the share of errors must be below, the share of completions above."""

    ttft_p50_ms: float
    ttft_p99_ms: float
    tpot_ms: float
    tbt_p99_ms: float
    completion: float
    errors: float


@dataclass(frozen=True, slots=True)
class Finished:
    """The numbers of one finished request, in ms. A number that is None is unknown and does not count.

    `gaps` are the observed gaps between token-bearing events. `complete` is None if the dialect cannot tell.
    `error`: the request failed, or the server reported an error in the stream. Requests stopped by the user are not
    finished and should be left out.
    """

    ttft: float | None = None
    tpot: float | None = None
    gaps: Iterable[float] = ()
    complete: bool | None = None
    error: bool = False


class Objective(NamedTuple):
    """One objective. `state` is "pass", "fail" or "unknown" (then `value` is None).

    `unit` is "ms" or "share". `value` is the `statistic` of `n` samples: with fewer than 100, a p99 is the maximum.
    """

    name: str
    bound: float
    value: float | None
    state: str
    unit: str
    statistic: str
    n: int


def evaluate(bounds: Bounds, requests: Sequence[Finished]) -> list[Objective]:
    """The table, which always has the same six rows.

    TPOT is judged by its median over all requests, TBT (time between tokens) by the gaps of all requests together.
    """
    ttft = summarize(request.ttft for request in requests if request.ttft is not None)
    tpot = summarize(request.tpot for request in requests if request.tpot is not None)
    tbt = summarize(gap for request in requests for gap in request.gaps)
    told = [request.complete for request in requests if request.complete is not None]
    failed = sum(request.error for request in requests)
    return [
        _time("TTFT p50", bounds.ttft_p50_ms, "p50", ttft.p50, ttft.n),
        _time("TTFT p99", bounds.ttft_p99_ms, *_p99(ttft)),
        _time("TPOT", bounds.tpot_ms, "p50", tpot.p50, tpot.n),
        _time("TBT p99", bounds.tbt_p99_ms, *_p99(tbt)),
        _share("completion", bounds.completion, sum(told), len(told), above=True),
        _share("errors", bounds.errors, failed, len(requests), above=False),
    ]


def passed(rows: Sequence[Objective]) -> int:
    """How many objectives are met."""
    return sum(row.state == "pass" for row in rows)


def _p99(stats: Stats) -> tuple[str, float | None, int]:
    return "max" if stats.p99 is None else "p99", stats.p99_or_max, stats.n


def _time(name: str, bound: float, statistic: str, value: float | None, n: int) -> Objective:
    holds = value is not None and value < bound
    return Objective(name, bound, value, _state(value, holds), "ms", statistic, n)


def _share(name: str, bound: float, hits: int, n: int, *, above: bool) -> Objective:
    value = hits / n if n else None
    # Otherwise a bound of 1 or 0 could never be met.
    holds = value is not None and ((value > bound or value == 1) if above else (value < bound or value == 0))
    return Objective(name, bound, value, _state(value, holds), "share", "share", n)


def _state(value: float | None, holds: bool) -> str:
    if value is None:
        return "unknown"
    return "pass" if holds else "fail"
