"""A long column of numbers that only grows: the beginning is in memory, the rest in an anonymous file.

So a recording of any size can be indexed: the columns of ten million rows take no more memory than those of one. A
short one never touches the disk, and where the disk is full a long one stays in memory.
"""

from __future__ import annotations

import os
from array import array
from collections import OrderedDict
from typing import BinaryIO, Literal

BLOCK = 1 << 14
IN_MEMORY = 2
"""Blocks of a column that stay in memory before the first is written out."""
CACHED = 2


class Column:
    """Numbers of one `array` type code, appended and then read by position."""

    __slots__ = ("_blocks", "_cache", "_code", "_file", "_spilled", "_tail")

    def __init__(self, code: Literal["H", "I", "Q", "q"]) -> None:
        self._code = code
        self._tail = array(code)
        self._blocks: list[array[int]] = []
        self._spilled = 0
        self._file: BinaryIO | None = None
        self._cache: OrderedDict[int, array[int]] = OrderedDict()

    def __len__(self) -> int:
        return (len(self._blocks) + self._spilled) * BLOCK + len(self._tail)

    def append(self, value: int) -> None:
        """Add one at the end."""
        self._tail.append(value)
        if len(self._tail) == BLOCK:
            self._put()

    def __getitem__(self, position: int) -> int:
        if position < 0:
            position += len(self)
        number, rest = divmod(position, BLOCK)
        return self._block(number)[rest]

    def index(self, value: int, start: int = 0) -> int:
        """The first position from `start` on that holds `value`. Raises ValueError."""
        number, rest = divmod(start, BLOCK)
        while number <= len(self._blocks) + self._spilled:
            try:
                return number * BLOCK + self._block(number).index(value, rest)
            except ValueError:
                number, rest = number + 1, 0
        raise ValueError(value)

    @property
    def nbytes(self) -> int:
        """What the column takes in memory, its cache not counted."""
        return (len(self._blocks) * BLOCK + len(self._tail)) * self._tail.itemsize

    def _block(self, number: int) -> array[int]:
        if number < len(self._blocks):
            return self._blocks[number]
        number -= len(self._blocks)
        if number >= self._spilled:
            return self._tail if number == self._spilled else array(self._code)
        found = self._cache.get(number)
        if found is None:
            found = self._read(number)
            self._cache[number] = found
            if len(self._cache) > CACHED:
                self._cache.popitem(last=False)
        else:
            self._cache.move_to_end(number)
        return found

    def _put(self) -> None:
        full, self._tail = self._tail, array(self._code)
        # Blocks in memory always come before those on disk.
        if self._spilled or len(self._blocks) >= IN_MEMORY:
            if self._write(full):
                self._spilled += 1
                return
            self._blocks += [self._read(number) for number in range(self._spilled)]
            self._spilled = 0
            self._cache.clear()
        self._blocks.append(full)

    def _write(self, block: array[int]) -> bool:
        data = block.tobytes()
        try:
            if self._file is None:
                import tempfile  # only needed for long columns

                self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - it goes with the column
            return os.pwrite(self._file.fileno(), data, self._spilled * len(data)) == len(data)
        except OSError:
            return False

    def _read(self, number: int) -> array[int]:
        assert self._file is not None
        size = BLOCK * self._tail.itemsize
        block = array(self._code)
        block.frombytes(os.pread(self._file.fileno(), size, number * size))
        return block
