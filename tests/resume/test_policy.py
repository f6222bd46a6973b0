"""How long to wait."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sse_tui.errors import UsageError
from sse_tui.resume import Policy


class Fixed(random.Random):
    """Always the same draw."""

    def __init__(self, value: float) -> None:
        super().__init__()
        self._value = value

    def random(self) -> float:
        return self._value


LOW, HIGH = Fixed(0.0), Fixed(1.0)


@pytest.mark.parametrize(
    ("retry", "unanswered", "low", "high"),
    [
        (None, 0, 1000, 1250),
        (None, 1, 1000, 1250),
        (None, 2, 2000, 2500),
        (None, 3, 4000, 5000),
        (None, 30, 30_000, 37_500),
        (200, 0, 200, 250),
        (200, 1, 200, 250),
        (200, 2, 400, 500),
        (0, 0, 100, 125),
        (0, 1, 100, 125),
        (0, 4, 800, 1000),
        (5, 1, 100, 125),
        (60_000, 0, 60_000, 75_000),
        (60_000, 9, 60_000, 75_000),
        (10**12, 0, 3_600_000, 4_500_000),
    ],
)
def test_the_range(retry: int | None, unanswered: int, low: float, high: float) -> None:
    assert Policy().delay_ms(retry, unanswered, LOW) == low
    assert Policy().delay_ms(retry, unanswered, HIGH) == high


@pytest.mark.parametrize(("retry", "low"), [(None, 1000), (0, 1000), (999, 1000), (1500, 1500)])
def test_a_storm_is_slowed_down_to_the_default_base(retry: int | None, low: float) -> None:
    assert Policy().delay_ms(retry, 0, LOW, storm=True) == low
    assert Policy().delay_ms(retry, 0, HIGH, storm=True) == low * 1.25


@given(st.integers(0, 10**7), st.integers(0, 10**6), st.floats(0, 1))
def test_the_servers_time_is_never_undercut(retry: int, unanswered: int, draw: float) -> None:
    delay = Policy().delay_ms(retry, unanswered, Fixed(draw))
    assert min(retry, 3_600_000) <= delay <= max(30_000, retry) * 1.25


@given(st.integers(100, 3_600_000), st.integers(0, 1), st.floats(0, 1))
def test_a_wait_that_a_server_sets_is_kept_to_a_quarter(retry: int, unanswered: int, draw: float) -> None:
    """What the conformance tests of MCP allow."""
    assert retry <= Policy().delay_ms(retry, unanswered, Fixed(draw)) <= retry * 1.25


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(UsageError, match="reconnect policy 'sometimes'"):
        Policy(kind="sometimes")
