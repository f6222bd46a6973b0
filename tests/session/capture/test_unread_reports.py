"""The capture process while nobody reads its reports: it goes on reading the stream, and stops when told to."""

from __future__ import annotations

import fcntl
import itertools
import os
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sse_tui.processes.messages import line
from sse_tui.recording import read_recording
from sse_tui.recording.records import Close, End
from sse_tui.session.capture import protocol
from sse_tui.session.requests import TurnSpec
from sse_tui.transport import StreamRequest
from tests.children import child_running
from tests.session.capture.stamped_server import StampedServer, lateness
from tests.tui.pseudo_terminal import Terminal

CAPTURE = "sse_tui.session.capture.process"
# The smallest pipe there is holds this many bytes: about 240 reports.
PIPE_BYTES = 4096
LATE_NS = 100_000_000
# A busy machine may keep the process from running for a while, which is marked; nobody's reading does so for long.
BUSY_NS = 1_000_000_000


def in_pipe(fd: int) -> int:
    return int(struct.unpack("i", fcntl.ioctl(fd, termios.FIONREAD, b"\0" * 4))[0])


def wait_until_full(fd: int, meanwhile: Callable[[], None] = lambda: None, limit_s: float = 30.0) -> None:
    deadline = time.monotonic() + limit_s
    while in_pipe(fd) < PIPE_BYTES - 100:
        assert time.monotonic() < deadline, in_pipe(fd)
        meanwhile()
        time.sleep(0.02)


def test_times_are_right_and_a_stop_is_obeyed_though_no_report_is_read(tmp_path: Path) -> None:
    path = tmp_path / "r.sse.jsonl"
    with (
        StampedServer.running(0.005) as server,
        subprocess.Popen(
            [sys.executable, "-m", CAPTURE], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as capture,
    ):
        assert capture.stdin is not None
        assert capture.stdout is not None
        fcntl.fcntl(capture.stdout, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        capture.stdin.write(line(protocol.Open(str(path))))
        capture.stdin.write(line(protocol.RunTurn(1, TurnSpec(StreamRequest("GET", server.url)))))
        capture.stdin.flush()
        wait_until_full(capture.stdout.fileno())
        server.wait(len(server.sent) + 300)
        capture.stdin.write(line(protocol.Stop()))
        capture.stdin.flush()
        deadline = time.monotonic() + 5
        while not any(isinstance(record, Close) for record in read_recording(path)):
            assert time.monotonic() < deadline, "it was not stopped"
            time.sleep(0.05)
        # The ends arrive once somebody reads again, whatever became of the rest.
        reports: list[protocol.Report] = []
        while not reports or not isinstance(reports[-1], protocol.Done):
            reports.append(protocol.read_report(capture.stdout.readline()))
        capture.stdin.close()
        assert capture.wait(5) == 0
    assert isinstance(reports[0], protocol.Opened)
    late, waited = lateness(path, server.sent)
    assert len(late) > 500
    assert max(late) < LATE_NS
    assert waited < BUSY_NS
    assert isinstance(list(read_recording(path))[-1], End)


@pytest.mark.terminal
def test_times_are_right_though_the_terminal_is_not_read(tmp_path: Path) -> None:
    """As in the copy mode of tmux, in which it blocks its programs: tmux/tmux#431."""
    env = {**os.environ, "TERM": "xterm-256color", "SSE_TUI_STATE_DIR": str(tmp_path / "state")}
    path = tmp_path / "r.sse.jsonl"
    with StampedServer.running(0.01) as server:
        terminal = Terminal(["inspect", server.url, "--record", str(path)], env)
        try:
            terminal.until("LIVE")
            capture = child_running(CAPTURE, terminal.process.pid)
            out = report_pipe(capture, terminal.process.pid)
            fcntl.fcntl(out, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
            # From here on nobody reads the terminal; redrawing fills it sooner.
            sizes = itertools.cycle([(110, 36), (120, 36)])
            wait_until_full(out, lambda: terminal.resize(*next(sizes)))
            os.close(out)
            server.wait(len(server.sent) + 200)
            terminal.read(1)
            terminal.press("\x11")
            assert terminal.wait() == 0
        finally:
            terminal.close()
    late, waited = lateness(path, server.sent)
    assert len(late) > 400
    assert max(late) < LATE_NS
    assert waited < BUSY_NS


def pipes(pid: int) -> dict[str, Path]:
    """The pipes that a process has open, and where each can be opened."""
    return {
        target: entry
        for entry in Path(f"/proc/{pid}/fd").iterdir()
        if (target := os.readlink(entry)).startswith("pipe:")
    }


def report_pipe(capture: int, parent: int) -> int:
    """An end of our own of the pipe for the reports: the one they share that is neither for commands nor the log."""
    shared = pipes(capture)
    for other in (0, 2):
        shared.pop(os.readlink(f"/proc/{capture}/fd/{other}"), None)
    (path,) = (shared[target] for target in shared.keys() & pipes(parent).keys())
    return os.open(path, os.O_RDONLY | os.O_NONBLOCK)
