"""Times of what comes through a pipe: those at which it came, whatever its reader is busy with."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable

import pytest

from sse_tui.offline import stamped_pipe
from sse_tui.offline.opening import Piped
from sse_tui.offline.stamped_pipe import StampedPipe
from sse_tui.recording.records import Chunk

GAP_S = 0.02
LATE_NS = 15_000_000 + int(GAP_S * 1e9)


def write_at_pace(fd: int, count: int, data: Callable[[int], bytes]) -> list[int]:
    """Write numbered pieces in a thread, then close; their times in nanoseconds are added to the list as it goes."""
    sent: list[int] = []

    def write() -> None:
        for number in range(count):
            sent.append(time.monotonic_ns())
            os.write(fd, data(number))
            time.sleep(GAP_S)
        os.close(fd)

    threading.Thread(target=write, daemon=True).start()
    return sent


def lateness(times: list[int], sent: list[int]) -> list[int]:
    late = [t - at for t, at in zip(times, sent, strict=True)]
    return [one - min(late) for one in late]


def test_a_reader_that_is_busy_does_not_make_the_times_late() -> None:
    reading, writing = os.pipe()
    sent = write_at_pace(writing, 40, lambda number: b"data: %d\n\n" % number)
    piped = Piped(reading)
    times: dict[int, int] = {}
    for record in piped:
        if isinstance(record, Chunk):
            for line in (record.text or "").split():
                if line.isdigit():
                    times.setdefault(int(line), record.t)
        if len(times) == 1:
            time.sleep(0.5)
    os.close(reading)
    assert sorted(times) == list(range(40))
    assert max(lateness(list(times.values()), sent)) < LATE_NS


def test_an_output_that_nobody_reads_does_not_make_the_times_late() -> None:
    # Some of the output fits into its pipe; the rest waits until it is read, and the program with it.
    filler = "x" * 2000
    with subprocess.Popen(
        [sys.executable, "-m", "sse_tui", "tail", "-", "--json"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        fcntl.fcntl(process.stdout, fcntl.F_SETPIPE_SZ, 4096)
        process.stdin.write(b"data: start\n\n")
        process.stdin.flush()
        first = json.loads(process.stdout.readline())
        sent = write_at_pace(
            os.dup(process.stdin.fileno()), 40, lambda number: f"data: {number} {filler}\n\n".encode()
        )
        process.stdin.close()
        while len(sent) < 40:
            time.sleep(GAP_S)
        items = [json.loads(line) for line in process.stdout]
    assert first["data"] == "start"
    times = [int(item["t_ms"] * 1e6) for item in items if item["kind"] == "event"]
    assert max(lateness(times, sent)) < LATE_NS


def test_only_so_much_is_read_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stamped_pipe, "AHEAD_BYTES", 1000)
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
    os.set_blocking(writing, False)
    pipe = StampedPipe(reading, lambda: 0)
    written = 0
    deadline = time.monotonic() + 0.3
    while time.monotonic() < deadline:
        try:
            written += os.write(writing, b"x" * 500)
        except BlockingIOError:
            time.sleep(0.01)
    # What one read takes, and what the pipe holds.
    assert written <= 1000 + 2 * 4096
    os.close(writing)
    assert sum(len(data) for _, data in pipe) == written
    os.close(reading)


def test_an_error_of_the_pipe_is_raised_behind_what_came_before() -> None:
    master, slave = os.openpty()
    os.write(slave, b"data: 1\n")
    pipe = StampedPipe(master, lambda: 0)
    pieces = iter(pipe)
    assert next(pieces)[1].startswith(b"data: 1")
    os.close(slave)
    # Linux ends a terminal that is gone with EIO.
    with pytest.raises(OSError, match="Input/output error"):
        list(pieces)
    os.close(master)
