"""Cuts a captured text into lines as it arrives, without holding more than the beginning of a long line."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

from sse_tui.recording.imports.piece import PieceImporter
from sse_tui.recording.records import Record

# How much of an unfinished line is held to see what it is.
HELD = 4096


class LineImporter(PieceImporter):
    """An importer that takes complete lines, and long ones in parts."""

    def __init__(self) -> None:
        self._held = b""
        self._inside = False

    @abstractmethod
    def _take(self, begins: bool, data: bytes) -> Iterator[Record]:
        """Take a line with its line end, or a part of a long line; `begins` says whether it starts the line."""

    def _is_plain(self, beginning: bytes) -> bool:
        """Whether no more of an unfinished line needs to be seen, so that it can be taken at once."""
        return False

    def _feed(self, t: int, data: bytes) -> Iterator[Record]:
        data, self._held = self._held + data, b""
        at = 0
        while at < len(data):
            end = data.find(b"\n", at) + 1
            if not (end or self._inside or len(data) - at >= HELD or self._is_plain(data[at : at + HELD])):
                self._held = data[at:]
                return
            begins, self._inside = not self._inside, not end
            yield from self._take(begins, data[at : end or len(data)])
            at = end or len(data)

    def _close(self) -> Iterator[Record]:
        if self._held:
            yield from self._take(True, self._held)
