"""Attacks on the endpoint's connections: heads, bodies and trailers without end, and peers that do nothing."""

from __future__ import annotations

import contextlib
import itertools
import socket
import time
from collections.abc import Callable

from tests.benchmarks._attack import Attack, closed, connect, head, send_until


def endless(start: bytes, piece: bytes) -> Callable[[int, float], None]:
    """Connections that send `start` and then `piece` for ever, one after another."""

    def run(port: int, end: float) -> None:
        while time.monotonic() < end:
            with contextlib.suppress(OSError), connect(port) as sock:
                send_until(end, sock, itertools.chain([start], itertools.repeat(piece)))

    return run


def held(count: int, start: bytes, drip: bytes = b"", every_s: float = 0.2) -> Callable[[int, float], None]:
    """`count` connections that send `start` and stay, each replaced when it is closed; `drip` follows now and then."""

    def run(port: int, end: float) -> None:
        open_now: list[socket.socket] = []
        while time.monotonic() < end:
            kept = [sock for sock in open_now if not closed(sock)]
            for gone in set(open_now) - set(kept):
                gone.close()
            open_now = kept
            with contextlib.suppress(OSError):
                while len(open_now) < count and time.monotonic() < end:
                    sock = connect(port)
                    open_now.append(sock)
                    if start:
                        sock.sendall(start)
            for sock in open_now:
                with contextlib.suppress(OSError):
                    sock.send(drip)
            time.sleep(every_s)
        for sock in open_now:
            sock.close()

    return run


def flood(request: bytes, times: int) -> Callable[[int, float], None]:
    """Connections that send `request` so many times at once and read nothing."""

    def run(port: int, end: float) -> None:
        while time.monotonic() < end:
            with contextlib.suppress(OSError), connect(port) as sock:
                send_until(end, sock, itertools.repeat(request, times))
                time.sleep(0.02)

    return run


FIELD = b"X-Filler: " + b"a" * 65000 + b"\r\n"
CHUNKED = head("POST", "/v1/chat/completions", "Content-Type: application/json", "Transfer-Encoding: chunked")
DECLARED = ("Content-Type: application/json", "Content-Length: 8000000")
NO_TOKEN = head("POST", "/v1/chat/completions", *DECLARED, token=None)
HALF_BODY = head("POST", "/v1/chat/completions", *DECLARED)

LONG_URL = head("GET", "/" + "a" * 15_000)

ATTACKS = [
    Attack("a head without end", endless(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n", FIELD)),
    Attack("a field without end", endless(b"GET / HTTP/1.1\r\nX: ", b"a" * 65536)),
    Attack("a URL without end", endless(b"GET /", b"a" * 65536)),
    Attack("200 heads of 15 kB, each unfinished", held(200, b"GET / HTTP/1.1\r\nX: " + b"a" * 15000)),
    Attack("trailers without end", endless(CHUNKED + b"2\r\n{}\r\n0\r\n", FIELD)),
    Attack("a chunk extension without end", endless(CHUNKED + b"2;a=", b"a" * 65536)),
    Attack("8 MB bodies without a token", endless(NO_TOKEN, b" " * 65536)),
    Attack("200 half bodies of 7.9 MB", held(200, HALF_BODY + b" " * 7_900_000)),
    Attack("64 descriptors, 200 idle connections", held(200, b""), descriptors=64),
    Attack("64 descriptors, 200 half heads", held(200, b"GET / HTTP/1.1\r\nX: ", b"a"), descriptors=64),
    Attack("64 descriptors, 200 half bodies", held(200, HALF_BODY, b" "), descriptors=64),
    Attack("64 descriptors, 40 peers that read no answer", held(40, LONG_URL * 300), descriptors=64),
    Attack("2,000 idle connections", held(2000, b"")),
    Attack("pipelined requests", flood(head("GET", "/health") * 500, 100)),
    Attack("connections that are closed at once", flood(b"", 0)),
]
