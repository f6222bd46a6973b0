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
    ("retry", "failures", "low", "high"),
    [
        (None, 0, 1000, 1500),
        (None, 1, 1000, 2000),
        (None, 2, 1000, 3000),
        (None, 3, 1000, 5000),
        (None, 30, 1000, 30_000),
        (200, 0, 200, 300),
        (200, 1, 200, 400),
        (0, 0, 0, 50),
        (0, 1, 100, 200),
        (0, 4, 100, 900),
        (5, 1, 100, 200),
        (60_000, 0, 60_000, 60_000),
        (60_000, 9, 60_000, 60_000),
        (10**12, 0, 3_600_000, 3_600_000),
    ],
)
def test_the_range(retry: int | None, failures: int, low: float, high: float) -> None:
    assert Policy().delay_ms(retry, failures, LOW) == low
    assert Policy().delay_ms(retry, failures, HIGH) == high


@given(st.integers(0, 10**7), st.integers(0, 10**6), st.floats(0, 1))
def test_the_servers_time_is_never_undercut(retry: int, failures: int, draw: float) -> None:
    delay = Policy().delay_ms(retry, failures, Fixed(draw))
    assert min(retry, 3_600_000) <= delay <= max(30_000, retry)


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(UsageError, match="reconnect policy 'sometimes'"):
        Policy(kind="sometimes")
