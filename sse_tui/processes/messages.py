"""What passes between two processes: one JSON object a line, each a struct of a msgspec union.

A line that does not decode is a `MalformedMessageError`, never half a message. Errors cross as an `ErrorMessage`,
which keeps their class.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from sse_tui.errors import KINDS, SseTuiError

# The longest line in bytes. A request's body is in one; nothing real comes near the limit.
LINE_LIMIT = 64 * 2**20
_SHOWN_BYTES = 80

_encoder = msgspec.json.Encoder()


class MalformedMessageError(ValueError):
    """A line that is not a message of the protocol."""


class ErrorMessage(msgspec.Struct, frozen=True):
    """An error on its way to another process. `kind` names its class, as `errors.KINDS` does."""

    kind: str
    code: str
    message: str
    hint: str = ""

    @classmethod
    def of(cls, error: SseTuiError) -> ErrorMessage:
        """The message for `error`."""
        return cls(error.kind, error.code, error.message, error.hint)

    def error(self) -> SseTuiError:
        """The error again; of the base class when this version does not know its kind."""
        return KINDS.get(self.kind, SseTuiError)(self.code, self.message, self.hint)


def line(message: msgspec.Struct) -> bytes:
    """The message as it crosses the pipe. Raises what msgspec does for a value that JSON cannot hold."""
    return _encoder.encode(message) + b"\n"


def reader(union: Any) -> Callable[[bytes], Any]:
    """A function from a line to its message, one of the structs of `union`."""
    decode = msgspec.json.Decoder(union).decode

    def read(data: bytes) -> Any:
        try:
            return decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise MalformedMessageError(f"{error}: {data[:_SHOWN_BYTES]!r}") from None

    return read
