"""A terminal that goes away, in every state of the app: within seconds no process and no thread of it is left."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.children import child_running, children
from tests.tui.pseudo_terminal import ENTER, Terminal, gone, others

pytestmark = pytest.mark.terminal
LIMIT_S = 8.0
CAPTURE = "sse_tui.session.capture.process"

Start = Callable[..., Terminal]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """``start("chat", ...)``: the program on a pseudo terminal, with a state folder of its own."""
    made: list[Terminal] = []

    def run(*arguments: str, controlling: bool = True) -> Terminal:
        env = {**os.environ, "TERM": "xterm-256color", "SSE_TUI_STATE_DIR": str(tmp_path)}
        made.append(Terminal(list(arguments), env, controlling=controlling))
        return made[-1]

    yield run
    for terminal in made:
        terminal.close()


def streaming(start: Start, *, controlling: bool = True) -> Terminal:
    terminal = start("chat", "--engine", "scripted", controlling=controlling)
    terminal.until("READY")
    terminal.press("hello\r")
    terminal.until("LIVE")
    return terminal


def on_first_paint(start: Start) -> Terminal:
    terminal = start("chat", "--engine", "scripted")
    deadline = time.monotonic() + 30
    while ENTER not in terminal.seen:
        assert time.monotonic() < deadline
        terminal.read(0.02)
    return terminal


def pressed(keys: str, expected: str) -> Callable[[Start], Terminal]:
    def reach(start: Start) -> Terminal:
        terminal = streaming(start)
        terminal.press(keys)
        terminal.until(expected)
        return terminal

    return reach


def refused(start: Start) -> Terminal:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    terminal = start("inspect", f"http://127.0.0.1:{port}/", "--reconnect", "never")
    terminal.until("refused")
    return terminal


def capture_killed(start: Start) -> Terminal:
    terminal = streaming(start)
    os.kill(child_running(CAPTURE, terminal.process.pid), signal.SIGKILL)
    terminal.until("F8 restarts it")
    return terminal


def restarting(start: Start) -> Terminal:
    terminal = capture_killed(start)
    terminal.press("\x1b[19~")
    return terminal


def restarted(start: Start) -> Terminal:
    terminal = restarting(start)
    terminal.until("running again")
    return terminal


def continued(start: Start) -> Terminal:
    terminal = streaming(start)
    for _ in range(3):
        terminal.process.send_signal(signal.SIGCONT)
        terminal.read(0.2)
    return terminal


def suspended(start: Start) -> Terminal:
    terminal = streaming(start)
    terminal.process.send_signal(signal.SIGTSTP)
    terminal.read(0.5)
    return terminal


def unread(start: Start) -> Terminal:
    terminal = streaming(start)
    for _ in range(40):
        # Help on and off: more than the terminal takes without being read.
        terminal.press("\x1bOP\x1b")
        time.sleep(0.05)
    return terminal


def without_hang_up_signal(start: Start) -> Terminal:
    # As after a launcher that keeps SIGHUP to itself, or an SSH connection that died: Textualize/textual#6690,
    # vfarcic/dot-agent-deck#1138.
    return streaming(start, controlling=False)


STATES = {
    "first paint": on_first_paint,
    "streaming": streaming,
    "error toast": refused,
    "dialog": pressed("\x02", "what happened here"),
    "help": pressed("\x1bOP", "Show all keys."),
    "palette": pressed("\x10", "Search"),
    "capture killed": capture_killed,
    "restarting": restarting,
    "restarted": restarted,
    "continued": continued,
    "suspended": suspended,
    "unread": unread,
    "no SIGHUP": without_hang_up_signal,
}


@pytest.mark.parametrize("reach", STATES.values(), ids=STATES.keys())
def test_nothing_is_left_of_it(reach: Callable[[Start], Terminal], start: Start, tmp_path: Path) -> None:
    terminal = reach(start)
    processes = {terminal.process.pid} | children(terminal.process.pid)
    terminal.hang_up()
    terminal.process.wait(LIMIT_S)
    assert gone(tmp_path, LIMIT_S), (processes, others(tmp_path))


def test_a_signal_is_obeyed_after_the_terminal_is_gone(start: Start, tmp_path: Path) -> None:
    """can1357/oh-my-pi#12209, earendil-works/pi#4144: such a process ignored SIGTERM and used a whole core."""
    terminal = streaming(start, controlling=False)
    terminal.process.send_signal(signal.SIGSTOP)
    terminal.hang_up()
    terminal.process.send_signal(signal.SIGTERM)
    terminal.process.send_signal(signal.SIGCONT)
    assert terminal.process.wait(LIMIT_S) in (128 + signal.SIGTERM, 128 + signal.SIGHUP)
    assert gone(tmp_path, LIMIT_S), others(tmp_path)


def test_a_signal_to_continue_starts_no_second_thread_and_keeps_the_screen(start: Start) -> None:
    terminal = streaming(start)
    threads = Path(f"/proc/{terminal.process.pid}/task")
    before = len(list(threads.iterdir()))
    for _ in range(3):
        terminal.process.send_signal(signal.SIGSTOP)
        terminal.process.send_signal(signal.SIGCONT)
        terminal.read(0.5)
    assert len(list(threads.iterdir())) <= before
    terminal.seen = b""
    terminal.press("\x1bOP")
    terminal.until("Show all keys.")
    terminal.press("\x1b")
    terminal.read(0.5)
    terminal.press("\x11")
    assert terminal.wait() == 0


LINGERING = """
import asyncio, threading
from sse_tui.tui.termination_guard import TerminationGuard

async def main():
    TerminationGuard(lambda code: None, grace_s=0.2).install()

threading.Thread(target=threading.Event().wait).start()
asyncio.run(main())
"""


def test_a_thread_that_does_not_end_is_given_a_limited_time() -> None:
    done = subprocess.run([sys.executable, "-c", LINGERING], timeout=30, check=False)
    assert done.returncode == 0
