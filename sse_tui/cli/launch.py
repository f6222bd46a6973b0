"""The one door from the command line into the TUI."""

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
    """Run the TUI on a session; gives its exit code. Raises `UsageError` without a terminal.

    The view follows a recording, so there always is one; with `keep` false it is gone afterwards.
    """
    require_terminal()
    _keyboard()
    from sse_tui.tui.app import run

    if keep:
        return run(spec)
    with tempfile.TemporaryDirectory(prefix="sse-tui-") as folder:
        return run(replace(spec, record_to=Path(folder) / "session.sse.jsonl"))


def screenshot(path: Path, *, dialect: str | None = None) -> str:
    """The SVG of the TUI on the recording at `path`. Needs no terminal."""
    from sse_tui.tui.picture import picture_of

    return picture_of(path, dialect=dialect)


def require_terminal() -> None:
    """Raises `UsageError` where the view could not be shown."""
    if not sys.stdout or not sys.stdout.isatty():
        raise UsageError(
            "no-terminal",
            "The full-screen view needs a terminal, and stdout is none.",
            "Use ask, tail, or open --text in pipelines.",
        )


def _keyboard() -> None:
    """Make stdin the terminal: when data was piped in, keys still come from the keyboard."""
    if sys.stdin is not None and sys.stdin.isatty():
        return
    try:
        terminal = os.open("/dev/tty", os.O_RDWR)
    except OSError as error:
        raise UsageError(
            "no-keyboard",
            f"There is no terminal to read keys from: {error.strerror}.",
            "Use open --text or --json.",
        ) from error
    os.dup2(terminal, 0)
    os.close(terminal)
    sys.stdin = os.fdopen(0, encoding="utf-8", errors="surrogateescape", closefd=False)
