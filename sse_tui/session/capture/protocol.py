"""What the TUI and its capture process say to each other: commands one way, reports the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import msgspec

from sse_tui.processes.messages import ErrorMessage, reader
from sse_tui.session.requests import TurnSpec


class Open(msgspec.Struct, tag="open", frozen=True):
    """Begin the recording. Sent first, once. `secrets` are values that must never be written.

    With `origin_ns`, the session's start, the recording at `path` is continued after its process died: `conns` counts
    its connections, and `broken` is the turn and number of the one that was open.
    """

    path: str
    redact_headers: list[str] = []
    redact_patterns: list[str] = []
    secrets: list[str] = []
    origin_ns: int | None = None
    conns: int = 0
    broken: tuple[int, int] | None = None
    max_bytes: int | None = None


class RunTurn(msgspec.Struct, tag="turn", frozen=True):
    """Run a turn; a second one while a turn runs is refused with `CommandFailed`."""

    number: int
    turn: TurnSpec


class Stop(msgspec.Struct, tag="stop", frozen=True):
    """Stop the running turn."""


class Arm(msgspec.Struct, tag="arm", frozen=True):
    """A fault plan for the running turn."""

    plan: str


class Bookmark(msgspec.Struct, tag="note", frozen=True):
    """A note for the recording."""

    text: str


Command: TypeAlias = Open | RunTurn | Stop | Arm | Bookmark


class Opened(msgspec.Struct, tag="opened", frozen=True):
    """The file is there. `origin_ns` is the session's start on the machine's monotonic clock."""

    origin_ns: int


class Grown(msgspec.Struct, tag="grown", frozen=True):
    """The file has grown."""


class Done(msgspec.Struct, tag="done", frozen=True):
    """The turn is over; `error` says why, when it went wrong."""

    error: ErrorMessage | None = None


class CommandFailed(msgspec.Struct, tag="failed", frozen=True):
    """A command could not be carried out."""

    error: ErrorMessage


Report: TypeAlias = Opened | Grown | Done | CommandFailed

read_command: Callable[[bytes], Command] = reader(Command)
read_report: Callable[[bytes], Report] = reader(Report)
