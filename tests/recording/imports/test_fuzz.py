"""Whatever an import holds, it gives records or a RecordingError, and what is broken never costs much."""

from __future__ import annotations

import io
import json
import time
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sse_tui.errors import RecordingError
from sse_tui.recording import import_pieces, open_any
from sse_tui.recording.imports import Kind
from sse_tui.recording.record_lines import encode_line
from sse_tui.recording.records import Record

BEGINNINGS: dict[Kind, list[bytes]] = {
    "http": [
        b"HTTP/1.1 200 OK\r\n",
        b"HTTP/2 200 \r\n\r\n",
        b"POST /x HTTP/1.1\r\nContent-Length: 3\r\n\r\n",
    ],
    "curl-verbose": [
        b"* Trying\n> GET / HTTP/1.1\r\n> Host: h\r\n> \r\n< HTTP/1.1 200 OK\r\n",
        b"< HTTP/1.1 ",
    ],
    "timed-log": [b"13:00:00.000 data: x\n", b"2026-11-30T13:00:00Z id: 1\n"],
    "devtools": [b"id\ttype\tdata\ttime\n", b"1\tmessage\tx\t13:00:00.000\n"],
    "har": [b'{"log": {"entries": ['],
    "cassette": [b"interactions:\n", b'{"interactions": ['],
    "event-stream": [b"", b"data: x\n"],
}
PARTS = st.sampled_from(
    [
        b"\r\n",
        b"\n",
        b"\r",
        b"\r\n\r\n",
        b"\n\n",
        b"HTTP/1.1 200 OK\r\n",
        b"HTTP/",
        b"Transfer-Encoding: chunked\r\n",
        b"Content-Encoding: gzip\r\n",
        b"Content-Length: 5\r\n",
        b"5\r\nhello\r\n",
        b"0\r\n\r\n",
        b"fffffffffffffff\r\n",
        b"< ",
        b"> ",
        b"* ",
        b"< HTTP/1.1 200\r\n",
        b"> GET / HTTP/2\r\n",
        b"> \r\n",
        b"< \r\n",
        b"curl: (18) x\n",
        b"{ [5 bytes data]\n",
        b"13:00:00.000 ",
        b"23:59:59 ",
        b"1.5 ",
        b"9999-99-99T99:99:99Z ",
        b"\t",
        b"\t13:00:00.000\n",
        b"data: x",
        b": ",
        b"id: 1\0",
        b"\xff\xfe",
        "é☃".encode(),
        b"[",
        b"{",
        b"}",
        b"]",
        b":",
        b",",
        b'"',
        b"- ",
        b"&a ",
        b"*a",
        b"!!binary ",
        b"? ",
        b"  ",
        b"request: ",
        b"response: ",
        b"body: ",
        b'{"request":{},"response":{}}',
        b"null",
        b"1e999",
        b"NaN",
        b'"\\ud800"',
        b"-1",
        b"%TAG ! x\n",
        b"---\n",
        b"...\n",
    ]
)
BYTES = st.lists(st.one_of(PARTS, st.binary(max_size=20)), max_size=40).map(b"".join)


@pytest.mark.parametrize("kind", list(BEGINNINGS))
@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_any_bytes(kind: Kind, data: st.DataObject) -> None:
    content = data.draw(st.sampled_from(BEGINNINGS[kind])) + data.draw(BYTES)
    size = data.draw(st.integers(1, len(content) + 1))
    pieces = [(at, content[at : at + size]) for at in range(0, len(content), size)]
    try:
        records = list(import_pieces(kind, pieces, clock="read").records)
        records += list(open_any(io.BytesIO(content)))
    except RecordingError:
        return
    for record in records:
        assert isinstance(record, Record)
        encode_line(record)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
ENTRY = st.fixed_dictionaries(
    {},
    optional={
        "startedDateTime": st.sampled_from(["2026-11-30T13:00:00Z", "0001-01-01T00:00:00+23:59", "x", ""])
        | JSON,
        "timings": st.dictionaries(
            st.sampled_from(["blocked", "dns", "connect", "ssl", "send", "wait", "receive"]), JSON
        )
        | JSON,
        "request": st.dictionaries(st.sampled_from(["method", "url", "headers", "postData"]), JSON) | JSON,
        "response": st.fixed_dictionaries(
            {"content": st.fixed_dictionaries({"text": st.text(max_size=20).map("data: ".__add__)}) | JSON},
            optional={"status": JSON, "headers": JSON, "_error": JSON, "httpVersion": JSON},
        ),
        "_eventSourceMessages": st.lists(
            st.fixed_dictionaries(
                {"time": st.floats() | st.integers(0, 2**40)},
                optional={"data": JSON, "eventName": JSON, "eventId": JSON},
            ),
            max_size=3,
        )
        | JSON,
        "_sseTui": st.dictionaries(
            st.sampled_from(["t", "answered_at", "reads", "phases", "close", "dialect"]), JSON
        )
        | JSON,
    },
)


@settings(max_examples=300, deadline=None)
@given(entries=st.lists(ENTRY, max_size=3), own=JSON)
def test_any_archive(entries: list[object], own: object) -> None:
    content = json.dumps({"log": {"entries": entries, "_sseTui": own}}).encode()
    with suppress(RecordingError):
        for record in open_any(io.BytesIO(content)):
            encode_line(record)


HOSTILE: dict[Kind, bytes] = {
    "http": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1\r\nx\r\n" * 500_000,
    "curl-verbose": b"* x\n< HTTP/1.1 200 OK\r\n< \r\n" + b"data: x\n* remark\n" * 200_000,
    "timed-log": b"".join(b"%d.5 data: x\n" % at for at in range(200_000)),
    "devtools": b"1\tm\tx\t13:00:00\n" * 100_000,
    "event-stream": b"x" * 20_000_000,
}


@pytest.mark.parametrize("kind", list(HOSTILE))
def test_much_of_it_takes_linear_time(kind: Kind) -> None:
    """In pieces as a pipe gives them; quadratic work would take minutes."""
    content = HOSTILE[kind]
    pieces = [(0, content[at : at + 4096]) for at in range(0, len(content), 4096)]
    began = time.monotonic()
    assert sum(1 for _ in import_pieces(kind, pieces, clock="none").records)
    assert time.monotonic() - began < 30
