"""Every error that a user can meet, as one tree.

An error has a `message` for people, a `code` for programs (stable, kebab-case) and a `hint` on what to do about it. Its
class decides the exit code of the command line; the TUI shows it as a notice. Nothing below the two prints anything.
"""

from __future__ import annotations


class SseTuiError(Exception):
    """Base of all errors of this program.

    `code` is a stable name for programs ("config-unknown-key"), `message` one sentence for people with what went wrong
    and where, `hint` one sentence with what to do ("" when there is nothing useful to say). `kind` names the class when
    an error is sent to another process; subclasses outside this module have the kind of their base.
    """

    kind = "other"

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
    """The command, an argument, or its value is invalid (exit code 2)."""

    kind = "usage"


class ConfigError(UsageError):
    """The configuration file or an environment variable is invalid (exit code 2)."""

    kind = "config"


class ConnectError(SseTuiError):
    """No response: name resolution, connection or TLS failed, or timed out (exit code 3)."""

    kind = "connect"


class HttpError(SseTuiError):
    """A response, but not an event stream, by its status or its media type (exit code 3)."""

    kind = "http"


class StreamError(SseTuiError):
    """An event stream that began and failed: cut, reset, timed out, too large, or an error in it (exit code 4)."""

    kind = "stream"


class RecordingError(SseTuiError):
    """A file that could not be read or written as a recording (exit code 2)."""

    kind = "recording"


class ModelError(SseTuiError):
    """A model that could not be found, downloaded, verified or loaded (exit code 3)."""

    kind = "model"


class EngineError(SseTuiError):
    """A failure of the engine: busy, crashed, prompt too long (exit code 3)."""

    kind = "engine"


KINDS: dict[str, type[SseTuiError]] = {
    error.kind: error
    for error in (
        SseTuiError,
        UsageError,
        ConfigError,
        ConnectError,
        HttpError,
        StreamError,
        RecordingError,
        ModelError,
        EngineError,
    )
}
"""Every class of the tree by its kind."""
