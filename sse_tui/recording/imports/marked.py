"""Cutting a captured text into lines while it comes, without holding more of a long line than its beginning."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

# How much of an unfinished line is held to see what it is.
HELD = 4096


class LinePiece(NamedTuple):
    """A line, or a part of a long one: whether it begins there, and its bytes, the line end included."""

    begins: bool
    data: bytes


def _never(_beginning: bytes) -> bool:
    return False


class CutLines:
    """Feed it pieces; it gives the lines that are whole, and long ones in parts.

    `plain` says of the beginning of a line that no more of it needs to be seen, so that it can pass at once.
    """

    def __init__(self, plain: Callable[[bytes], bool] = _never) -> None:
        self._plain = plain
        self._held = b""
        self._inside = False

    def feed(self, data: bytes) -> Iterator[LinePiece]:
        """The parts that `data` completes."""
        data = self._held + data
        self._held = b""
        at = 0
        while at < len(data):
            end = data.find(b"\n", at) + 1
            if end:
                yield LinePiece(not self._inside, data[at:end])
                self._inside = False
                at = end
                continue
            if self._inside or len(data) - at >= HELD or self._plain(data[at : at + HELD]):
                yield LinePiece(not self._inside, data[at:])
                self._inside = True
            else:
                self._held = data[at:]
            return

    def close(self) -> Iterator[LinePiece]:
        """What was left without a line end."""
        if self._held:
            held, self._held = self._held, b""
            yield LinePiece(not self._inside, held)
            self._inside = False
