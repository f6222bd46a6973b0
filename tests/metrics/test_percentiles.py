from __future__ import annotations

import math
import random
import time
import tracemalloc
from collections.abc import Callable, Sequence
from statistics import fmean, pstdev

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sse_tui.metrics import Stats
from sse_tui.metrics.percentiles import Samples, quantile, summarize

numbers = st.floats(min_value=0, max_value=1e9, allow_nan=False)


def percentile(ordered: Sequence[float], q: float) -> float:
    return quantile(len(ordered), q, ordered.__getitem__)


@given(st.lists(numbers, min_size=1, max_size=300), st.floats(0, 1))
def test_percentile_is_numpys_default(samples: list[float], q: float) -> None:
    expected = float(numpy.percentile(samples, q * 100))
    assert percentile(sorted(samples), q) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(st.lists(numbers, min_size=1, max_size=300))
def test_summary_is_numpys(samples: list[float]) -> None:
    stats = summarize(samples)
    assert stats.n == len(samples)
    assert stats.mean == pytest.approx(float(numpy.mean(samples)), rel=1e-9, abs=1e-9)
    assert stats.sd == pytest.approx(float(numpy.std(samples)), rel=1e-6, abs=1e-3)
    assert (stats.min, stats.max) == (min(samples), max(samples))
    for q, value in ((50, stats.p50), (90, stats.p90), (95, stats.p95)):
        assert value == pytest.approx(float(numpy.percentile(samples, q)), rel=1e-9, abs=1e-9)


def test_nothing_has_no_summary() -> None:
    assert summarize([]) == Stats() == Samples().stats()


def test_one_sample_is_every_percentile_but_the_p99() -> None:
    assert summarize([7.0]) == Stats(1, 7, 0, 7, 7, 7, 7, 7, None)


def test_p99_needs_a_hundred_samples_and_the_maximum_stands_in() -> None:
    few, enough = summarize(range(99)), summarize(range(100))
    assert few.p99 is None
    assert few.p99_or_max == 98
    assert enough.p99 == enough.p99_or_max == pytest.approx(98.01)


def test_a_failed_request_counts_as_infinity() -> None:
    stats = summarize([1, 2, math.inf])
    assert (stats.mean, stats.sd, stats.max, stats.p50) == (math.inf, math.inf, math.inf, 2)
    assert stats.p90 == math.inf


@pytest.mark.parametrize("shape", ["spread", "alike", "falling", "far apart"])
def test_a_summary_at_any_time_is_exact(shape: str) -> None:
    rng = random.Random(3)
    shapes: dict[str, Callable[[int], float]] = {
        "spread": lambda n: rng.lognormvariate(3, 1),
        "alike": lambda n: 20 + n % 3,
        "falling": lambda n: 10_000.0 - n,
        "far apart": lambda n: rng.choice([-1.0, 0.0, 5.0, math.inf]),
    }
    draw = shapes[shape]
    samples, values = Samples(), []
    for n in range(9_000):
        values.append(float(draw(n)))
        samples.add(values[-1])
        if n in (0, 1, 99) or n % 701 == 0:
            ordered = sorted(values)
            stats = samples.stats()
            assert (stats.n, stats.min, stats.max) == (len(values), ordered[0], ordered[-1])
            for q, value in ((0.5, stats.p50), (0.9, stats.p90), (0.95, stats.p95), (0.99, stats.p99)):
                assert value == (percentile(ordered, q) if q < 0.99 or n >= 99 else None)
            assert (stats.mean, stats.sd) == pytest.approx((summarize(values).mean, summarize(values).sd))
    assert list(samples) == sorted(values)


def test_a_summary_is_made_once_for_the_same_samples() -> None:
    samples = Samples()
    for n in range(1_500):
        samples.add(n)
    assert samples.stats() is samples.stats()
    samples.add(1)
    assert samples.stats().n == 1_501


def test_a_summary_of_many_samples_costs_little_when_few_are_new() -> None:
    rng = random.Random(3)
    samples = Samples()
    for _ in range(200_000):
        samples.add(rng.lognormvariate(3, 1))
    start = time.perf_counter()
    samples.stats()
    whole = time.perf_counter() - start
    start = time.perf_counter()
    for _ in range(10):
        samples.add(rng.lognormvariate(3, 1))
        samples.stats()
    assert time.perf_counter() - start < whole, "ten more are less work than the first"


def test_many_samples_are_kept_narrow_and_nothing_is_lost_in_between() -> None:
    values = [1000.0 + n / 7 for n in range(200_000)]
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    samples = Samples()
    for value in values:
        samples.add(value)
    stats = samples.stats()
    size = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert size < 6 * len(values)
    assert stats.n == len(values)
    assert stats.mean == pytest.approx(fmean(values), rel=1e-6)
    assert stats.sd == pytest.approx(pstdev(values), rel=1e-6)
    assert stats.p50 == pytest.approx(percentile(values, 0.5), rel=1e-6)
    assert stats.min == pytest.approx(values[0], rel=1e-6)
    assert stats.max == pytest.approx(values[-1], rel=1e-6)
