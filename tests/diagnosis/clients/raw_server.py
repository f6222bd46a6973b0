"""A raw socket that answers every request with one body and ends the connection in one way."""

from __future__ import annotations

import re
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from sse_tui.diagnosis.clients.ends import End

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"


@contextmanager
def answering(body: bytes, end: End) -> Iterator[str]:
    """The address of a server that sends `body`, chunked, and then ends the connection as `end` says."""
    listener = socket.create_server(("127.0.0.1", 0))
    over = threading.Event()
    thread = threading.Thread(target=_serve, args=(listener, body, end, over), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        over.set()
        # Connecting wakes the server where it still waits for one.
        with socket.create_connection(listener.getsockname(), timeout=1):
            pass
        thread.join(5)
        listener.close()


def _serve(listener: socket.socket, body: bytes, end: End, over: threading.Event) -> None:
    while not over.is_set():
        peer, _ = listener.accept()
        with peer:
            if over.is_set():
                return
            _answer(peer, body, end, over)


def _take_request(peer: socket.socket) -> None:
    """Read a request to its end: closing a socket with unread bytes resets the connection instead of ending it."""
    request = b""
    while b"\r\n\r\n" not in request:
        request += peer.recv(65536)
    head, _, body = request.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
    left = (int(length[1]) if length else 0) - len(body)
    while left > 0:
        left -= len(peer.recv(65536)) or left


def _answer(peer: socket.socket, body: bytes, end: End, over: threading.Event) -> None:
    peer.settimeout(5)
    _take_request(peer)
    chunk = b"%x\r\n%s\r\n" % (len(body), body) if body else b""
    peer.sendall(HEAD + chunk + (b"0\r\n\r\n" if end == "fin" else b""))
    if end == "reset":
        over.wait(0.1)  # until the client has read: a reset discards what is still in its socket
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    elif end == "stall":
        over.wait()
