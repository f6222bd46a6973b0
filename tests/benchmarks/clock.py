"""How honest the clock is: TTFT and ITL as recorded while the TUI renders, against the server's own write stamps.

    python -m tests.benchmarks.clock [--events 1500] [--gap-ms 8] [--rounds 2]

A server in a process of its own stamps each write just before it sends. The same stream is read three ways, in turn:
by ``sse-tui inspect`` in a terminal of 120 by 36 that is really drawn, by ``sse-tui tail``, and by a plain httpx
client that does nothing else. The error of a gap is the difference between the gap as read and the gap as written;
the error of TTFT is that of the time between the request's arrival and the first token. Run it on an idle machine.
"""

from __future__ import annotations

import argparse
import asyncio
import fcntl
import json
import os
import pty
import random
import select
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
from collections.abc import Callable
from pathlib import Path

import httpx

from sse_tui.analysis.analysis import Analysis
from sse_tui.eventstream import Event, Parser, encode
from sse_tui.metrics.percentiles import summarize
from sse_tui.recording import read_recording

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"


def serve(events: int, gap_s: float) -> None:
    """Serve one stream a connection; print the port, then one line of stamps a connection."""
    jitter = random.Random(1)
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    while True:
        connection, _ = listener.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while b"\r\n\r\n" not in connection.recv(65536):
            pass
        stamps = [time.monotonic_ns()]
        connection.sendall(HEAD)
        due = time.monotonic() + 0.1
        for number in range(events):
            time.sleep(max(0.0, due - time.monotonic()))
            due += gap_s * jitter.uniform(0.5, 1.5)
            delta = {"content": f"word{number} "}
            chunk = {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta}]}
            data = encode(data=json.dumps(chunk), id=f"s-{number}")
            stamps.append(time.monotonic_ns())
            connection.sendall(data)
        connection.sendall(encode(data="[DONE]", id=f"s-{events}"))
        connection.close()
        print(json.dumps(stamps), flush=True)


def of_recording(path: Path, events: int) -> list[int]:
    """The request's start and the time of each token, as the recording has them."""
    recording = read_recording(path)
    analysis = Analysis(recording.header)
    times = [
        entry.t
        for record in recording
        for entry in analysis.feed(record)
        if entry.label == "token" and entry.t is not None
    ]
    start = analysis.turns[0].clocks.t0
    assert start is not None
    assert len(times) == events
    return [start, *times]


def by_tui(url: str, folder: Path, events: int) -> list[int]:
    """Read by the TUI, drawn into a terminal that somebody empties."""
    path = folder / f"tui-{time.monotonic_ns()}.sse.jsonl"
    pid, master = pty.fork()
    if pid == 0:
        os.environ["TERM"] = "xterm-256color"
        os.execv(sys.executable, [sys.executable, "-m", "sse_tui", "inspect", url, "--record", str(path)])
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 36, 120, 0, 0))
    drawn = 0
    finished = False
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        ready, _, _ = select.select([master], [], [], 0.2)
        if ready:
            try:
                drawn += len(os.read(master, 65536))
            except OSError:
                break
        if not finished and path.exists() and b'"k":"close"' in path.read_bytes()[-4096:]:
            finished = True
            threading.Timer(0.5, os.write, (master, b"\x11")).start()
    os.waitpid(pid, 0)
    print(f"    (the TUI drew {drawn / 1e6:.1f} MB)")
    return of_recording(path, events)


def by_tail(url: str, folder: Path, events: int) -> list[int]:
    """Read by ``sse-tui tail``."""
    path = folder / f"tail-{time.monotonic_ns()}.sse.jsonl"
    command = [sys.executable, "-m", "sse_tui", "tail", url, "--record", str(path)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return of_recording(path, events)


async def by_httpx(url: str) -> list[int]:
    """Read by httpx alone, stamped when the loop hands the bytes over."""
    parser, stamps = Parser(), []
    async with httpx.AsyncClient() as client:
        stamps.append(time.monotonic_ns())
        async with client.stream("GET", url, headers={"Accept": "text/event-stream"}) as response:
            async for chunk in response.aiter_raw():
                now = time.monotonic_ns()
                stamps += [
                    now for item in parser.feed(chunk) if isinstance(item, Event) and item.data != "[DONE]"
                ]
    return stamps


def errors(read: list[int], written: list[int]) -> tuple[list[float], float]:
    """The error of each gap and of TTFT, ms."""
    gaps = [
        abs((read[i + 1] - read[i]) - (written[i + 1] - written[i])) / 1e6 for i in range(1, len(written) - 1)
    ]
    return gaps, ((read[1] - read[0]) - (written[1] - written[0])) / 1e6


def main() -> None:
    """Run the rounds and print a table."""
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("--events", type=int, default=1500)
    arguments.add_argument("--gap-ms", type=float, default=8.0)
    arguments.add_argument("--rounds", type=int, default=2)
    arguments.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = arguments.parse_args()
    if options.serve:
        serve(options.events, options.gap_ms / 1000)
        return
    command = [sys.executable, "-m", "tests.benchmarks.clock", "--serve"]
    command += ["--events", str(options.events), "--gap-ms", str(options.gap_ms)]
    found: dict[str, list[float]] = {}
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server,
        tempfile.TemporaryDirectory() as name,
    ):
        assert server.stdout is not None
        url = f"http://127.0.0.1:{int(server.stdout.readline())}/stream"
        readers: dict[str, Callable[[], list[int]]] = {
            "sse-tui inspect": lambda: by_tui(url, Path(name), options.events),
            "sse-tui tail": lambda: by_tail(url, Path(name), options.events),
            "httpx, idle": lambda: asyncio.run(by_httpx(url)),
        }
        for number in range(options.rounds):
            print(f"round {number + 1}")
            for reader, run in readers.items():
                read = run()
                gaps, ttft = errors(read, json.loads(server.stdout.readline()))
                found.setdefault(reader, []).extend(gaps)
                print(f"    {reader:<16} TTFT error {ttft:+.3f} ms")
        server.kill()
    print(f"\n{'error of a gap, ms':<18} {'p50':>8} {'p95':>8} {'p99':>8} {'max':>8} {'n':>7}")
    for reader, gaps in found.items():
        s = summarize(gaps)
        print(f"{reader:<18} {s.p50:8.3f} {s.p95:8.3f} {s.p99_or_max:8.3f} {s.max:8.3f} {s.n:7d}")
    ratio = summarize(found["httpx, idle"]).p50 or 0.0
    ours = summarize(found["sse-tui inspect"]).p50 or 1.0
    print(f"\nmedian error of idle httpx / ours while rendering: {ratio / ours:.1f}")


if __name__ == "__main__":
    main()
