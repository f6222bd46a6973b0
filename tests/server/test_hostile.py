"""The attacks of the benchmark that took an endpoint the most memory, for a moment each."""

from __future__ import annotations

import pytest

from tests.benchmarks.hostile import GROWTH_MB, attacks, measure

ATTACKS = {each.name: each for each in attacks()}


@pytest.mark.parametrize(
    "name", ["a head without end", "trailers without end", "200 half bodies of 7.9 MB", "pipelined requests"]
)
def test_memory_stays_bounded_and_others_are_served(name: str) -> None:
    outcome = measure(ATTACKS[name], 0.8)
    assert outcome.peak_mb - outcome.before_mb <= GROWTH_MB, outcome.row()
    assert outcome.beside.times, "somebody else was served"
    assert outcome.beside.failed == 0, outcome.row()
