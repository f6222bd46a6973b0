"""A program on a pseudo terminal, as a user sees it, and the processes that it leaves behind."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

ENTER, LEAVE = b"\x1b[?1049h", b"\x1b[?1049l"


class Terminal:
    """A program on a pseudo terminal. `seen` is all it has written.

    If the terminal is not its `controlling` one, the kernel sends no SIGHUP when it goes.
    """

    def __init__(
        self,
        arguments: list[str],
        env: dict[str, str],
        size: tuple[int, int] = (120, 36),
        *,
        controlling: bool = True,
    ) -> None:
        self._master, slave = pty.openpty()
        self.seen = b""
        self.before = termios.tcgetattr(slave)
        self.resize(*size)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sse_tui", *arguments],
            stdin=slave, stdout=slave, stderr=slave, env=env, start_new_session=True,
            preexec_fn=(lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0)) if controlling else None,
        )  # fmt: skip
        self._slave = slave

    def resize(self, columns: int, lines: int) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def press(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def read(self, seconds: float) -> None:
        """Take in output until it has been quiet for a moment, for at most this long."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if not select.select([self._master], [], [], 0.1)[0]:
                continue
            try:
                self.seen += os.read(self._master, 65536)
            except OSError:
                return

    def until(self, text: str, seconds: float = 30) -> str:
        """Wait for text on the screen, whatever the colours between its letters; gives all text since the start."""
        deadline = time.monotonic() + seconds
        while text not in self.plain:
            assert time.monotonic() < deadline, f"{text!r} never came; last: {self.plain[-500:]!r}"
            self.read(0.2)
        return self.plain

    @property
    def plain(self) -> str:
        return re.sub(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[@-_]", "", self.seen.decode("utf-8", "replace"))

    def wait(self, seconds: float = 20) -> int:
        deadline = time.monotonic() + seconds
        while self.process.poll() is None:
            assert time.monotonic() < deadline, "the program did not end"
            self.read(0.1)
        self.read(0.3)
        return self.process.returncode

    @property
    def restored(self) -> bool:
        """Whether the terminal is as it was: the main screen, line mode, a cursor, no mouse reports."""
        modes = termios.tcgetattr(self._slave)
        return (
            self.seen.rfind(LEAVE) > self.seen.rfind(ENTER) >= 0
            and self.seen.rfind(b"\x1b[?25h") > self.seen.rfind(b"\x1b[?25l")
            and self.seen.rfind(b"\x1b[?1003l") > self.seen.rfind(b"\x1b[?1003h")
            and modes[3] & (termios.ICANON | termios.ECHO) == self.before[3] & (termios.ICANON | termios.ECHO)
        )

    def hang_up(self) -> None:
        """Close the terminal, as a window that is closed does."""
        os.close(self._slave)
        os.close(self._master)
        self._slave = self._master = -1

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for fd in (self._master, self._slave):
            if fd >= 0:
                os.close(fd)


def others(state: Path) -> list[str]:
    """The processes that still run with this state folder."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if f"SSE_TUI_STATE_DIR={state}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue
    return found


def gone(state: Path, seconds: float = 25) -> bool:
    deadline = time.monotonic() + seconds
    while others(state) and time.monotonic() < deadline:
        time.sleep(0.1)
    return not others(state)
