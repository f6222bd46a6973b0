from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from sse_tui.config import SloSection
from sse_tui.metrics import Bounds, Finished, Objective, evaluate, passed

BOUNDS = Bounds(**msgspec.structs.asdict(SloSection()))


def table(*requests: Finished, bounds: Bounds = BOUNDS) -> dict[str, Objective]:
    return {row.name: row for row in evaluate(bounds, requests)}


GOOD = Finished(ttft=80, tpot=10, gaps=[10, 20, 30], complete=True)


def test_without_requests_everything_is_unknown() -> None:
    rows = evaluate(BOUNDS, [])
    assert [row.state for row in rows] == ["unknown"] * 6
    assert all(row.value is None for row in rows)


def test_the_rows_and_their_default_bounds() -> None:
    assert [(row.name, row.bound) for row in evaluate(BOUNDS, [])] == [
        ("TTFT p50", 100),
        ("TTFT p99", 500),
        ("TPOT", 20),
        ("TBT p99", 100),
        ("completion", 0.999),
        ("errors", 0.001),
    ]


def test_a_good_request_passes_everything() -> None:
    assert passed(evaluate(BOUNDS, [GOOD])) == 6


def test_a_bound_is_not_met_by_reaching_it() -> None:
    row = table(Finished(ttft=100, complete=True))["TTFT p50"]
    assert (row.state, row.value) == ("fail", 100)


def test_a_p99_of_few_samples_is_the_maximum_and_says_so() -> None:
    few = table(GOOD, Finished(gaps=[101]))["TBT p99"]
    assert (few.state, few.value, few.statistic, few.n) == ("fail", 101, "max", 4)
    many = table(Finished(gaps=[10] * 199 + [101]))["TBT p99"]
    assert (many.state, many.statistic, many.n) == ("pass", "p99", 200)


def test_gaps_are_pooled_over_the_requests() -> None:
    row = table(*[Finished(gaps=[10] * 50)] * 4)["TBT p99"]
    assert (row.n, row.statistic, row.value) == (200, "p99", 10)


def test_what_is_not_known_counts_neither_way() -> None:
    rows = table(Finished(complete=None))
    assert rows["completion"].state == "unknown"
    assert rows["TTFT p50"].state == "unknown"
    assert rows["errors"].state == "pass"


def test_one_truncated_request_in_a_thousand_is_too_many() -> None:
    rows = table(*[GOOD] * 999, Finished(complete=False, error=True))
    assert (rows["completion"].state, rows["completion"].value) == ("fail", 0.999)
    assert (rows["errors"].state, rows["errors"].value) == ("fail", 0.001)
    assert table(*[GOOD] * 1_001, Finished(complete=False))["completion"].state == "pass"


@pytest.mark.parametrize(("completion", "errors"), [(1.0, 0.0)])
def test_bounds_of_all_and_none_can_be_met(completion: float, errors: float) -> None:
    rows = table(GOOD, bounds=replace(BOUNDS, completion=completion, errors=errors))
    assert rows["completion"].state == rows["errors"].state == "pass"
    rows = table(
        GOOD,
        Finished(complete=False, error=True),
        bounds=replace(BOUNDS, completion=completion, errors=errors),
    )
    assert rows["completion"].state == rows["errors"].state == "fail"


def test_every_bound_can_be_set() -> None:
    strict = Bounds(ttft_p50_ms=1, ttft_p99_ms=1, tpot_ms=1, tbt_p99_ms=1, completion=0.999, errors=0.001)
    assert [row.state for row in evaluate(strict, [GOOD])] == ["fail"] * 4 + ["pass"] * 2
