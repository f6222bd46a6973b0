"""Every error that a user can meet, as one tree.

The command line prints an error and exits with its class's code; the TUI shows it as a notice. Nothing below the two
prints anything.
"""

from __future__ import annotations


class SseTuiError(Exception):
    """Base of all errors of this program.

    `code` is a stable name for programs ("config-unknown-key"), `message` one sentence for people with what went wrong
    and where, `hint` one sentence with what to do ("" when there is nothing useful to say). Of a class, `kind` is its
    name where an error is sent to another process, and `exit_code` the exit code of a command that it ends.
    """

    kind = "other"
    exit_code = 1

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".rstrip()

    def __reduce__(self) -> tuple[type[SseTuiError], tuple[str, str, str]]:
        return type(self), (self.code, self.message, self.hint)


class UsageError(SseTuiError):
    """The command, an argument, or its value is invalid."""

    kind, exit_code = "usage", 2


class ConfigError(UsageError):
    """The configuration file or an environment variable is invalid."""

    kind = "config"


class ConnectError(SseTuiError):
    """No response: name resolution, connection or TLS failed, or timed out."""

    kind, exit_code = "connect", 3


class HttpError(SseTuiError):
    """A response, but not an event stream, by its status or its media type."""

    kind, exit_code = "http", 3


class StreamError(SseTuiError):
    """An event stream that began and failed: cut, reset, timed out, too large, or an error in it."""

    kind, exit_code = "stream", 4


class RecordingError(SseTuiError):
    """A file that could not be read or written as a recording."""

    kind, exit_code = "recording", 2


class ModelError(SseTuiError):
    """A model that could not be found, downloaded, verified or loaded."""

    kind, exit_code = "model", 3


class EngineError(SseTuiError):
    """A failure of the engine: busy, crashed, prompt too long."""

    kind, exit_code = "engine", 3


KINDS: dict[str, type[SseTuiError]] = {
    error.kind: error
    for error in (
        UsageError, ConfigError, ConnectError, HttpError, StreamError, RecordingError, ModelError, EngineError,
        SseTuiError,
    )
}  # fmt: skip
"""The classes by their kinds."""
