"""Reads that the process came to late: they are marked, and what came meanwhile has room in the socket."""

from __future__ import annotations

import asyncio
import fcntl
import socket
import struct
import sys
import termios
import time
from collections.abc import AsyncIterator

import pytest

from sse_tui.transport import SessionClock
from sse_tui.transport.http.tcp import TcpStream

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="kernel stamps are a Linux feature")
ABSENT_S = 0.3

Pair = tuple[TcpStream, socket.socket, socket.socket]


@pytest.fixture(name="pair")
async def _pair() -> AsyncIterator[Pair]:
    """A stream, its own socket, and the one at its other end."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        ours = socket.create_connection(listener.getsockname())
        theirs, _ = listener.accept()
    stream = TcpStream(ours, SessionClock())
    with theirs:
        yield stream, ours, theirs
        stream.close()


async def test_a_read_after_an_absence_is_marked_and_those_before_and_after_are_not(
    pair: Pair,
) -> None:
    stream, _, peer = pair
    reading = asyncio.ensure_future(stream.read())
    await asyncio.sleep(0.02)
    peer.sendall(b"before")
    assert (await reading).waited == 0
    reading = asyncio.ensure_future(stream.read())
    await asyncio.sleep(0.02)
    for _ in range(10):
        # The loop does not turn, while what comes first waits for the last.
        time.sleep(ABSENT_S / 10)
        peer.sendall(b"x")
    late = await reading
    assert late.data == b"x" * 10
    assert late.clock == "kernel"
    assert ABSENT_S * 0.7e9 < late.waited < 3e9
    # Several times, since a busy machine may keep this process from running too.
    marks = []
    for _ in range(5):
        reading = asyncio.ensure_future(stream.read())
        await asyncio.sleep(0.06)
        peer.sendall(b"after")
        after = await reading
        assert after.data == b"after"
        marks.append(after.waited)
    assert 0 in marks


async def test_an_absence_in_which_nothing_came_marks_nothing(pair: Pair) -> None:
    stream, _, peer = pair
    reading = asyncio.ensure_future(stream.read())
    await asyncio.sleep(0.02)
    time.sleep(ABSENT_S)
    await asyncio.sleep(0.2)
    peer.sendall(b"data")
    assert (await reading).waited < ABSENT_S * 0.5e9


async def test_a_stream_whose_reader_is_away_has_room_in_the_socket(
    pair: Pair,
) -> None:
    _, ours, peer = pair
    peer.setblocking(False)
    data = b"x" * 1000
    for _ in range(700):
        peer.send(data)
    deadline = time.monotonic() + 5
    while (held := waiting(ours)) < 700_000:
        assert time.monotonic() < deadline, held
        time.sleep(0.01)


def waiting(sock: socket.socket) -> int:
    return int(struct.unpack("i", fcntl.ioctl(sock, termios.FIONREAD, b"\0" * 4))[0])
