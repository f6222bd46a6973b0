"""What the TUI and its capture process say to each other: JSON lines, commands one way and events the other."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from sse_tui.errors import SseTuiError, StreamError
from sse_tui.session.requests import TurnSpec


class _Command(msgspec.Struct, tag_field="do", frozen=True):
    pass


class Open(_Command, tag="open", frozen=True):
    """Begin the recording. Sent first, once. `secrets` are values that must never be written.

    With `origin_ns`, the session's start, the recording at `path` is gone on with after its process died: `conns`
    counts its connections, and `broken` is the turn and number of the one that was open.
    """

    path: str
    redact_headers: list[str] = []
    redact_patterns: list[str] = []
    secrets: list[str] = []
    origin_ns: int | None = None
    conns: int = 0
    broken: tuple[int, int] | None = None


class Run(_Command, tag="turn", frozen=True):
    """Run a turn; a second one while a turn runs is refused with `Failed`."""

    number: int
    turn: TurnSpec


class Stop(_Command, tag="stop", frozen=True):
    """Stop the running turn."""


class Arm(_Command, tag="arm", frozen=True):
    """A fault plan for the running turn."""

    plan: str


class Bookmark(_Command, tag="note", frozen=True):
    """A note for the recording."""

    text: str


class Quit(_Command, tag="quit", frozen=True):
    """End the recording and exit; the end of the command pipe says the same."""


Command: TypeAlias = Open | Run | Stop | Arm | Bookmark | Quit


class _Report(msgspec.Struct, tag_field="ev", frozen=True):
    pass


class Opened(_Report, tag="opened", frozen=True):
    """The file is there. `origin_ns` is the session's start on the machine's monotonic clock."""

    path: str
    origin_ns: int


class Grown(_Report, tag="grown", frozen=True):
    """The file now has `size` bytes."""

    size: int


class Done(_Report, tag="done", frozen=True):
    """The turn is over; `error` says why, when it went wrong."""

    number: int
    outcome: str
    error: tuple[str, str, str] | None = None


class Failed(_Report, tag="failed", frozen=True):
    """A command could not be carried out."""

    error: tuple[str, str, str]


Report: TypeAlias = Opened | Grown | Done | Failed


def pack_error(error: SseTuiError) -> tuple[str, str, str]:
    """An error as it crosses the pipe."""
    return error.code, error.message, error.hint


def unpack_error(parts: tuple[str, str, str]) -> SseTuiError:
    """The error on the other side of the pipe; its class is lost, its code is not."""
    return StreamError(*parts)


encode = msgspec.json.Encoder().encode
decode_command = msgspec.json.Decoder(Command).decode
decode_report = msgspec.json.Decoder(Report).decode
