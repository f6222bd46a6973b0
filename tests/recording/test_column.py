from __future__ import annotations

import errno
import os
from array import array
from bisect import bisect_right
from random import Random

import pytest

from sse_tui.recording import column
from sse_tui.recording.column import Column


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(column, "BLOCK", 8)
    monkeypatch.setattr(column, "IN_MEMORY", 2)


def filled(count: int) -> Column:
    made = Column("Q")
    for number in range(count):
        made.append(number * 3)
    return made


@pytest.mark.parametrize("count", [0, 1, 7, 8, 16, 17, 24, 100])
def test_it_reads_as_an_array_does(count: int) -> None:
    made, same = filled(count), array("Q", [number * 3 for number in range(count)])
    assert len(made) == len(same)
    assert [made[place] for place in range(count)] == list(same)
    assert list(made) == list(same)  # type: ignore[call-overload]
    order = list(range(count)) * 3
    Random(1).shuffle(order)
    assert all(made[place] == same[place] for place in order)
    if count:
        assert made[-1] == same[-1]
        assert made[-count] == same[0]
    for value in (-1, 0, 4, 150, 1000):
        assert bisect_right(made, value) == bisect_right(same, value)
    with pytest.raises(IndexError):
        made[count]


def test_index() -> None:
    made = filled(100)
    assert [made.index(place * 3) for place in range(100)] == list(range(100))
    assert made.index(30, 10) == 10
    for value, start in ((1, 0), (30, 11), (0, 100)):
        with pytest.raises(ValueError):
            made.index(value, start)


def test_what_is_in_memory_is_bounded() -> None:
    assert filled(10_000).nbytes <= 3 * 8 * 8


def test_a_full_disk_keeps_it_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    made = filled(40)

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr(os, "pwrite", full)
    for number in range(40, 80):
        made.append(number * 3)
    monkeypatch.undo()
    monkeypatch.setattr(column, "BLOCK", 8)
    assert list(made) == [number * 3 for number in range(80)]  # type: ignore[call-overload]
    assert made.nbytes == 80 * 8
