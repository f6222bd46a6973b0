"""Reports to a parent that does not read: nobody waits for it, states are merged, and everything else arrives."""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections.abc import Iterator

import pytest

from sse_tui.processes.outbox import Outbox

PIPE_BYTES = 4096


@pytest.fixture(name="pipe")
def _pipe() -> Iterator[tuple[int, int]]:
    read, write = os.pipe()
    fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    yield read, write
    for fd in (read, write):
        try:
            os.close(fd)
        except OSError:
            pass


def read_lines(fd: int, last: bytes) -> list[bytes]:
    """The lines up to `last`."""
    got = b""
    while not got.endswith(b"\n" + last + b"\n"):
        got += os.read(fd, 65536)
    return got.split(b"\n")[:-1]


def test_a_state_takes_the_place_of_the_one_before_and_the_rest_arrives_in_order(
    pipe: tuple[int, int],
) -> None:
    read, write = pipe
    outbox = Outbox(write)
    began = time.monotonic()
    for number in range(5000):
        outbox.put(b"grown %d\n" % number, "grown")
        if number % 1000 == 0:
            outbox.put(b"done %d\n" % number)
    outbox.put(b"done\n")
    assert time.monotonic() - began < 2
    assert not outbox.flush(0.01)
    lines = read_lines(read, b"done")
    assert [line for line in lines if line.startswith(b"done")] == [
        *(b"done %d" % number for number in range(0, 5000, 1000)),
        b"done",
    ]
    states = [int(line.split()[1]) for line in lines if line.startswith(b"grown")]
    assert states == sorted(states)
    assert states[-1] == 4999
    # What the pipe held, and one that waited.
    assert len(states) < PIPE_BYTES / len(b"grown 1\n") + 10
    assert outbox.flush(5)


def test_a_report_longer_than_the_pipe_is_whole(pipe: tuple[int, int]) -> None:
    read, write = pipe
    outbox = Outbox(write)
    outbox.put(b"x" * 20_000 + b"\n", "state")
    outbox.put(b"y\n", "state")
    assert read_lines(read, b"y") == [b"x" * 20_000, b"y"]


def test_a_parent_that_is_gone_is_not_waited_for(pipe: tuple[int, int]) -> None:
    read, write = pipe
    outbox = Outbox(write)
    for _ in range(2):
        outbox.put(b"x" * 20_000 + b"\n")
    waiting = threading.Thread(target=outbox.flush)
    waiting.start()
    os.close(read)
    waiting.join(5)
    assert not waiting.is_alive()
    outbox.put(b"y\n")
    assert outbox.flush(0)
