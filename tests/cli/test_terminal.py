"""On a terminal: nothing that a stream holds acts on it, and keys come from it although stdin is a pipe."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

PROGRAM = [sys.executable, "-m", "sse_tui"]
EVIL = "a\x1b]0;title\x07b\x9b31mc"


def on_terminal(
    args: list[str], env: dict[str, str], data: bytes = b"", *, errors: bool = False
) -> tuple[int, bytes]:
    """Run with stdout (with `errors` stderr too) on a pseudo terminal; the exit code and all that it got."""
    main, side = pty.openpty()
    stderr = side if errors else subprocess.DEVNULL
    with subprocess.Popen(
        [*PROGRAM, *args], stdin=subprocess.PIPE, stdout=side, stderr=stderr, env=env
    ) as process:
        os.close(side)
        assert process.stdin is not None
        process.stdin.write(data)
        process.stdin.close()
        seen = b""
        until = time.monotonic() + 30
        while time.monotonic() < until:
            if not select.select([main], [], [], 0.1)[0]:
                continue
            try:
                piece = os.read(main, 65536)
            except OSError:
                break
            if not piece:
                break
            seen += piece
        code = process.wait(10)
    os.close(main)
    return code, seen


def evil_stream() -> bytes:
    delta = {"choices": [{"index": 0, "delta": {"content": EVIL}, "finish_reason": "stop"}]}
    payload = json.dumps({"object": "chat.completion.chunk", "id": "1", "model": "m"} | delta)
    return b": \x1b[2J\n" + b"data: " + payload.encode() + b"\n\ndata: [DONE]\n\n"


def test_no_escape_sequence_of_a_stream_reaches_the_terminal(env: dict[str, str]) -> None:
    for form in ([], ["--json"], ["--raw"]):
        code, seen = on_terminal(["tail", "-", *form], env, evil_stream())
        assert code == 0
        assert seen
        assert b"\x1b" not in seen
        assert b"\x07" not in seen
        assert "\x9b".encode() not in seen


def test_the_same_in_a_pipe_is_exact(env: dict[str, str], tmp_path: Path) -> None:
    done = subprocess.run(
        [*PROGRAM, "tail", "-"], input=evil_stream(), capture_output=True, env=env, timeout=30, check=True
    )
    assert done.stdout == (EVIL + "\n").encode()


TITLE = "\x1b]0;owned\x07"
COLOUR = "\x9b31mred"
HOSTILE = f"{TITLE}{COLOUR}\x08\x7f\r"


def hostile_captures() -> dict[str, bytes]:
    """Every place of a stream in which words of a server can stand."""
    word = HOSTILE.replace("\r", "").encode()
    fault = json.dumps({"error": {"message": HOSTILE, "type": HOSTILE, "code": HOSTILE}})
    call = {"index": 0, "id": HOSTILE, "function": {"name": HOSTILE, "arguments": HOSTILE}}
    delta = {"content": HOSTILE, "reasoning_content": HOSTILE, "refusal": HOSTILE, "tool_calls": [call]}
    chunk = {"object": "chat.completion.chunk", "id": HOSTILE, "model": HOSTILE}
    payload = json.dumps({**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": HOSTILE}]})
    events = b"event: %s\ndata: %s\nid: %s\n\n: %s\n%s: x\nretry: %s\n\n" % ((word,) * 6)
    events += b"data: %s\n\n" % payload.encode() + b"event: error\ndata: %s\n\n" % fault.encode()
    head = b"HTTP/1.1 200 %s\r\nContent-Type: text/event-stream; x=%s\r\nX-%s: %s\r\n\r\n" % ((word,) * 4)
    return {
        "raw": events + b"data: cut " + word,
        "chat": b"data: %s\n\n" % payload.encode() + b"data: %s" % fault.encode(),
        "curl-i": head + events,
        "html": b"HTTP/1.1 502 Bad\r\nContent-Type: text/html\r\n\r\n<html>" + word,
        "curl-v": b"> GET /%s HTTP/1.1\n> A: %s\n> \n< HTTP/1.1 200 OK\n< B: %s\n< \n" % ((word,) * 3)
        + events,
    }


EVERY = [
    ["report", "FILE"],
    ["report", "FILE", "--format", "json"],
    ["open", "FILE", "--text"],
    ["open", "FILE", "--json"],
    ["tail", "-"],
]
SOME = [
    *(["report", "FILE", "--format", form] for form in ("md", "html", "junit")),
    *(["export", "FILE", "--to", form] for form in ("har", "sse", "pytest")),
    ["report", "FILE", "--expect", "complete, text~'a'"],
    ["minimize", "FILE", "--rule", "http-error-status"],
]


@pytest.mark.parametrize(
    ("args", "capture"),
    [
        *((args, capture) for args in EVERY for capture in hostile_captures()),
        *((args, "curl-v") for args in SOME),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_nothing_hostile_reaches_the_terminal_by_any_way(
    args: list[str], capture: str, env: dict[str, str], tmp_path: Path
) -> None:
    data = hostile_captures()[capture]
    path = tmp_path / f"in{TITLE}.sse"
    path.write_bytes(data)
    args = [str(path) if word == "FILE" else word for word in args]
    code, seen = on_terminal(args, env, data if "-" in args else b"", errors=True)
    assert code in (0, 1, 2, 3, 4), seen
    for word in (b"\x1b]0", b"\x07", b"\x9b31m", b"\x08", b"\x7f"):
        assert word not in seen, (word, seen)


@pytest.mark.terminal
def test_a_pipe_is_shown_while_it_runs_and_keys_come_from_the_terminal(env: dict[str, str]) -> None:
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 110, 0, 0))

    def own_terminal() -> None:
        os.setsid()
        fcntl.ioctl(side, termios.TIOCSCTTY, 0)

    screen = b""
    with subprocess.Popen(
        [*PROGRAM, "open", "-"],
        stdin=subprocess.PIPE,
        stdout=side,
        stderr=side,
        env=env | {"TERM": "xterm-256color"},
        preexec_fn=own_terminal,
    ) as process:
        os.close(side)
        assert process.stdin is not None
        process.stdin.write(b"data: first-event\n\n")
        process.stdin.flush()
        screen = _until(main, b"first-event", screen)
        # The pipe is still open: what comes later is shown as well.
        process.stdin.write(b"data: second-event\n\n")
        process.stdin.flush()
        screen = _until(main, b"second-event", screen)
        os.write(main, b"\x11")
        _drain(main)
        process.stdin.close()
        code = process.wait(15)
    os.close(main)

    assert code == 0


def _until(terminal: int, wanted: bytes, seen: bytes) -> bytes:
    until = time.monotonic() + 30
    while wanted not in seen:
        assert time.monotonic() < until, seen[-2000:]
        if select.select([terminal], [], [], 0.1)[0]:
            seen += os.read(terminal, 65536)
    return seen


def _drain(terminal: int) -> None:
    """Read until the other side is closed: a full terminal would stop its writer."""
    until = time.monotonic() + 15
    while time.monotonic() < until:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                if not os.read(terminal, 65536):
                    return
            except OSError:
                return
