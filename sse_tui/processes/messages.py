"""Messages between two processes: one JSON object per line, each a struct of a msgspec union.

A line that cannot be decoded is a `MalformedMessageError`. Errors are sent as an `ErrorMessage`, which keeps their
class.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from sse_tui.errors import KINDS, SseTuiError

# The longest line in bytes. A line may hold the body of a request; no real one comes near the limit.
LINE_LIMIT = 64 * 2**20
_SHOWN_BYTES = 80

_encoder = msgspec.json.Encoder()


class MalformedMessageError(ValueError):
    """A line that is not a message of the protocol."""


class ErrorMessage(msgspec.Struct, frozen=True):
    """An error on its way to another process. `kind` is the name of its class in `errors.KINDS`."""

    kind: str
    code: str
    message: str
    hint: str = ""

    @classmethod
    def of(cls, error: SseTuiError) -> ErrorMessage:
        """The message for `error`."""
        return cls(error.kind, error.code, error.message, error.hint)

    def error(self) -> SseTuiError:
        """The error itself again; one of an unknown kind is an `SseTuiError`."""
        return KINDS.get(self.kind, SseTuiError)(self.code, self.message, self.hint)


def line(message: msgspec.Struct) -> bytes:
    """The line for a message. Raises what msgspec does for a value that JSON cannot hold."""
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
