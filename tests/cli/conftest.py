"""The program as a user runs it, and servers that send exactly what a test says."""

from __future__ import annotations

import os
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

PROGRAM = [sys.executable, "-m", "sse_tui"]


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """An environment that touches nothing of the user's."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SSE_TUI_")}
    home = tmp_path / "home"
    home.mkdir()
    return kept | {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_STATE_HOME": str(home / "state"),
        "XDG_DATA_HOME": str(home / "data"),
        "SSE_TUI_STATE_DIR": str(home / "state"),
    }


class Done(NamedTuple):
    """How a run ended. `out` is text, `raw` the same as bytes."""

    code: int
    out: str
    err: str
    raw: bytes


@pytest.fixture
def cli(env: dict[str, str], tmp_path: Path) -> Callable[..., Done]:
    """Runs ``sse-tui`` to its end."""

    def run(*args: str, input: bytes = b"", more_env: dict[str, str] | None = None) -> Done:
        done = subprocess.run(
            [*PROGRAM, *args],
            input=input,
            capture_output=True,
            env=env | (more_env or {}),
            cwd=tmp_path,
            timeout=60,
            check=False,
        )
        return Done(
            done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode(), done.stdout
        )

    return run


Handler = Callable[[socket.socket, bytes], None]


@pytest.fixture
def server() -> Iterator[Callable[..., str]]:
    """Serves on a free port: `handler` gets each connection with its request head; gives the URL.

    With a `context` it serves TLS.
    """
    listeners: list[socket.socket] = []

    def start(handler: Handler, context: ssl.SSLContext | None = None) -> str:
        listener = socket.create_server(("127.0.0.1", 0))
        listeners.append(listener)
        threading.Thread(target=_accept, args=(listener, handler, context), daemon=True).start()
        return f"{'https' if context else 'http'}://127.0.0.1:{listener.getsockname()[1]}/stream"

    yield start
    for listener in listeners:
        listener.close()


def _accept(listener: socket.socket, handler: Handler, context: ssl.SSLContext | None) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        threading.Thread(target=_serve, args=(connection, handler, context), daemon=True).start()


def _serve(connection: socket.socket, handler: Handler, context: ssl.SSLContext | None) -> None:
    if context is not None:
        try:
            connection = context.wrap_socket(connection, server_side=True)
        except OSError:  # a client that does not trust it
            connection.close()
            return
    with connection:
        head = b""
        while b"\r\n\r\n" not in head:
            data = connection.recv(65536)
            if not data:
                return
            head += data
        try:
            handler(connection, head)
        except OSError:
            return
