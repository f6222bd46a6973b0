"""Time to the first paint, until the endpoint is ready, and of ``--help`` and of a report.

    python -m tests.benchmarks.startup [--runs 5]

The first paint is the time from starting the process to the first full screen on a real pseudo terminal; the model is
not waited for, which the second figure shows with the scripted engine. ``python -c pass`` is what no program can beat.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import select
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable
from pathlib import Path

RECORDING = str(Path(__file__).parents[1] / "data" / "recordings" / "resumed.sse.jsonl")


def painted(arguments: list[str], marks: list[str], limit_s: float = 60) -> list[float]:
    """Seconds from the start until each of the marks was written to the terminal."""
    master, slave = pty.openpty()
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 36, 120, 0, 0))
    with tempfile.TemporaryDirectory() as state:
        env = {**os.environ, "TERM": "xterm-256color", "SSE_TUI_STATE_DIR": state}
        start = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-m", "sse_tui", *arguments],
            stdin=slave, stdout=slave, stderr=slave, env=env, start_new_session=True,
        )  # fmt: skip
        seen, times = b"", []
        for mark in marks:
            while mark.encode() not in seen and time.perf_counter() - start < limit_s:
                if select.select([master], [], [], 0.5)[0]:
                    seen += os.read(master, 65536)
            times.append(time.perf_counter() - start)
        os.write(master, b"\x11")
        while process.poll() is None and time.perf_counter() - start < limit_s:
            # What it writes while it ends must be read, or it would wait for us.
            if select.select([master], [], [], 0.05)[0]:
                os.read(master, 65536)
    os.close(master)
    os.close(slave)
    return times


def command(*arguments: str) -> float:
    """Seconds that a Python process with these arguments takes."""
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def median_ms(measure: Callable[[], float], runs: int) -> float:
    """The median of the runs after one that fills the caches."""
    measure()
    return statistics.median(measure() for _ in range(runs)) * 1000


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    print(f"python -c pass       {median_ms(lambda: command('-c', 'pass'), runs):8.0f} ms")
    print(f"sse-tui --help       {median_ms(lambda: command('-m', 'sse_tui', '--help'), runs):8.0f} ms")
    report = ["-m", "sse_tui", "report", "--fail-on", "never", RECORDING]
    print(f"sse-tui report       {median_ms(lambda: command(*report), runs):8.0f} ms")
    chat = ["chat", "--engine", "scripted"]
    times = [painted(chat, ["1 Answer", "READY"]) for _ in range(runs + 1)][1:]
    print(f"chat, first paint    {statistics.median(first for first, _ in times) * 1000:8.0f} ms")
    print(f"chat, endpoint ready {statistics.median(ready for _, ready in times) * 1000:8.0f} ms")


if __name__ == "__main__":
    main()
