"""Every error that a user can meet, as one tree.

An error has a `message` for people, a `code` for programs (stable, kebab-case) and a `hint` on what to do about it. Its
class decides the exit code of the command line; the TUI shows it as a notice. Nothing below the two prints anything.
"""

from __future__ import annotations


class SseTuiError(Exception):
    """Base of all errors of this program.

    `code` is a stable name for programs ("config-unknown-key"), `message` one sentence for people with what went wrong
    and where, `hint` one sentence with what to do ("" when there is nothing useful to say).
    """

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint

    @property
    def kind(self) -> str:
        """The name in `KINDS` of its class, or of the nearest base that has one."""
        return next(_NAMES[base] for base in type(self).__mro__ if base in _NAMES)

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".rstrip()

    def __reduce__(self) -> tuple[type[SseTuiError], tuple[str, str, str]]:
        return type(self), (self.code, self.message, self.hint)


class UsageError(SseTuiError):
    """The command, an argument, or its value is invalid (exit code 2)."""


class ConfigError(UsageError):
    """The configuration file or an environment variable is invalid (exit code 2)."""


class ConnectError(SseTuiError):
    """No response: name resolution, connection or TLS failed, or timed out (exit code 3)."""


class HttpError(SseTuiError):
    """A response, but not an event stream, by its status or its media type (exit code 3)."""


class StreamError(SseTuiError):
    """An event stream that began and failed: cut, reset, timed out, too large, or an error in it (exit code 4)."""


class RecordingError(SseTuiError):
    """A file that could not be read or written as a recording (exit code 2)."""


class ModelError(SseTuiError):
    """A model that could not be found, downloaded, verified or loaded (exit code 3)."""


class EngineError(SseTuiError):
    """A failure of the engine: busy, crashed, prompt too long (exit code 3)."""


KINDS: dict[str, type[SseTuiError]] = {
    "usage": UsageError, "config": ConfigError, "connect": ConnectError, "http": HttpError, "stream": StreamError,
    "recording": RecordingError, "model": ModelError, "engine": EngineError, "other": SseTuiError,
}  # fmt: skip
"""Names of the classes, for an error that is sent to another process."""
_NAMES = {error: kind for kind, error in KINDS.items()}
