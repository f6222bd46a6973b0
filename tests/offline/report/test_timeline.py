"""Where everything happened, in bounded memory."""

from __future__ import annotations

from heapq import nlargest
from itertools import pairwise
from random import Random

from sse_tui.offline.report.timeline import PLACES_KEPT, Places, Timeline
from sse_tui.recording.records import chunk


def test_few_places_are_kept_as_they_are() -> None:
    places = Places()
    for at, weight in ((1, 5), (1, 2), (4, 1)):
        places.add(at, weight)
    assert list(places) == [(1, 7), (4, 1)]
    assert len(places) == 3


def test_many_are_taken_together_and_none_is_lost() -> None:
    places = Places()
    for at in range(5 * PLACES_KEPT):
        places.add(at, at % 3)
    kept = list(places)
    assert len(kept) < PLACES_KEPT
    assert len(places) == 5 * PLACES_KEPT
    assert sum(weight for _, weight in kept) == sum(at % 3 for at in range(5 * PLACES_KEPT))
    assert [at for at, _ in kept] == sorted(at for at, _ in kept)


def test_the_longest_silences_are_those_of_all_reads() -> None:
    dice = Random(1)
    times = sorted(dice.sample(range(1, 10**9), 3_000))
    line = Timeline(1, timed=True)
    for t in times:
        line.record(chunk(t, b"x", turn=1, conn=1))
    places = [0, *times, line.end]
    assert line.gaps() == nlargest(5, pairwise(places), key=lambda pair: pair[1] - pair[0])
    assert Timeline(1, timed=True, start=5).gaps() == [(5, 6)]
    assert Timeline(1, timed=False).gaps() == []
