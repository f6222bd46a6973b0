"""Textual's driver, on a terminal that may be stopped, continued or gone.

The kernel sends SIGCONT along with the SIGHUP of a hang-up, and Textual takes each SIGCONT for the end of a suspension:
it starts a second input thread and a second output thread. Only the second input thread is waited for at the end; the
first one may go on for ever, reading the end of a terminal that is gone.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from textual.drivers.linux_driver import LinuxDriver

from sse_tui.tui.termination_guard import hung_up

if TYPE_CHECKING:
    from textual.app import App


class TerminalDriver(LinuxDriver):
    """One input thread and one output thread at a time, none of which outlives the app."""

    def __init__(self, app: App[Any], **options: Any) -> None:
        super().__init__(app, **options)
        self._file: Any = _Output(self._file)

    def start_application_mode(self) -> None:
        """Start, or after a SIGCONT without a suspension start again: SIGSTOP gave no chance to stop first."""
        if self._writing:
            # Later and in the loop, not in the signal's handler: that may have interrupted a write to the same queue.
            self._loop.call_soon_threadsafe(self._start_again)
        else:
            super().start_application_mode()  # type: ignore[no-untyped-call]

    def write(self, data: str) -> None:
        """Write to the terminal; nothing is written once nobody is there to take it."""
        if self._writing:
            super().write(data)

    @property
    def _writing(self) -> bool:
        return self._writer_thread is not None and self._writer_thread.is_alive()

    def _start_again(self) -> None:
        if not self._writing or hung_up(self.fileno):
            return
        self.suspend_application_mode()
        super().start_application_mode()  # type: ignore[no-untyped-call]
        self._app.refresh(layout=True)


class _Output:
    """The terminal as a file on which a write cannot fail.

    Textual's output thread would die of an error, and whoever writes would then wait for it for ever.
    """

    def __init__(self, file: Any) -> None:
        self._file = file

    def write(self, text: str) -> None:
        with contextlib.suppress(OSError):
            self._file.write(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError):
            self._file.flush()

    def fileno(self) -> int:
        return int(self._file.fileno())
