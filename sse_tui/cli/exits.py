"""The exit codes that other programs rely on; those of errors are in `sse_tui.errors`."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """How a run ended. `INTERNAL` is a defect of sse-tui itself, never to be mistaken for a verdict."""

    OK = 0
    FAILED = 1
    USAGE = 2
    INTERNAL = 70
    INTERRUPTED = 130


class Terminated(BaseException):
    """SIGTERM or SIGHUP came, and everything that had to be closed is closed. Like `KeyboardInterrupt`."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number
