"""Percentiles by one rule: linear interpolation between the closest ranks of the raw samples.

This is type 7 of Hyndman and Fan, the default of numpy, which vLLM and AIPerf use too. With fewer than 100 samples a
p99 would be an interpolation towards a single value: it is None then, and the maximum is shown instead.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from sse_tui.metrics.ordered import Ordered

P99_MIN_SAMPLES = 100

_QUANTILES = (0.5, 0.9, 0.95, 0.99)

WIDE = 1 << 16
"""Up to how many samples are stored in full precision, and how many new ones are put in order together at most."""


@dataclass(frozen=True, slots=True)
class Stats:
    """Summary of `n` samples in their own unit, which is ms everywhere here; None where `n` is too small.

    `sd` is the standard deviation of the samples themselves (divided by n, as in numpy). `p99` is None for fewer than
    100 samples, where `max` replaces it.
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
        """What to show as the p99: the p99, or the maximum if there are too few samples."""
        return self.max if self.p99 is None else self.p99


def quantile(n: int, q: float, value_at: Callable[[int], float]) -> float:
    """The `q` quantile (0 to 1) of `n` ascending samples, at least one; `value_at` returns one by its rank."""
    rank = (n - 1) * q
    below = math.floor(rank)
    above = min(below + 1, n - 1)
    return _between(value_at(below), value_at(above), rank - below)


def _between(a: float, b: float, fraction: float) -> float:
    """Linear interpolation that stays within [a, b] and rounds as numpy does; `b` may be infinite."""
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
    """A growing set of samples, with an exact summary at any time.

    Adding a sample is one append; new samples are put in order when a summary is requested. Beyond `WIDE` samples, each
    is stored with 24 bits of precision.
    """

    __slots__ = ("_finite", "_mean", "_new", "_ordered", "_square", "_stats")

    def __init__(self) -> None:
        self._new = array("d")
        self._ordered = Ordered()
        self._finite = 0
        self._mean = 0.0
        self._square = 0.0
        self._stats = Stats()

    def __len__(self) -> int:
        return len(self._ordered) + len(self._new)

    def __iter__(self) -> Iterator[float]:
        """The samples in ascending order."""
        self._take_in()
        return iter(self._ordered)

    def add(self, sample: float) -> None:
        """Take one sample."""
        self._new.append(sample)
        if len(self._new) >= WIDE:
            self._take_in()

    def stats(self) -> Stats:
        """The summary of all samples."""
        if self._stats.n != len(self):
            self._take_in()
            self._stats = self._summary()
        return self._stats

    def _take_in(self) -> None:
        new, self._new = self._new, array("d")
        if not new:
            return
        self._ordered.add(new)
        if len(self._ordered) > WIDE:
            self._ordered.narrow()
        self._merge([sample for sample in new if math.isfinite(sample)])

    def _merge(self, finite: list[float]) -> None:
        """Mean and deviation with more samples, by the merging of moments (Chan et al.), which does not cancel."""
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

    def _summary(self) -> Stats:
        n = len(self._ordered)
        finite = self._finite == n
        p50, p90, p95, p99 = (quantile(n, q, self._ordered.at) for q in _QUANTILES)
        return Stats(
            n=n,
            mean=self._mean if finite else math.inf,
            sd=math.sqrt(self._square / n) if finite else math.inf,
            min=self._ordered.at(0),
            max=self._ordered.at(n - 1),
            p50=p50,
            p90=p90,
            p95=p95,
            p99=p99 if n >= P99_MIN_SAMPLES else None,
        )
