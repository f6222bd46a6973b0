"""The input of every importer, and the error that all of them raise."""

from __future__ import annotations

from typing import TypeAlias

from sse_tui.errors import RecordingError

# (nanoseconds since the import began, 0 where nothing stamped it; bytes of the input)
Piece: TypeAlias = tuple[int, bytes]


def malformed(code: str, message: str, hint: str = "") -> RecordingError:
    """The error for an input that does not match its format; `code` is without the prefix ``import-``."""
    return RecordingError(f"import-{code}", message, hint)
