"""Small recordings and their reports, and words that mean harm."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sse_tui.eventstream import encode
from sse_tui.metrics import Bounds
from sse_tui.offline import report
from sse_tui.offline.report import Report, parse_expectations
from sse_tui.recording.records import Close, End, Header, Phase, Record, Request, Response, chunk

MS = 1_000_000
STREAM = [("content-type", "text/event-stream")]
EVIL = "</pre><script>alert(1)</script>\"'`|@all #1 ]]> \x1b[31m\x00\u202e${x} $(id) https://evil.test"


def delta(**fields: object) -> bytes:
    choice = {"index": 0, "delta": fields, "finish_reason": None}
    return encode(data=json.dumps({"object": "chat.completion.chunk", "model": "m", "choices": [choice]}))


def story(
    *words: str, turn: int = 1, conn: int = 1, end: bytes = b"", close: str = "eof", t: int = 0
) -> list[Record]:
    """One answer, a word every 20 ms after the first at 100 ms."""
    at: dict[str, Any] = {"turn": turn, "conn": conn}
    records: list[Record] = [
        Request(
            t=t, method="POST", url="http://h/v1", headers=[("accept", "text/event-stream")], body="{}", **at
        ),
        Phase(t=t + MS, name="sent", dt=MS, **at),
        Response(t=t + 50 * MS, status=200, http_version="HTTP/1.1", headers=STREAM, **at),
    ]
    t += 100 * MS
    for word in words:
        records.append(chunk(t, delta(content=word), **at))
        t += 20 * MS
    if not end:
        finish = {
            "object": "chat.completion.chunk",
            "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}],
        }
        end = encode(data=json.dumps(finish)) + encode(data="[DONE]")
    records += [chunk(t, end, **at), Close(t=t, reason=close, **at)]
    return records


def report_of(
    records: Sequence[Record],
    expect: str = "",
    *,
    name: str = "a.sse.jsonl",
    clock: str = "read",
    bounds: Bounds | None = None,
) -> Report:
    end = End(t=records[-1].t if records else 0, reason="done")
    expectations = parse_expectations(expect) if expect else []
    return report.report_of(Header(clock=clock), [*records, end], name, expectations=expectations, slo=bounds)
