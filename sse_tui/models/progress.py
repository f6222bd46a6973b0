"""DownloadProgress of a download, and cancelling it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from sse_tui.errors import ModelError

_INTERVAL_S = 0.1


@dataclass(frozen=True, slots=True)
class DownloadProgress:
    """`done` of `total` bytes (None if unknown) of a `stage`: find, wait, download, extract or check."""

    stage: str
    done: int = 0
    total: int | None = None


class Cancelled(ModelError):  # noqa: N818 - nothing went wrong
    """The download was cancelled. The part stays, and the next download continues it."""

    def __init__(self) -> None:
        super().__init__(
            "download-cancelled",
            "The download was cancelled.",
            "The next one continues where this one stopped.",
        )

    def __reduce__(self) -> tuple[type[Cancelled], tuple[()]]:  # type: ignore[override]
        return type(self), ()


class ProgressReporter:
    """Passes progress on, at most ten times a second and whenever a stage ends.

    Raises `Cancelled` as soon as `cancelled` returns true.
    """

    def __init__(
        self,
        progress: Callable[[DownloadProgress], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> None:
        self._progress = progress
        self._cancelled = cancelled
        self._stage = ""
        self._next = 0.0

    def __call__(self, stage: str, done: int = 0, total: int | None = None) -> None:
        if self._cancelled is not None and self._cancelled():
            raise Cancelled
        now = time.monotonic()
        if self._progress is None or (stage == self._stage and now < self._next and done != total):
            return
        self._stage, self._next = stage, now + _INTERVAL_S
        self._progress(DownloadProgress(stage, done, total))
