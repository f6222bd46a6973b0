"""What an attack on the endpoint is, for the table of `tests.benchmarks.hostile`, and what attacks are written with."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

TOKEN = "secret"
HOST = "127.0.0.1"
SCRIPTED = ("--engine", "scripted", "--script", "one two three", "--ttft-ms", "0", "--gap-ms", "0")


@dataclass(frozen=True)
class Attack:
    """`run(port, end)` attacks until `time.monotonic()` is `end`, in a process of its own.

    The endpoint is started with the options of `serve` in `options`, may open as many descriptors as `descriptors`
    says, and knows the bearer token `TOKEN`.
    """

    name: str
    run: Callable[[int, float], None]
    options: tuple[str, ...] = SCRIPTED
    descriptors: int | None = None


def connect(port: int, timeout: float = 1.0) -> socket.socket:
    """A connection to the endpoint. Its calls raise TimeoutError after `timeout` seconds."""
    sock = socket.create_connection((HOST, port), timeout)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return sock


def head(method: str, path: str, *fields: str, token: str | None = TOKEN) -> bytes:
    """A request's head."""
    lines = [f"{method} {path} HTTP/1.1", f"Host: {HOST}", *fields]
    if token is not None:
        lines.append(f"Authorization: Bearer {token}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def post(body: bytes, *fields: str, token: str | None = TOKEN) -> bytes:
    """A chat request."""
    asked = ("Content-Type: application/json", f"Content-Length: {len(body)}", *fields)
    return head("POST", "/v1/chat/completions", *asked, token=token) + body


def send_until(end: float, sock: socket.socket, data: Iterable[bytes]) -> None:
    """Send the pieces until `end`, or until the endpoint no longer takes them."""
    with contextlib.suppress(OSError):
        for piece in data:
            if time.monotonic() >= end:
                return
            sock.sendall(piece)


def closed(sock: socket.socket) -> bool:
    """Whether the endpoint has closed the connection; what it sent is read and dropped."""
    sock.setblocking(False)
    try:
        while sock.recv(65536):
            pass
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True
