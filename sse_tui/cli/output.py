"""The only module that writes to stdout: data, and nothing else.

To a pipe or a file the data goes out exact. To a terminal it goes through `text.safety`, because a stream
may hold escape sequences. A reader that has gone (``| head -3``) shows as `BrokenPipeError`, which ends a command
quietly.
"""

from __future__ import annotations

import os
import select
import stat
import sys
from typing import Any, BinaryIO

from sse_tui.errors import SseTuiError, UsageError
from sse_tui.text import safety
from sse_tui.text.json_line import to_json


class Output:
    """Standard output. Every write is flushed, so that a reader gets the data live."""

    def __init__(self, stream: BinaryIO | None = None, *, terminal: bool | None = None) -> None:
        if stream is None and sys.stdout is None:
            raise UsageError("no-stdout", "stdout is closed, so nothing can be written.")
        self._stream = stream if stream is not None else sys.stdout.buffer
        self.terminal = sys.stdout.isatty() if terminal is None else terminal
        self._last = ""

    def text(self, text: str) -> None:
        """Write text."""
        if not text:
            return
        shown = safety.terminal(text, self._last) if self.terminal else safety.encodable(text)
        self._write(shown.encode())
        self._last = text[-1]

    def line(self, text: str = "") -> None:
        """Write text and a line end."""
        self.text(text + "\n")

    def end_line(self) -> None:
        """Write a line end, unless the last character was one."""
        if self._last not in ("", "\n"):
            self.text("\n")

    def json(self, value: Any) -> None:
        """Write one value as one line of JSON."""
        line = to_json(value)
        self._write((safety.json_line(line) if self.terminal else line).encode() + b"\n")
        self._last = "\n"

    def raw(self, data: bytes) -> None:
        """Write bytes unchanged; on a terminal as safe text."""
        if not data:
            return
        if self.terminal:
            self.text(data.decode("utf-8", "replace"))
        else:
            self._write(data)

    def _write(self, data: bytes) -> None:
        try:
            self._stream.write(data)
            self._stream.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise stdout_failed(error) from error

    def abandoned(self) -> bool:
        """True when stdout is a pipe or socket whose reader has gone, which a write would be the first to
        tell."""
        try:
            descriptor = self._stream.fileno()
            mode = os.fstat(descriptor).st_mode
        except (OSError, ValueError):
            return False
        if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)) or not hasattr(select, "poll"):
            return False
        poller = select.poll()
        # Only the conditions that are always reported: error and hang-up.
        poller.register(descriptor, 0)
        return bool(poller.poll(0))


def stdout_failed(error: OSError) -> SseTuiError:
    """The error to raise when a write to stdout failed; nothing more is written to it."""
    discard()
    return SseTuiError("stdout-failed", f"stdout cannot be written: {error.strerror}.")


def discard() -> None:
    """Point stdout at nothing, so that the interpreter's last flush does not complain about a broken pipe."""
    null = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(null, sys.stdout.fileno())
    except (OSError, ValueError):
        pass
    finally:
        os.close(null)
