from __future__ import annotations

import math
import random
from statistics import fmean, pstdev

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sse_tui.metrics import Samples, Stats, percentile, summarize
from sse_tui.metrics import percentiles as module

numbers = st.floats(min_value=0, max_value=1e9, allow_nan=False)


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
    assert summarize([]) == Stats() == Samples().live()


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


def test_many_samples_take_the_same_percentiles_from_numpy() -> None:
    rng = random.Random(3)
    values = [rng.lognormvariate(3, 1) for _ in range(module._SORT_MAX + 1)]
    stats = summarize(values)
    assert stats.p99 == pytest.approx(percentile(sorted(values), 0.99))
    assert stats.p50 == pytest.approx(percentile(sorted(values), 0.5))


def test_live_summaries_lag_by_five_percent_at_most_and_only_in_percentiles() -> None:
    samples = Samples()
    for i in range(2_000):
        samples.add(i)
    assert samples.live() == samples.stats()
    for i in range(100):
        samples.add(10_000 + i)
    live = samples.live()
    assert live.n == 2_100
    assert live.max == 10_099
    assert live.p50 == 999.5, "within 5 % the percentiles may be those of before"
    samples.add(10_100)
    assert samples.live() == samples.stats()
    assert samples.stats().p50 == 1050


def test_exact_summaries_are_exact_after_live_ones() -> None:
    samples = Samples()
    for i in range(1_500):
        samples.add(i)
        samples.live()
    assert samples.stats() == summarize(range(1_500))


def test_live_summaries_are_computed_a_bounded_number_of_times(monkeypatch: pytest.MonkeyPatch) -> None:
    computed = []
    original = Samples._percentiles
    monkeypatch.setattr(Samples, "_percentiles", lambda self: computed.append(len(self)) or original(self))
    samples = Samples()
    for i in range(20_000):
        samples.add(i % 97)
        if i >= 1_000:
            samples.live()
    assert len(computed) < 80, "about one in 5 % of growth: log(20) / log(1.05) is 61"


def test_many_samples_are_kept_narrow_and_nothing_is_lost_in_between() -> None:
    samples = Samples()
    values = [1000.0 + n / 7 for n in range(200_000)]
    for value in values:
        samples.add(value)
    stats = samples.stats()
    assert samples.values.itemsize == 4
    assert stats.n == len(values)
    assert stats.mean == pytest.approx(fmean(values), rel=1e-6)
    assert stats.sd == pytest.approx(pstdev(values), rel=1e-6)
    assert stats.p50 == pytest.approx(percentile(values, 0.5), rel=1e-6)
    assert (stats.min, stats.max) == (pytest.approx(values[0], rel=1e-6), pytest.approx(values[-1], rel=1e-6))
