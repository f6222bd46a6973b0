"""The exit codes that other programs rely on, and which error gives which."""

from __future__ import annotations

from enum import IntEnum

from sse_tui import errors


class Exit(IntEnum):
    """How a run ended. `INTERNAL` is a defect of sse-tui itself, so that it is never mistaken for a
    verdict."""

    OK = 0
    FAILED = 1
    USAGE = 2
    CONNECT = 3
    BROKEN = 4
    INTERNAL = 70
    INTERRUPTED = 130
    TERMINATED = 143


class Terminated(BaseException):
    """SIGTERM or SIGHUP came, and everything that had to be closed is closed. Like `KeyboardInterrupt`."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


_BY_ERROR: tuple[tuple[type[errors.SseTuiError], Exit], ...] = (
    (errors.UsageError, Exit.USAGE),
    (errors.RecordingError, Exit.USAGE),
    (errors.ConnectError, Exit.CONNECT),
    (errors.HttpError, Exit.CONNECT),
    (errors.ModelError, Exit.CONNECT),
    (errors.EngineError, Exit.CONNECT),
    (errors.StreamError, Exit.BROKEN),
)


def exit_of(error: errors.SseTuiError) -> Exit:
    """The exit code of an error that ended a command."""
    return next((code for kind, code in _BY_ERROR if isinstance(error, kind)), Exit.FAILED)
