"""Starts the TUI."""

from __future__ import annotations

import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sse_tui.errors import UsageError

if TYPE_CHECKING:
    from sse_tui.session.spec import SessionSpec


def launch(spec: SessionSpec, *, keep: bool = True) -> int:
    """Run the TUI on a session and return its exit code. Raises `UsageError` without a terminal.

    The view follows a recording, so there always is one; with `keep` false it is deleted afterwards.
    """
    require_terminal()
    _keyboard()
    from sse_tui.tui.app import run

    if keep:
        return run(spec)
    with tempfile.TemporaryDirectory(prefix="sse-tui-") as folder:
        return run(replace(spec, record_to=Path(folder) / "session.sse.jsonl"))


def picture(recording: Path, dialect: str | None) -> str:
    """The TUI on a recording as an SVG, drawn without a terminal."""
    from sse_tui.tui.picture import picture_of

    return picture_of(recording, dialect=dialect)


def require_terminal() -> None:
    """Raises `UsageError` if stdout is not a terminal."""
    if not sys.stdout or not sys.stdout.isatty():
        raise UsageError(
            "no-terminal",
            "The full-screen view needs a terminal, but stdout is not one.",
            "In a pipeline use ask, tail, or open --text.",
        )


def _keyboard() -> None:
    """Make stdin the terminal, so that keys come from the keyboard even when data was piped in."""
    if sys.stdin is not None and sys.stdin.isatty():
        return
    try:
        terminal = os.open("/dev/tty", os.O_RDWR)
    except OSError as error:
        raise UsageError(
            "no-keyboard",
            f"Cannot open the terminal for keyboard input: {error.strerror}.",
            "Use open --text or --json.",
        ) from error
    os.dup2(terminal, 0)
    os.close(terminal)
    sys.stdin = os.fdopen(0, encoding="utf-8", errors="surrogateescape", closefd=False)
