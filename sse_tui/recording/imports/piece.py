"""The input of every importer, what an importer of a growing input is, and the error that all of them raise."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from sse_tui.errors import RecordingError
from sse_tui.recording.records import End, Note, Record

# (nanoseconds since the import began, 0 if there are no times; bytes of the input)
Piece: TypeAlias = tuple[int, bytes]


class PieceImporter(ABC):
    """Reads a format as it arrives. `_notes` precede all records; `_t` is the time of the latest one."""

    _t = 0
    _notes: tuple[Note, ...] = ()

    def records(self, pieces: Iterable[Piece]) -> Iterator[Record]:
        """The records of an input. Raises RecordingError."""
        yield from self._notes
        for t, data in pieces:
            yield from self._feed(t, data)
        yield from self._close()
        yield End(t=self._t, reason="imported")

    @abstractmethod
    def _feed(self, t: int, data: bytes) -> Iterator[Record]:
        """The records that the next piece of the input completes."""

    @abstractmethod
    def _close(self) -> Iterator[Record]:
        """The records that remain at the end of the input."""


def malformed(code: str, message: str, hint: str = "") -> RecordingError:
    """The error for an input that does not match its format; `code` is without the prefix ``import-``."""
    return RecordingError(f"import-{code}", message, hint)
