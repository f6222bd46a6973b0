from __future__ import annotations

import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sse_tui.analysis.turn import Connection
from sse_tui.dialects.base import Text
from sse_tui.eventstream import Event
from sse_tui.recording.records import Close, Request, Response
from sse_tui.tui.detail.detail_lines import (
    LazyLines,
    coloured,
    header_lines,
    hex_lines,
    json_lines,
    text_lines,
)
from sse_tui.tui.drawing.folding import fold
from sse_tui.wirelog.rows import Row


def row(data: str, raw: bytes = b"", start: int = 0) -> Row:
    item = Event("message", data, "7", start, start + len(raw))
    return Row(
        0, "token", 1, 1, start, start + len(raw), 0, None, False, raw, item, (Text("hi"),), None, None
    )


def texts(lines: LazyLines) -> list[str]:
    return ["".join(text for text, _ in lines.line(index)) for index in range(lines.total)]


def test_json_is_indented_and_its_tokens_are_told_apart() -> None:
    lines = json_lines(row('{"a": [1, true, "x\\u001b"]}'))
    assert json.loads("\n".join(texts(lines))) == {"a": [1, True, "x\x1b"]}
    looks = {text: look for index in range(lines.total) for text, look in lines.line(index)}
    assert looks['"a"'] == "key"
    assert looks["1"] == "number"
    assert looks["true"] == "word"
    assert looks['"x\\u001b"'] == "string"


def test_what_is_no_json_is_shown_as_it_came() -> None:
    shown = texts(json_lines(row("plain\ntext")))
    assert shown[0].startswith("not JSON")
    assert shown[-2:] == ["plain", "text"]


def test_the_fields_as_the_standard_sees_them() -> None:
    shown = "\n".join(texts(text_lines(row("payload"))))
    for words in ("type", "message", "id", "7", "payload", "text", "hi"):
        assert words in shown


def test_a_record_shows_what_it_has() -> None:
    plain = Close(t=0, turn=1, conn=1, reason="eof")
    irregular = Close(t=0, turn=1, conn=1, reason="eof", irregular=["lf-in-head", "obs-fold"])
    shown = [
        texts(text_lines(dataclasses.replace(row(""), item=None, deltas=(), record=close)))
        for close in (plain, irregular)
    ]
    assert not any("irregular" in line for line in shown[0])
    assert "lf-in-head, obs-fold" in shown[1][-1]


@given(st.binary(min_size=1, max_size=100), st.integers(0, 1 << 30), st.sampled_from([40, 80, 120]))
def test_the_hex_dump_is_the_bytes_at_their_offsets(raw: bytes, start: int, width: int) -> None:
    lines = hex_lines(row("", raw, start), width)
    found = bytearray()
    for index in range(lines.total):
        (offset, _), (digits, _), _ = lines.line(index)
        assert int(offset, 16) == start + len(found)
        found += bytes.fromhex(digits)
        assert len(texts(lines)[index]) <= width
    assert bytes(found) == raw


def test_headers_of_request_and_response() -> None:
    conn = Connection(3)
    conn.request = Request(
        t=0, method="POST", url="http://h/x", headers=[("Accept", "text/event-stream")], body='{"a":1}'
    )
    conn.response = Response(t=0, status=200, http_version="HTTP/1.1", headers=[("X-\x1b", "v")])
    shown = texts(header_lines(conn, None))
    assert "POST http://h/x" in shown
    assert "Accept: text/event-stream" in shown
    assert '  "a": 1' in shown
    assert "200 HTTP/1.1" in shown
    assert "X-␛: v" in shown
    assert texts(header_lines(None, None)) == ["this row belongs to no connection"]


@given(st.text(alphabet="ab c", min_size=1, max_size=80), st.integers(8, 30))
def test_folded_lines_hold_the_same_characters_within_the_width(text: str, width: int) -> None:
    parts = ["".join(part for part, _ in line) for line in fold([(text, "")], width)]
    assert "".join(parts).replace(" ", "") == text.replace(" ", "")
    assert all(len(part.rstrip(" ")) <= width for part in parts)


def test_a_coloured_line_is_the_line() -> None:
    line = '  "k": [1.5e3, null], "v": "a\\"b"'
    assert "".join(text for text, _ in coloured(line)) == line


@pytest.mark.parametrize("piece", ["x", "e\u0301\U0001f600", "w \n", '{"a": '])
def test_a_payload_of_megabytes_is_cut_in_what_is_laid_out(piece: str) -> None:
    data = piece * 1_000_000
    long = dataclasses.replace(row(data), deltas=(Text(data),))
    for lines in (json_lines(long), text_lines(long)):
        assert sum(len(line) for line in texts(lines)) < 100_000
        assert any("more characters" in line for line in texts(lines))
        for index in range(lines.total):
            fold(lines.line(index), 60)


def test_the_largest_request_body_is_cut_as_well() -> None:
    request = Request(
        t=0, turn=1, conn=1, method="POST", url="http://h/", headers=[], body='{"m": "' + "x" * 3_000_000
    )
    assert sum(len(line) for line in texts(header_lines(Connection(1, request=request), None))) < 100_000
