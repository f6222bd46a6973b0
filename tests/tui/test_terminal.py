"""``sse-tui open FILE`` in a real terminal, as a user runs it: starts, resizes, obeys keys, quits, leaves no trace."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tui.pseudo_terminal import Terminal, gone, others

pytestmark = pytest.mark.terminal
RECORDING = Path(__file__).parents[1] / "data" / "recordings" / "resumed.sse.jsonl"


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


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Terminal]:
    made = Terminal(LIVE, {**os.environ, "TERM": "xterm-256color", "SSE_TUI_STATE_DIR": str(tmp_path)})
    made.until("READY")
    made.press("hello\r")
    made.until("LIVE")
    yield made
    made.close()


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
