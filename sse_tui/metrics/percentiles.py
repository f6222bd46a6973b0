"""Percentiles by one rule: linear interpolation between the closest ranks of the raw samples.

That is Hyndman and Fan's type 7, the default of numpy, which vLLM's and AIPerf's figures use too. With fewer
than 100 samples a p99 would be an interpolation towards a single value: it is None then, and the maximum is
shown instead.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

P99_MIN_SAMPLES = 100

_QUANTILES = (0.5, 0.9, 0.95, 0.99)

# Above this many samples finding a few order statistics with numpy beats sorting everything in Python.
_SORT_MAX = 4_096

# Live percentiles of up to this many samples are always exact; beyond it they may lag by 5 % of the samples.
_LIVE_EXACT = 1_000
_LIVE_LAG = 0.05

WIDE = 1 << 16
"""How many samples are kept as wide as they came."""


@dataclass(frozen=True, slots=True)
class Stats:
    """Summary of `n` samples in the samples' own unit, ms everywhere here; None where `n` is too small.

    `sd` is the standard deviation of the samples themselves (divided by n, as numpy does), `p99` is None
    below 100 samples, where `max` stands in for it.
    """

    n: int = 0
    mean: float | None = None
    sd: float | None = None
    min: float | None = None
    max: float | None = None
    p50: float | None = None
    p90: float | None = None
    p95: float | None = None
    p99: float | None = None

    @property
    def p99_or_max(self) -> float | None:
        """What to show for the p99: the p99, or with too few samples the maximum."""
        return self.max if self.p99 is None else self.p99


def percentile(ordered: Sequence[float], q: float) -> float:
    """The `q` quantile (0 to 1) of samples in ascending order. There must be at least one."""
    return _quantile(len(ordered), q, ordered.__getitem__)


def _quantile(n: int, q: float, value_at: Callable[[int], float]) -> float:
    rank = (n - 1) * q
    below = math.floor(rank)
    above = min(below + 1, n - 1)
    return _between(value_at(below), value_at(above), rank - below)


def _between(a: float, b: float, fraction: float) -> float:
    """Linear interpolation that never leaves [a, b], rounded as numpy does; `b` may be infinite."""
    if a == b or fraction == 0:
        return a
    if math.isinf(b):
        return b
    if fraction < 0.5:
        return a + (b - a) * fraction
    return b - (b - a) * (1 - fraction)


def summarize(samples: Iterable[float]) -> Stats:
    """The summary of finished samples. Infinity, as for a failed request, is a sample like any other."""
    collected = Samples()
    for sample in samples:
        collected.add(sample)
    return collected.stats()


class Samples:
    """Samples that keep coming, with summaries on the way.

    Adding is one append; mean, deviation and extremes take in what was added when they are asked for. `stats` is
    exact. `live` costs next to nothing when it is asked several times a second: with many samples its percentiles
    are computed again only when 5 % have been added, while n, mean, sd, min and max are always those of now. From
    `WIDE` samples on each is kept to 24 bits, a part in 16 million, so that a million take 4 MB; and `values`, until
    then in the order of their coming, are in no order any more, so that percentiles need no copy.
    """

    __slots__ = ("_finite", "_live", "_max", "_mean", "_min", "_seen", "_square", "values")

    def __init__(self) -> None:
        self.values = array("d")
        self._min = math.inf
        self._max = -math.inf
        self._seen = 0
        self._finite = 0
        self._mean = 0.0
        self._square = 0.0
        self._live = Stats()

    def __len__(self) -> int:
        return len(self.values)

    def add(self, sample: float) -> None:
        """Take one sample."""
        values = self.values
        values.append(sample)
        if len(values) == WIDE:
            self._take_in()
            self.values = array("f", values)

    def _take_in(self) -> None:
        """Count what was added since the last time, by the merging of moments (Chan et al.), which does not cancel."""
        while new := self.values[self._seen : self._seen + WIDE]:
            self._merge(new)

    def _merge(self, new: array[float]) -> None:
        self._seen += len(new)
        self._min = min(self._min, min(new))
        self._max = max(self._max, max(new))
        finite = new if all(map(math.isfinite, new)) else [sample for sample in new if math.isfinite(sample)]
        if not finite:
            return
        count = len(finite)
        mean = math.fsum(finite) / count
        both = self._finite + count
        away = mean - self._mean
        self._square += math.fsum((sample - mean) ** 2 for sample in finite)
        self._square += away * away * self._finite * count / both
        self._mean += away * count / both
        self._finite = both

    def stats(self) -> Stats:
        """The exact summary of all samples."""
        if self._live.n != len(self.values):
            self._live = self._moments(self._percentiles())
        return self._live

    def live(self) -> Stats:
        """The summary for a display that asks all the time; see the class."""
        n = len(self.values)
        if n == self._live.n:
            return self._live
        if n <= _LIVE_EXACT or n > self._live.n * (1 + _LIVE_LAG):
            return self.stats()
        # Not kept: its n would claim that the percentiles are up to date.
        return self._moments(self._live)

    def _moments(self, percentiles: Stats) -> Stats:
        n = len(self.values)
        if not n:
            return Stats()
        self._take_in()
        finite = self._finite == n
        return replace(
            percentiles,
            n=n,
            mean=self._mean if finite else math.inf,
            sd=math.sqrt(self._square / n) if finite else math.inf,
            min=self._min,
            max=self._max,
        )

    def _percentiles(self) -> Stats:
        n = len(self.values)
        if not n:
            return Stats()
        self._take_in()
        value_at = sorted(self.values).__getitem__ if n <= _SORT_MAX else _partitioned(self.values)
        p50, p90, p95, p99 = (_quantile(n, q, value_at) for q in _QUANTILES)
        return Stats(n, p50=p50, p90=p90, p95=p95, p99=p99 if n >= P99_MIN_SAMPLES else None)


def _partitioned(values: array[float]) -> Callable[[int], float]:
    """The value at a rank, as if sorted, for the ranks that the percentiles need. Wide values are moved in place."""
    import numpy  # 0.1 s to import, which only long streams need

    n = len(values)
    below = [math.floor((n - 1) * q) for q in _QUANTILES]
    ranks = sorted({*below, *(min(r + 1, n - 1) for r in below)})
    placed = numpy.frombuffer(values, values.typecode)
    if n < WIDE:
        placed = placed.copy()
    placed.partition(ranks)
    at_rank = {rank: float(placed[rank]) for rank in ranks}
    return at_rank.__getitem__
