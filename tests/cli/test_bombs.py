"""A megabyte of gzip that expands to a gigabyte: live over a socket, and in a recording."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from sse_tui.recording.content import ContentDecoder

MOST_KIB = 250 * 1024
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: gzip\r\n\r\n"


@pytest.fixture(scope="module")
def bomb() -> bytes:
    packer, block = zlib.compressobj(wbits=31), b":\n" * (1 << 19)
    return b"".join(packer.compress(block) for _ in range(100)) + packer.flush()


@pytest.fixture
def url(bomb: bytes) -> Iterator[str]:
    """Serves the bomb to whoever connects, and holds the connection."""
    server = socket.create_server(("127.0.0.1", 0))
    held: list[socket.socket] = []

    def serve() -> None:
        while True:
            try:
                peer, _ = server.accept()
            except OSError:
                return
            held.append(peer)
            try:
                peer.recv(65536)
                peer.sendall(HEAD + bomb)
            except OSError:
                pass

    threading.Thread(target=serve, daemon=True).start()
    yield f"http://127.0.0.1:{server.getsockname()[1]}/"
    server.close()
    for peer in held:
        peer.close()


@pytest.fixture
def recorded(bomb: bytes, tmp_path: Path) -> Path:
    path = tmp_path / "bomb.sse.jsonl"
    from sse_tui.recording import Redactor, Writer
    from sse_tui.recording.records import Header, Response, chunk

    headers = [("Content-Type", "text/event-stream"), ("Content-Encoding", "gzip")]
    with Writer(path, Header(), Redactor()) as writer:
        writer.write(Response(t=0, turn=1, conn=1, status=200, http_version="HTTP/1.1", headers=headers))
        for at in range(0, len(bomb), 65536):
            writer.write(chunk(at, bomb[at : at + 65536], turn=1, conn=1))
    return path


def measured(*arguments: str) -> tuple[int, str, int]:
    """Exit code, stderr, and the most memory in KiB."""
    program = (
        "import resource, subprocess, sys\n"
        "done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n"
        "sys.exit(done.returncode)\n"
    )
    command = [sys.executable, "-c", program, sys.executable, "-m", "sse_tui", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    return done.returncode, done.stderr, int(done.stdout)


def test_live(url: str, tmp_path: Path, bomb: bytes) -> None:
    path = tmp_path / "r.sse.jsonl"
    code, stderr, kib = measured("tail", url, "--record", str(path))
    assert code == 4
    assert "the compressed body expands beyond all bounds" in stderr
    assert kib < MOST_KIB
    # What made it end is in the file.
    assert '"code":"runaway-compression"' in path.read_text()
    from sse_tui import read_recording
    from sse_tui.recording.records import Chunk

    body = b"".join(record.data for record in read_recording(path) if isinstance(record, Chunk))
    assert bomb.startswith(body)
    decoder = ContentDecoder([("Content-Encoding", "gzip")])
    decoder.decode(body)
    assert decoder.runaway


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("open", "--json"), 0),
        (("report",), 1),
        (("lens",), 0),
        (("export", "--to", "har"), 0),
        (("export", "--to", "pytest"), 0),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_recorded(arguments: tuple[str, ...], code: int, recorded: Path) -> None:
    ended, stderr, kib = measured(arguments[0], str(recorded), *arguments[1:])
    assert ended == code, stderr
    assert kib < MOST_KIB
    if arguments[0] == "export":
        assert "is not exported to its end: " in stderr


def test_sigint_is_obeyed_meanwhile(url: str) -> None:
    command = [sys.executable, "-m", "sse_tui", "tail", "--json", url]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        while b'"comment"' not in os.read(process.stdout.fileno(), 1 << 16):
            pass
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.stdout.read()
        process.wait(30)
        took = time.monotonic() - began
    assert process.returncode == 130
    # It would take seconds to read what came; half a second is meant, the rest is for a busy machine.
    assert took < 1.5
