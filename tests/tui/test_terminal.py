"""``sse-tui open FILE`` in a real terminal, as a user runs it: starts, resizes, obeys keys, quits, leaves no trace."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.terminal
RECORDING = Path(__file__).parents[1] / "data" / "recordings" / "resumed.sse.jsonl"
ENTER, LEAVE = b"\x1b[?1049h", b"\x1b[?1049l"


class Terminal:
    """A program on a pseudo terminal. `seen` is all it has written."""

    def __init__(self, arguments: list[str], env: dict[str, str], size: tuple[int, int] = (120, 36)) -> None:
        self._master, slave = pty.openpty()
        self.seen = b""
        self.before = termios.tcgetattr(slave)
        self.resize(*size)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sse_tui", *arguments],
            stdin=slave, stdout=slave, stderr=slave, env=env, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
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


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    env = {
        **os.environ,
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "SSE_TUI_STATE_DIR": str(tmp_path),
    }
    env.pop("NO_COLOR", None)
    made = Terminal(["open", str(RECORDING)], env)
    yield made
    made.close()


def test_it_starts_obeys_keys_resizes_and_quits(terminal: Terminal) -> None:
    terminal.until("COMPLETE")
    terminal.until("[DONE]")
    terminal.press("3\x1b[C")
    terminal.until("[text]")
    terminal.resize(80, 24)
    terminal.until("[Detail]")
    terminal.press("\x1bOP")
    terminal.until("Show all keys.")
    terminal.press("\x1b")
    terminal.read(0.5)
    terminal.press("\x11")
    assert terminal.wait() == 0
    assert terminal.restored


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_cleanly(terminal: Terminal, number: signal.Signals) -> None:
    terminal.until("[DONE]")
    terminal.process.send_signal(number)
    assert terminal.wait() == 128 + number
    assert terminal.restored


def test_ctrl_c_and_escape_do_not_quit(terminal: Terminal) -> None:
    terminal.until("[DONE]")
    terminal.press("\x03")
    terminal.read(0.5)
    terminal.press("\x1b")
    terminal.read(0.5)
    assert terminal.process.poll() is None
    terminal.press("\x11")
    assert terminal.wait() == 0


LIVE = ["chat", "--engine", "scripted"]


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


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Terminal]:
    made = Terminal(LIVE, {**os.environ, "TERM": "xterm-256color", "SSE_TUI_STATE_DIR": str(tmp_path)})
    made.until("READY")
    made.press("hello\r")
    made.until("LIVE")
    yield made
    made.close()


def gone(state: Path, seconds: float = 25) -> bool:
    deadline = time.monotonic() + seconds
    while others(state) and time.monotonic() < deadline:
        time.sleep(0.1)
    return not others(state)


def test_a_plan_typed_in_one_go_is_armed_and_never_taken_for_keys(live: Terminal) -> None:
    live.until("COMPLETE")
    live.press("\x18a12\r")
    live.until("armed: cut@event=12")
    live.press("\x11")
    assert live.wait() == 0


def test_a_terminal_that_hangs_up_leaves_no_process(live: Terminal, tmp_path: Path) -> None:
    live.hang_up()
    live.process.wait(25)
    assert gone(tmp_path), others(tmp_path)


def test_a_terminal_that_nobody_reads_does_not_keep_it_from_ending(live: Terminal, tmp_path: Path) -> None:
    for _ in range(40):
        # Help on and off: more than the terminal takes without being read.
        live.press("\x1bOP\x1b")
        time.sleep(0.05)
    live.process.send_signal(signal.SIGTERM)
    assert live.process.wait(25) == 128 + signal.SIGTERM
    assert gone(tmp_path), others(tmp_path)


def test_a_kill_leaves_no_process(live: Terminal, tmp_path: Path) -> None:
    live.process.kill()
    live.process.wait(25)
    assert gone(tmp_path), others(tmp_path)


def test_without_colour_the_state_is_still_told(tmp_path: Path) -> None:
    env = {**os.environ, "TERM": "xterm-256color", "NO_COLOR": "1", "SSE_TUI_STATE_DIR": str(tmp_path)}
    made = Terminal(["open", str(RECORDING)], env, (80, 24))
    try:
        made.until("✓ COMPLETE")
        made.read(0.5)
        colours = set(re.findall(rb"\x1b\[[0-9;]*38;2;(\d+);(\d+);(\d+)", made.seen))
        assert all(red == green == blue for red, green, blue in colours), colours
        made.press("\x11")
        assert made.wait() == 0
    finally:
        made.close()
