"""What the TUI and its capture process say to each other: commands one way, reports the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import msgspec

from sse_tui.processes.messages import ErrorMessage, reader
from sse_tui.session.requests import TurnSpec


class _Command(msgspec.Struct, tag_field="do", frozen=True):
    pass


class Open(_Command, tag="open", frozen=True):
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


class RunTurn(_Command, tag="turn", frozen=True):
    """Run a turn; a second one while a turn runs is refused with `CommandFailed`."""

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


Command: TypeAlias = Open | RunTurn | Stop | Arm | Bookmark


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
    error: ErrorMessage | None = None


class CommandFailed(_Report, tag="failed", frozen=True):
    """A command could not be carried out."""

    error: ErrorMessage


Report: TypeAlias = Opened | Grown | Done | CommandFailed

read_command: Callable[[bytes], Command] = reader(Command)
read_report: Callable[[bytes], Report] = reader(Report)
