"""A recording that expands, in the session behind the TUI: read a slice at a time, and each row's bytes are there."""

from __future__ import annotations

import gzip
from pathlib import Path

from sse_tui.recording import Redactor, Writer
from sse_tui.recording.records import Close, Header, Request, Response, chunk
from sse_tui.session.live import Live
from sse_tui.session.spec import SessionSpec

HEADERS = [("Content-Type", "text/event-stream"), ("Content-Encoding", "gzip")]


def recorded(path: Path, body: bytes) -> Path:
    with Writer(path, Header(), Redactor()) as writer:
        writer.write(Request(t=0, turn=1, conn=1, method="GET", url="http://127.0.0.1:9/", headers=[]))
        writer.write(Response(t=1, turn=1, conn=1, status=200, http_version="HTTP/1.1", headers=HEADERS))
        writer.write(chunk(2, body, turn=1, conn=1))
        writer.write(Close(t=3, turn=1, conn=1, reason="eof"))
    return path


async def test_a_poll_keeps_to_its_time_whatever_a_read_expands_to(tmp_path: Path) -> None:
    path = recorded(tmp_path / "r.sse.jsonl", gzip.compress(b":\n" * 10_000_000))
    live = Live(SessionSpec(mode="open", path=path))
    await live.start()
    polls, largest = 0, 0
    while True:
        largest = max(largest, len(live.poll(0.001)))
        polls += 1
        if not live.behind:
            break
        assert polls < 10_000
    assert polls > 4
    assert largest < 40_000
    assert [finding.rule for finding in live.analysis.findings if finding.severity == "error"] == [
        "runaway-compression"
    ]
    assert len(live.rows) > 100_000
    await live.close()


async def test_rows_of_every_slice_are_read_back(tmp_path: Path) -> None:
    body = b"".join(b"data: %d\n\n" % n for n in range(30_000))
    live = Live(SessionSpec(mode="open", path=recorded(tmp_path / "r.sse.jsonl", gzip.compress(body))))
    await live.start()
    while True:
        live.poll(0.001)
        if not live.behind:
            break
    assert live.reader is not None
    events = [index for index in range(len(live.rows)) if live.rows.label(index) == "event"]
    assert len(events) == 30_000
    for number in (0, 6_999, 15_000, 29_999):
        row = live.rows.row(events[number], live.reader)
        assert row.raw.startswith(b"data: %d\n" % number)
        assert row.t_ns == 2
    await live.close()
