from __future__ import annotations

import pytest

from sse_tui.tui.drawing.sparkline import BARS, CLIPPED, UNKNOWN, nice_ceiling, spark


@pytest.mark.parametrize(
    ("value", "ceiling"), [(0, 1), (0.3, 0.5), (1, 1), (1.2, 2), (2.1, 5), (19.8, 20), (64, 100), (501, 1000)]
)
def test_the_scale_ends_at_a_round_number(value: float, ceiling: float) -> None:
    assert nice_ceiling(value) == pytest.approx(ceiling)


def test_bars_are_drawn_from_zero() -> None:
    drawing = spark([10, 20, 40, 80], 10)
    assert drawing.top == 100
    assert drawing.cells == "▁▂▄▇"


def test_only_the_last_values_are_drawn_within_the_width() -> None:
    drawing = spark([1.0] * 50 + [2.0] * 5, 5)
    assert drawing.cells == BARS[-1] * 5
    assert spark([1.0, 2.0], 0).cells == ""


def test_what_was_not_observed_is_a_dot_and_not_a_zero() -> None:
    assert spark([None, 5.0, None], 10).cells == f"{UNKNOWN}{BARS[-1]}{UNKNOWN}"
    assert spark([None], 10).cells == UNKNOWN
    assert spark([], 10).cells == ""


def test_one_stall_does_not_flatten_the_rest() -> None:
    drawing = spark([20.0] * 30 + [5000.0], 40)
    assert drawing.top == 20
    assert drawing.cells == BARS[-1] * 30 + CLIPPED
    assert drawing.clipped == 1


def test_zeros_alone_are_drawn_as_the_lowest_bar() -> None:
    assert spark([0.0, 0.0], 10).cells == BARS[0] * 2
