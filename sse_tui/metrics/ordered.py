"""Numbers kept in ascending order while they keep coming, so that any percentile of them can be read off."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator
from itertools import accumulate

_BLOCK = 512
# How many numbers may wait beside the blocks, at least and as a share of all.
_WAITING = 1024
_WAITING_SHARE = 0.02


class Ordered:
    """Numbers in ascending order: most of them in blocks, so that a new one moves few; the latest in a list beside.

    Looking one up costs microseconds, and taking one in about half of one, however many there are. A million take
    4 MB once they are narrow.
    """

    __slots__ = ("_blocks", "_code", "_settled", "_starts", "_waiting")

    def __init__(self) -> None:
        self._code = "d"
        self._blocks: list[array[float]] = []
        self._starts: list[int] = []
        self._settled = 0
        self._waiting: list[float] = []

    def __len__(self) -> int:
        return self._settled + len(self._waiting)

    def __iter__(self) -> Iterator[float]:
        yield from sorted([*(number for block in self._blocks for number in block), *self._waiting])

    def add(self, numbers: Iterable[float]) -> None:
        """Take these numbers, in any order."""
        self._waiting += numbers
        self._waiting.sort()
        if len(self._waiting) > self._settled:
            self._fill()
        elif len(self._waiting) > max(_WAITING, _WAITING_SHARE * self._settled):
            self._settle()

    def narrow(self) -> None:
        """Keep each number to 24 bits from now on, a part in 16 million: half the room. Idempotent."""
        if self._code != "f":
            self._code = "f"
            self._fill()

    def at(self, rank: int) -> float:
        """The number at `rank`, 0 being the smallest."""
        waiting = self._waiting
        # How many of those that wait come before it: the smallest count that leaves none of the settled behind.
        least, most = max(0, rank - self._settled), min(len(waiting), rank)
        among = range(least, most)
        before = least + bisect_left(among, True, key=lambda n: waiting[n] >= self._settled_at(rank - n - 1))
        if before == len(waiting) or (
            rank - before < self._settled and self._settled_at(rank - before) < waiting[before]
        ):
            return self._settled_at(rank - before)
        return waiting[before]

    def _settled_at(self, rank: int) -> float:
        block = bisect_right(self._starts, rank) - 1
        return self._blocks[block][rank - self._starts[block]]

    def _settle(self) -> None:
        """Put those that wait into the blocks."""
        blocks: list[array[float]] = []
        waiting, taken = self._waiting, 0
        for block, following in zip(self._blocks, [*self._blocks[1:], None], strict=True):
            end = len(waiting) if following is None else bisect_left(waiting, following[0], taken)
            for number in waiting[taken:end]:
                insort(block, number)
            taken = end
            blocks += [block] if len(block) <= 2 * _BLOCK else _cut(block)
        self._hold(blocks)

    def _fill(self) -> None:
        self._hold(_cut(array(self._code, self)))

    def _hold(self, blocks: list[array[float]]) -> None:
        self._blocks = blocks
        self._starts = list(accumulate(map(len, blocks), initial=0))
        self._settled = self._starts.pop()
        self._waiting = []


def _cut(numbers: array[float]) -> list[array[float]]:
    return [numbers[at : at + _BLOCK] for at in range(0, len(numbers), _BLOCK)]
