"""Each finding has the row that it is about, whenever it arises."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sse_tui.recording import Redactor, Writer
from sse_tui.recording.records import Close, Header, Record, Request, Response, chunk
from sse_tui.session.live import Live
from sse_tui.session.spec import SessionSpec

BODY = (
    b'data: {"choices":[{"delta":{"content":"a"}}]}\n\n'
    b": beat\n\n"
    b"nonsense\n"
    b"data: not json\n\n"
    b'data: {"choices":[{"delta":{"content":"\xff"}}]}\n\n'
    b"data: cut"
)


def records(conn: int, size: int) -> list[Record]:
    at: dict[str, Any] = {"turn": 1, "conn": conn}
    made: list[Record] = [
        Request(t=0, method="GET", url="http://h/s", headers=[], dialect="openai-chat", **at),
        Response(
            t=1, status=200, http_version="HTTP/1.1", headers=[("content-type", "text/event-stream")], **at
        ),
    ]
    made += [chunk(2 + n, BODY[n : n + size], **at) for n in range(0, len(BODY), size)]
    return [*made, Close(t=9_000, reason="eof", detail="", **at)]


@pytest.mark.parametrize("size", [1, 7, 40, 1_000])
@pytest.mark.parametrize("step", [1, 10_000])
async def test_every_finding_has_its_row(tmp_path: Path, size: int, step: int) -> None:
    path = tmp_path / "r.sse.jsonl"
    with Writer(path, Header(clock="read"), Redactor()) as writer:
        for record in records(1, size) + records(2, size):
            writer.write(record)
    live = Live(SessionSpec(mode="open", path=path))
    await live.start()
    try:
        while live.behind or not live.rows:
            live.poll(0 if step == 1 else 60)
        assert {finding.conn for finding in live.found.findings} == {1, 2}
        labels = {"invalid-json-event": "malformed", "unknown-field": "ignored", "unterminated-tail": "tail"}
        assert set(labels) <= {finding.rule for finding in live.found.findings}
        assert live.reader is not None
        for number, finding in enumerate(live.found.findings):
            index = live.found.row(number)
            assert index is not None, finding
            assert live.rows.conn(index) == finding.conn, finding
            row = live.rows.row(index, live.reader)
            assert number in live.found.at(index)
            if finding.event is not None:
                assert row.number == finding.event
            elif finding.start is not None:
                assert row.start <= finding.start < row.end, (finding, row)
            if finding.rule in labels:
                assert row.label == labels[finding.rule]
        marked = [index for index in range(len(live.rows)) if live.found.worst(index)]
        assert 4 <= len(marked) < len(live.rows)
        assert sum(live.found.counts().values()) == len(live.found.findings)
    finally:
        await live.close()
