"""Every error that a user can meet, as one tree.

An error says what went wrong (`message`), how a program names it (`code`, stable, kebab-case) and what to do
(`hint`). The subclass says which kind of trouble it is; the command line turns that kind into an exit code
and the TUI into a notice. Nothing below the front doors prints.
"""

from __future__ import annotations


class SseTuiError(Exception):
    """Base of all errors of this program.

    `code` is a stable name for programs ("config-unknown-key"), `message` one sentence for people that names
    what and where, `hint` one sentence that says what to do ("" when there is nothing useful to say). `kind` names
    the class where an error leaves the process; a subclass elsewhere goes by the kind of its base.
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
    """The command, an argument, or a value in it makes no sense (exit code 2)."""

    kind = "usage"


class ConfigError(UsageError):
    """The configuration file or an environment variable is wrong (exit code 2)."""

    kind = "config"


class ConnectError(SseTuiError):
    """No usable response: name resolution, connection, TLS, or time ran out before one (exit code 3)."""

    kind = "connect"


class HttpError(SseTuiError):
    """A response came, but it is not an event stream: its status or its type says so (exit code 3)."""

    kind = "http"


class StreamError(SseTuiError):
    """An event stream began and broke: cut, reset, timed out, oversized, or an error inside it (exit code 4)."""

    kind = "stream"


class RecordingError(SseTuiError):
    """A file could not be read as, or written as, a recording (exit code 2)."""

    kind = "recording"


class ModelError(SseTuiError):
    """A model could not be found, downloaded, verified or loaded (exit code 3)."""

    kind = "model"


class EngineError(SseTuiError):
    """The token source failed: busy, crashed, prompt too long (exit code 3)."""

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
