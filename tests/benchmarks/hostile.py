"""The endpoint under hostile peers: its memory, and what a good client beside each attack notices.

    python -m tests.benchmarks.hostile [--seconds 4] [NAME...]

The endpoint runs in a process of its own, as for a user. A good client asks for a short stream on a new connection
every few milliseconds, first alone, then while another process attacks. Its 99th percentile may double, or be
`FAST_MS`, and the endpoint's memory may grow by `GROWTH_MB`. The attacks are the lists `ATTACKS` of the modules
``hostile_*.py``.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks._attack import TOKEN, Attack, connect, post

GROWTH_MB = 64.0
FAST_MS = 50.0
PAUSE_S = 0.01
GOOD = post(
    b'{"messages":[{"role":"user","content":"hi"}],"stream":true,"max_tokens":3}', "Connection: close"
)


def attacks() -> list[Attack]:
    """All of them, in the order of their modules."""
    modules = sorted(path.stem for path in Path(__file__).parent.glob("hostile_*.py"))
    return [each for name in modules for each in importlib.import_module(f"tests.benchmarks.{name}").ATTACKS]


@dataclass
class Served:
    """A running endpoint."""

    port: int
    pid: int

    def memory_mb(self, line: str = "VmRSS") -> float:
        """What the process holds, or with `VmHWM` the most that it held since `forget_peak`."""
        text = Path(f"/proc/{self.pid}/status").read_text()
        return int(text.partition(f"{line}:")[2].split()[0]) / 1024

    def forget_peak(self) -> None:
        """Start `VmHWM` anew."""
        Path(f"/proc/{self.pid}/clear_refs").write_text("5")


@contextmanager
def endpoint(options: tuple[str, ...], descriptors: int | None) -> Iterator[Served]:
    """An endpoint in a process of its own that may open so many descriptors."""
    command = [sys.executable, "-m", "sse_tui", "serve", "--supervised", "--host", "127.0.0.1", "--port", "0"]

    def limit() -> None:
        if descriptors is not None:
            resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))

    with subprocess.Popen(
        [*command, *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"SSE_TUI_TOKEN": TOKEN},
        preexec_fn=limit,
    ) as process:
        assert process.stdout is not None
        said = {"status": ""}
        while said["status"] != "ready":
            said = json.loads(process.stdout.readline())
        try:
            yield Served(int(said["url"].rpartition(":")[2]), process.pid)
        finally:
            try:
                process.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()


@dataclass
class Seen:
    """What the good client saw: the time of each answer in milliseconds, and how many requests were not answered."""

    times: list[float]
    failed: int = 0

    @property
    def p99(self) -> float:
        return sorted(self.times)[int(len(self.times) * 0.99)] if self.times else float("inf")


def good_client(port: int, end: float) -> Seen:
    """Ask until `end`."""
    seen = Seen([])
    while time.monotonic() < end:
        start = time.perf_counter()
        answer = b""
        try:
            with connect(port, 10) as sock:
                sock.sendall(GOOD)
                while chunk := sock.recv(65536):
                    answer += chunk
        except OSError:
            pass
        if b" 200 " in answer[:20] and b"data: [DONE]" in answer:
            seen.times.append((time.perf_counter() - start) * 1000)
        else:
            seen.failed += 1
        time.sleep(PAUSE_S)
    return seen


@dataclass
class Outcome:
    """One row of the table."""

    attack: str
    before_mb: float
    peak_mb: float
    alone: Seen
    beside: Seen

    @property
    def bounded(self) -> bool:
        """Whether the endpoint held."""
        fast = self.beside.p99 <= max(2 * self.alone.p99, FAST_MS)
        return fast and not self.beside.failed and self.peak_mb - self.before_mb <= GROWTH_MB

    def row(self) -> str:
        memory = f"{self.before_mb:8.1f} {self.peak_mb:8.1f} {self.peak_mb - self.before_mb:8.1f}"
        asked = len(self.beside.times) + self.beside.failed
        client = f"{self.alone.p99:8.1f} {self.beside.p99:8.1f} {self.beside.failed:5} of {asked:<5}"
        return f"{self.attack:44} {memory} {client} {'held' if self.bounded else 'NOT HELD'}"


HEADING = f"{'':44} {'memory in MB':^26} {'good client, p99 in ms':^31}\n" + (
    f"{'attack':44} {'before':>8} {'peak':>8} {'growth':>8} {'alone':>8} {'beside':>8} {'unanswered':>14}"
)


def measure(attack: Attack, seconds: float) -> Outcome:
    """Attack a fresh endpoint."""
    with endpoint(attack.options, attack.descriptors) as served:
        good_client(served.port, time.monotonic() + 0.5)
        alone = good_client(served.port, time.monotonic() + seconds / 2)
        served.forget_peak()
        before = served.memory_mb()
        command = [sys.executable, "-m", "tests.benchmarks.hostile", "--attack", str(served.port)]
        with subprocess.Popen(
            [*command, "--seconds", str(seconds), attack.name], stdout=subprocess.PIPE
        ) as attacker:
            assert attacker.stdout is not None
            attacker.stdout.readline()
            beside = good_client(served.port, time.monotonic() + seconds)
            attacker.wait()
        return Outcome(attack.name, before, served.memory_mb("VmHWM"), alone, beside)


def main() -> int:
    """Print the table; the number of attacks that the endpoint did not hold against."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="attacks whose name contains this")
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--attack", type=int, metavar="PORT", help=argparse.SUPPRESS)
    given = parser.parse_args()
    wanted = [each for each in attacks() if not given.names or any(name in each.name for name in given.names)]
    if given.attack is not None:
        (attack,) = (each for each in wanted if [each.name] == given.names)
        print("attacking", flush=True)
        attack.run(given.attack, time.monotonic() + given.seconds)
        return 0
    print(HEADING)
    outcomes = []
    for attack in wanted:
        outcomes.append(measure(attack, given.seconds))
        print(outcomes[-1].row(), flush=True)
    return sum(not each.bounded for each in outcomes)


if __name__ == "__main__":
    sys.exit(main())
