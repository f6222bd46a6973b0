"""A TCP connection with a time stamp for every read.

On Linux the kernel's receive time comes with the data (SO_TIMESTAMPNS, recvmsg), so that a busy process cannot make a
stamp late. Of several segments in one read it is the time of the last one: a read whose bytes waited is marked, because
those before the last came earlier. Where a read ends inside a segment the kernel may give none; then the monotonic
clock is read right after it, and `Read.clock` says so.

The socket is driven with `add_reader`, which asyncio and uvloop both have. Cancelling a read loses nothing: it awaits
only readiness, and nothing between taking the bytes and returning them.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
import sys
from typing import NamedTuple

from sse_tui.transport.clock import SO_TIMESTAMPNS, SessionClock
from sse_tui.transport.loop_watch import LATE_NS, LoopWatch

READ_SIZE = 65536
_CONTROL_SIZE = socket.CMSG_SPACE(16) if hasattr(socket, "CMSG_SPACE") else 0
# After this many reads that did not have to wait, let other tasks of the loop run: a fast server would starve them.
_READS_IN_A_ROW = 16
# Bytes: minutes of a usual stream. A new connection has room for a tenth of it.
_ROOM = 1 << 20


class Read(NamedTuple):
    """What one read brought, when, and by which clock ("kernel", "read" or "fault"). No data is the orderly end.

    `waited`: for up to so many nanoseconds bytes of it waited in the socket, since the process did not come to read
    them; 0 where it did at once.
    """

    data: bytes
    t: int
    clock: str
    waited: int = 0


class TcpStream:
    """Owns a connected, non-blocking socket."""

    def __init__(self, sock: socket.socket, clock: SessionClock) -> None:
        self._sock = sock
        self._clock = clock
        self._streak = 0
        self._aborting = False
        self._watch = LoopWatch()
        self._stamped = sys.platform == "linux" and _CONTROL_SIZE > 0
        sock.setblocking(False)
        with contextlib.suppress(OSError):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self._stamped:
            try:
                sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
            except OSError:
                self._stamped = False
            _make_room(sock)

    async def read(self) -> Read:
        """Wait for bytes and take them. Raises OSError as the socket does: ConnectionResetError for a RST."""
        self._watch.start()
        self._streak += 1
        if self._streak >= _READS_IN_A_ROW:
            self._streak = 0
            await asyncio.sleep(0)
        while True:
            try:
                return self._take()
            except (BlockingIOError, InterruptedError):
                self._streak = 0
                self._watch.caught_up()
                await self._readable()

    async def write(self, data: bytes) -> None:
        """Hand all of `data` to the kernel."""
        await asyncio.get_running_loop().sock_sendall(self._sock, data)

    def write_now(self, data: bytes) -> None:
        """Hand over what the kernel takes without waiting."""
        with contextlib.suppress(OSError):
            self._sock.send(data)

    def close(self) -> None:
        """Close with a FIN.

        Where received bytes are still unread, close alone would make the kernel send a RST in its place (RFC 2525,
        section 2.17), and the other end might never see an end. So the FIN goes first; the RST may follow it.
        """
        self._watch.stop()
        if not self._aborting:
            with contextlib.suppress(OSError):
                self._sock.shutdown(socket.SHUT_WR)
        self._sock.close()

    def abort_on_close(self) -> None:
        """Make the next close a RST: with a linger time of zero the kernel discards what is unsent and aborts."""
        self._aborting = True
        with contextlib.suppress(OSError):
            self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def _take(self) -> Read:
        if not self._stamped:
            data = self._sock.recv(READ_SIZE)
            t = self._clock.now()
            return Read(data, t, "read", self._waited(t, t))
        data, control, _, _ = self._sock.recvmsg(READ_SIZE, _CONTROL_SIZE)
        t = self._clock.now()
        for level, kind, value in control:
            # A timespec: two 64-bit numbers, or two of C's long on 32-bit platforms with the older layout.
            if level == socket.SOL_SOCKET and kind == SO_TIMESTAMPNS:
                seconds, ns = struct.unpack("@qq" if len(value) == 16 else "@ll", value)
                stamp = self._clock.from_realtime(seconds * 1_000_000_000 + ns)
                return Read(data, stamp, "kernel", self._waited(stamp, t))
        return Read(data, t, "read", self._waited(t, t))

    def _waited(self, stamp: int, now: int) -> int:
        """How long bytes that were read `now` may have waited; `stamp` is when the last of them came."""
        absent = self._watch.absent_since(now + self._clock.origin_ns)
        if absent is not None:
            return max(now - stamp, now + self._clock.origin_ns - absent)
        return now - stamp if now - stamp > LATE_NS else 0

    async def _readable(self) -> None:
        loop = asyncio.get_running_loop()
        ready: asyncio.Future[None] = loop.create_future()
        fd = self._sock.fileno()
        if fd < 0:
            raise ConnectionAbortedError("the connection is closed")
        loop.add_reader(fd, _set, ready)
        try:
            await ready
        finally:
            loop.remove_reader(fd)


def _make_room(sock: socket.socket) -> None:
    """Let the socket hold what comes while this process does not run; a full one would hold the server back.

    By SO_RCVLOWAT, for which Linux enlarges the buffer and its window and goes on tuning both. SO_RCVBUF would end
    that, and is capped at 208 KiB on most machines. Never mind where it does not work.
    """
    with contextlib.suppress(OSError):
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, _ROOM)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, 1)


def _set(ready: asyncio.Future[None]) -> None:
    if not ready.done():
        ready.set_result(None)
