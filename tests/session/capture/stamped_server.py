"""A server that sends numbered events at a steady pace and notes when it wrote each."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from sse_tui.recording import read_recording
from sse_tui.recording.records import Chunk

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"


class StampedServer:
    """Serves one connection. `sent` holds the monotonic time of each write, in nanoseconds."""

    def __init__(self, gap_s: float) -> None:
        self._gap_s = gap_s
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._over = threading.Event()
        self.sent: list[int] = []
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/"
        self._thread = threading.Thread(target=self._serve)

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            connection, _ = self._listener.accept()
            with connection:
                connection.recv(65536)
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                connection.sendall(HEAD)
                while not self._over.wait(self._gap_s):
                    data = f"data: {len(self.sent)}\n\n".encode()
                    self.sent.append(time.monotonic_ns())
                    connection.sendall(data)

    def wait(self, count: int, limit_s: float = 30.0) -> None:
        """Wait until this many events were sent."""
        deadline = time.monotonic() + limit_s
        while len(self.sent) < count:
            assert time.monotonic() < deadline
            time.sleep(0.01)

    def close(self) -> None:
        self._over.set()
        # Closing a listener does not end an accept in another thread.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()

    @classmethod
    @contextlib.contextmanager
    def running(cls, gap_s: float) -> Iterator[StampedServer]:
        server = cls(gap_s)
        server._thread.start()
        try:
            yield server
        finally:
            server.close()


def lateness(recording: Path, sent: list[int]) -> tuple[list[int], int]:
    """By how many nanoseconds each recorded event is later than its write, beside the most punctual one; then the
    longest time that a read waited in the socket, as marked. What a mark allows is not counted as late."""
    late, waited = [], 0
    for record in read_recording(recording):
        if isinstance(record, Chunk) and record.text is not None:
            waited = max(waited, record.waited)
            for line in record.text.splitlines():
                if line.startswith("data: "):
                    late.append((record.t - sent[int(line[6:])], record.waited))
    earliest = min(by for by, _ in late)
    return [by - earliest - allowed for by, allowed in late], waited
