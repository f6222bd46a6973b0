"""The only module that writes to stderr: errors, warnings, progress and tables for people.

Status lines and progress bars appear only on a terminal. Messages may quote a server, so they go through
`text.safety`. They may quote a key as well, which a server repeats or a user has typed into the wrong place: whatever
comes here ends in logs and bug reports, so secrets are masked, those that the session knows (`mask_with`) and those of
an unmistakable form.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence

from sse_tui.errors import SseTuiError
from sse_tui.text import safety

PROGRAM = "sse-tui"
_masks: list[Callable[[str], str]] = []


def mask_with(mask: Callable[[str], str]) -> None:
    """Pass everything that is written from now on through `mask`, which knows the secrets of a session."""
    _masks.append(mask)


def masked(text: str) -> str:
    """A text without secrets."""
    import re  # only whoever writes something needs them

    from sse_tui.secret_names import KEY_FORMS

    for mask in _masks:
        text = mask(text)
    return re.sub(KEY_FORMS, "[redacted]", text)


def terminal() -> bool:
    """Whether stderr is a terminal."""
    return sys.stderr is not None and sys.stderr.isatty()


def say(text: str) -> None:
    """One line, whether or not stderr is a terminal."""
    _write(safety.terminal(text) + "\n")


def warn(text: str) -> None:
    """One line about a problem that does not end the command."""
    _write(f"{PROGRAM}: warning: {safety.terminal.line(text)}\n")


def finding(severity: str, text: str) -> None:
    """One line about what the rules found."""
    _write(f"{PROGRAM}: {severity}: {safety.terminal.line(text)}\n")


def error(problem: SseTuiError | str) -> None:
    """The one line of an error that ends the command."""
    _write(f"{PROGRAM}: error: {safety.terminal.line(str(problem))}\n")


def interrupted() -> None:
    """The message after ctrl+c, on a line of its own below the ``^C`` that the terminal echoes."""
    _write(("\n" if terminal() else "") + f"{PROGRAM}: interrupted\n")


def traceback(error: BaseException) -> None:
    """The traceback of a bug."""
    from traceback import format_exception

    _write("".join(format_exception(error)))


def _write(text: str) -> None:
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(masked(text))
        sys.stderr.flush()
    except OSError:
        # Whoever read stderr has gone; the exit code still says what happened.
        pass


class Status:
    """A line on the terminal that is updated as work goes on and removed when it ends; nothing elsewhere."""

    def __init__(self, text: str = "") -> None:
        self._shown = False
        self._terminal = terminal()
        if text:
            self.update(text)

    def __enter__(self) -> Status:
        return self

    def __exit__(self, *_error: object) -> None:
        self.clear()

    def update(self, text: str) -> None:
        """Replace the line with `text`."""
        if self._terminal:
            _write("\r\x1b[K" + safety.terminal.line(text)[: max(20, _columns() - 1)])
            self._shown = True

    def clear(self) -> None:
        """Remove the line. Idempotent."""
        if self._shown:
            _write("\r\x1b[K")
            self._shown = False


def bar(done: int, total: int | None) -> str:
    """Progress in bytes, as a bar and in figures; only in figures if `total` is unknown."""
    if not total:
        return f"{done / 1e6:.1f} MB"
    share = min(1.0, done / total)
    filled = round(share * 30)
    return f"[{'#' * filled}{'.' * (30 - filled)}] {share:4.0%} {done / 1e6:.1f}/{total / 1e6:.1f} MB"


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns
    except OSError:
        return 80


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table, drawn by rich on a terminal and in plain columns elsewhere."""
    cells = [[masked(safety.terminal(cell)) for cell in row] for row in rows]
    if terminal():
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        pretty = Table(*columns)
        for row in cells:
            pretty.add_row(*(Text(cell) for cell in row))
        Console(stderr=True).print(pretty)
        return
    lines: list[Sequence[str]] = [columns, *cells]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        say("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
