"""A file that is kept open by its descriptor, and the error if it cannot be read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Self

from sse_tui.errors import RecordingError


class OpenFile:
    """The file at `path`; `_fd` is -1 while it is not open."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._fd = -1

    def close(self) -> None:
        """Close the file. Idempotent."""
        if self._fd >= 0:
            fd, self._fd = self._fd, -1
            os.close(fd)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def cannot_read(name: str | Path, error: OSError, hint: str = "") -> RecordingError:
    """The error for a file that cannot be read."""
    return RecordingError("recording-read", f"Cannot read {name}: {error.strerror}.", hint)
