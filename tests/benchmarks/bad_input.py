"""Input without end or measure: ``python -m tests.benchmarks.bad_input [NAME...] [--scale X]``, at full size.

Each is made as it is sent and piped into ``sse-tui report -``: seconds, the most memory that took, and both for a
tenth of it, so that what grows faster than its input shows. `tests/cli/test_bad_input.py` runs the same, scaled down.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

MB = 10**6
PIECE = 1 << 16


class Ended(NamedTuple):
    """How a run ended: its exit code, seconds, the most memory in MB, and what it wrote."""

    code: int
    seconds: float
    memory_mb: float
    out: str


def repeated(block: bytes, size: int) -> Iterator[bytes]:
    """`size` bytes of the block over and over."""
    piece = block * (PIECE // len(block) + 1)
    for _ in range(size // len(piece)):
        yield piece
    yield piece[: size % len(piece)]


def with_ends(start: bytes, middle: Iterator[bytes], end: bytes) -> Iterator[bytes]:
    """The middle between two ends."""
    yield start
    yield from middle
    yield end


INPUTS: dict[str, tuple[int, Callable[[int], Iterator[bytes]]]] = {
    # Full size in bytes, and what makes as much as is asked for.
    "data-lines": (1000 * MB, lambda size: repeated(b"data: x\n", size)),
    "tiny-events": (1000 * MB, lambda size: repeated(b"data: x\n\n", size)),
    "one-line": (100 * MB, lambda size: with_ends(b"data: ", repeated(b"x", size), b"\n\n")),
    "one-name": (100 * MB, lambda size: repeated(b"x", size)),
    "comments": (100 * MB, lambda size: repeated(b": \n", size)),
    "deep-json": (10 * MB, lambda size: with_ends(b"data: ", repeated(b"[", size), b"\n\n")),
    "deep-objects": (10 * MB, lambda size: with_ends(b"data: ", repeated(b'{"choices":[', size), b"\n\n")),
    "deep-document": (10 * MB, lambda size: with_ends(b'{"log":{"entries":', repeated(b"[", size), b"")),
    "long-number": (10 * MB, lambda size: with_ends(b'data: {"choices":', repeated(b"9", size), b"}\n\n")),
    "blank-lines": (100 * MB, lambda size: repeated(b"\n", size)),
}


def report(pieces: Iterator[bytes]) -> Ended:
    """Pipe them into ``sse-tui report -``."""
    command = [sys.executable, "-m", "sse_tui", "report", "-"]
    began = time.monotonic()
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=os.environ.copy(),
    )
    feeder = threading.Thread(target=_feed, args=(process, pieces), daemon=True)
    feeder.start()
    peaks: list[float] = [0.0]
    watcher = threading.Thread(target=_watch, args=(process.pid, peaks), daemon=True)
    watcher.start()
    assert process.stdout is not None
    out = process.stdout.read().decode("utf-8", "replace")
    process.wait()
    feeder.join()
    watcher.join()
    return Ended(process.returncode, time.monotonic() - began, max(peaks), out)


def _watch(pid: int, peaks: list[float]) -> None:
    """Note the most memory so far, MB, until the process is gone.

    Not by wait4: a child's account begins with what its parent held when it forked.
    """
    with contextlib.suppress(OSError):
        while found := re.search(
            r"VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text("ascii", "replace")
        ):
            peaks.append(int(found[1]) / 1024)
            time.sleep(0.01)


def _feed(process: subprocess.Popen[bytes], pieces: Iterator[bytes]) -> None:
    assert process.stdin is not None
    try:
        for piece in pieces:
            process.stdin.write(piece)
        process.stdin.close()
    except BrokenPipeError:
        pass


def main(arguments: list[str]) -> int:
    """Print a line for each; the number of those that crashed."""
    options = argparse.ArgumentParser()
    options.add_argument("names", nargs="*", choices=[[], *INPUTS])
    options.add_argument("--scale", type=float, default=1.0)
    given = options.parse_args(arguments)
    bad = 0
    print(f"{'':<14}{'MB':>6}{'exit':>6}{'s':>8}{'memory MB':>11}   {'a tenth: s':>10}{'memory MB':>11}")
    for name in given.names or INPUTS:
        size, make = INPUTS[name]
        size = int(size * given.scale)
        small, whole = report(make(size // 10)), report(make(size))
        bad += whole.code not in (0, 1, 2)
        print(
            f"{name:<14}{size / MB:>6.0f}{whole.code:>6}{whole.seconds:>8.1f}{whole.memory_mb:>11.0f}"
            f"   {small.seconds:>10.1f}{small.memory_mb:>11.0f}",
            flush=True,
        )
    return bad


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
