"""A capture process that is stopped for a while: no byte is lost, no time is invented, and what waited is marked."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

from sse_tui.processes.messages import line
from sse_tui.recording import read_recording
from sse_tui.recording.records import Chunk
from sse_tui.session.capture import protocol
from sse_tui.session.requests import TurnSpec
from sse_tui.transport import StreamRequest
from tests.session.capture.stamped_server import StampedServer

STOPPED_S = 1.0
# Between the two clocks, and what a busy machine does to the server's own stamps.
SLACK_NS = 30_000_000


def recorded(path: Path) -> int:
    return sum(
        (record.text or "").count("data: ") for record in read_recording(path) if isinstance(record, Chunk)
    )


def test_what_came_while_it_was_stopped_is_there_and_marked(tmp_path: Path) -> None:
    path = tmp_path / "r.sse.jsonl"
    with (
        StampedServer.running(0.02) as server,
        subprocess.Popen(
            [sys.executable, "-m", "sse_tui.session.capture.process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as capture,
    ):
        assert capture.stdin is not None
        assert capture.stdout is not None
        capture.stdin.write(line(protocol.Open(str(path))))
        capture.stdin.write(line(protocol.RunTurn(1, TurnSpec(StreamRequest("GET", server.url)))))
        capture.stdin.flush()
        opened = protocol.read_report(capture.stdout.readline())
        server.wait(20)
        stopped = time.monotonic_ns()
        capture.send_signal(signal.SIGSTOP)
        time.sleep(STOPPED_S)
        capture.send_signal(signal.SIGCONT)
        continued = time.monotonic_ns()
        server.wait(len(server.sent) + 20)
        while recorded(path) < len(server.sent) - 20:
            assert time.monotonic_ns() - continued < 10e9
            time.sleep(0.02)
        capture.stdin.close()
        assert capture.wait(10) == 0
    assert isinstance(opened, protocol.Opened)
    seen, waited_ns = [], 0
    for record in read_recording(path):
        if isinstance(record, Chunk):
            for number in (int(line[6:]) for line in (record.text or "").splitlines() if line):
                sent = server.sent[number] - opened.origin_ns
                seen.append(number)
                # It came at its time, or within what the mark allows before it.
                assert record.t - record.waited - SLACK_NS < sent < record.t + SLACK_NS, number
            if stopped < record.t + opened.origin_ns < continued + SLACK_NS:
                waited_ns = max(waited_ns, record.waited)
    assert seen == list(range(len(seen)))
    assert STOPPED_S * 0.8e9 < waited_ns < STOPPED_S * 3e9
    report = subprocess.run(
        [sys.executable, "-m", "sse_tui", "report", str(path), "--format", "json"],
        stdout=subprocess.PIPE,
        timeout=60,
        check=False,
    )
    findings = {finding["rule"]: finding for finding in json.loads(report.stdout)["findings"]}
    assert findings["late-read"]["evidence"]["longest_s"] > STOPPED_S * 0.8
    assert "proxy-buffering" not in findings
