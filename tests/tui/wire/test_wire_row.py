from __future__ import annotations

import json
from typing import Any

import pytest

from sse_tui.analysis.analysis import Analysis
from sse_tui.recording.records import Close, End, Fault, Note, Reconnect, Request, Response, chunk
from sse_tui.tui.wire.wire_row import cells, content, kind, milliseconds
from sse_tui.wirelog.rows import Row

MS = 1_000_000


def rows(*records: Any) -> list[Row]:
    """The rows of records, as the table would read them back."""
    analysis = Analysis(dialect="openai-chat")
    made: list[Row] = []
    for record in records:
        for entry in analysis.feed(record):
            item, label = entry.item, "repeat" if entry.repeat else entry.label
            start, end = (item.start, item.end) if item is not None else (0, 0)
            made.append(
                Row(len(made), label, entry.conn, entry.number, start, end, entry.t, entry.gap_ms, entry.same_read,
                    b"", item, tuple(entry.deltas), entry.record, entry.span)
            )  # fmt: skip
    return made


def event(delta: dict[str, object], **more: object) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": None} | more
    return b"data: " + json.dumps({"choices": [choice]}).encode() + b"\n\n"


REQUEST = Request(t=0, turn=1, conn=1, method="POST", url="http://h/v1/x?y=1", headers=[])
HEAD = Response(
    t=MS, turn=1, conn=1, status=200, http_version="HTTP/1.1", headers=[("Content-Type", "text/event-stream")]
)


@pytest.mark.parametrize(
    ("record", "shown_kind", "shown"),
    [
        (REQUEST, "request", "POST /v1/x?y=1"),
        (HEAD, "response", "200 HTTP/1.1  text/event-stream"),
        (Fault(t=0, plan="cut@now", at="now", did="closed it"), "FAULT", "closed it (cut@now)"),
        (
            Reconnect(t=0, delay_ms=200.4, last_event_id="41", policy="p", attempt=2),
            "RETRY 2",
            "Last-Event-ID: 41  in 200 ms",
        ),
        (Reconnect(t=0, delay_ms=1, last_event_id="", policy="p"), "RETRY 1", "no Last-Event-ID  in 1 ms"),
        (
            Reconnect(t=0, delay_ms=1, last_event_id="", policy="p", url="http://h/b"),
            "RETRY 1",
            "no Last-Event-ID  in 1 ms  to http://h/b, where the redirects led",
        ),
        (Close(t=0, reason="reset", detail="by peer"), "close", "reset: by peer"),
        (Note(t=0, text="here\x1b[2J"), "note", "here␛[2J"),
        (End(t=0, reason="quit"), "end", "quit"),
    ],
)  # fmt: skip
def test_records(record: Any, shown_kind: str, shown: str) -> None:
    row = Row(0, record.kind, 1, 0, 0, 0, 0, None, False, b"", None, (), record, None)
    assert (kind(row), content(row)) == (shown_kind, shown)


def test_a_resumed_request_names_the_id() -> None:
    headers = [("Last-Event-ID", "7")]
    (row,) = rows(Request(t=0, turn=1, conn=1, method="GET", url="https://h/s", headers=headers))
    assert content(row) == "GET /s  Last-Event-ID: 7"


def test_events_by_what_they_mean() -> None:
    data = b"".join(
        [
            event({"role": "assistant", "content": ""}),
            event({"content": " stream\n"}),
            event({"reasoning_content": "hm"}),
            event({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "f", "arguments": "{"}}]}),
            event({}, finish_reason="stop"),
            b'data: {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4}}\n\n',
            b"data: [DONE]\n\n",
        ]
    )
    shown = [
        (kind(row), content(row)) for row in rows(REQUEST, HEAD, chunk(2 * MS, data, turn=1, conn=1))[2:]
    ]
    assert shown == [
        ("role", "role=assistant"),
        ("token", '" stream\\n"'),
        ("reasoning", '"hm"'),
        ("tool", "f[0] {"),
        ("finish", "finish=stop"),
        ("usage", "in 3 out 4"),
        ("done", "[DONE]"),
    ]


def test_lines_that_are_no_events() -> None:
    data = b": ping\nretry: 3000\nnonsense\nevent: x\n\ndata: half"
    made = rows(
        REQUEST, HEAD, chunk(2 * MS, data, turn=1, conn=1), Close(t=3 * MS, turn=1, conn=1, reason="eof")
    )
    shown = {row.label: content(row) for row in made}
    assert shown["comment"] == ": ping"
    assert shown["retry"] == "retry: 3000 ms"
    assert shown["ignored"] == "nonsense"
    assert shown["tail"] == 'discarded, never dispatched: "data: half"'


def test_a_gap_inside_a_read_is_a_ditto_mark_and_an_unknown_one_a_dash() -> None:
    two = event({"content": "a"}) + event({"content": "b"})
    made = rows(
        REQUEST,
        HEAD,
        chunk(2 * MS, two, turn=1, conn=1),
        chunk(30 * MS, event({"content": "c"}), turn=1, conn=1),
    )
    assert [cells(row, 0).gap for row in made[2:]] == ["-", '"', "28.0"]
    assert [cells(row, MS).t_ms for row in made[2:]] == ["1.0", "1.0", "29.0"]
    assert cells(made[2], None).t_ms == "-"


def test_times_have_a_decimal_below_ten_seconds() -> None:
    assert [milliseconds(value) for value in (0.04, 46.93, 9999.0, 12345.6)] == [
        "0.0",
        "46.9",
        "9999.0",
        "12346",
    ]
