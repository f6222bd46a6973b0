"""How far a download is, and how it is stopped."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from sse_tui.errors import ModelError

_INTERVAL_S = 0.1


@dataclass(frozen=True, slots=True)
class Progress:
    """`done` of `total` bytes (None where it is not known) of a `stage`: find, wait, download, extract or
    check."""

    stage: str
    done: int = 0
    total: int | None = None


class Cancelled(ModelError):  # noqa: N818  (it is no error of anyone)
    """The download was stopped on purpose; what there is of it stays and is continued the next time."""

    def __init__(self) -> None:
        super().__init__("download-cancelled", "The download was stopped.", "It continues where it was.")

    def __reduce__(self) -> tuple[type[Cancelled], tuple[()]]:  # type: ignore[override]
        return type(self), ()


class Report:
    """Passes progress on, at most ten times a second and at every end of a stage; raises `Cancelled` when
    asked."""

    def __init__(
        self,
        progress: Callable[[Progress], None] | None = None,
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
        self._progress(Progress(stage, done, total))
