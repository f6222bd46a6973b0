"""What the encoder writes is what the parser reads."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sse_tui.errors import SseTuiError
from sse_tui.eventstream import Comment, Event, FieldError, Item, NoData, Parser, Retry, comment, encode

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
LINE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"))
ID = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n\0"))


def parsed(body: bytes) -> list[Item]:
    parser = Parser()
    return parser.feed(body) + parser.close()


@pytest.mark.parametrize(
    ("fields", "body"),
    [
        ({"data": "x"}, b"data: x\n\n"),
        ({"data": ""}, b"data: \n\n"),
        ({"data": " x"}, b"data:  x\n\n"),
        ({"data": "a\nb\n"}, b"data: a\ndata: b\ndata: \n\n"),
        ({"data": "a\r\nb\rc\n\rd"}, b"data: a\ndata: b\ndata: c\ndata: \ndata: d\n\n"),
        ({"data": "a\u2028b\x0bc\x85"}, "data: a\u2028b\x0bc\x85\n\n".encode()),
        ({"data": "é\0"}, "data: é\0\n\n".encode()),
        ({"type": "ping", "data": "{}"}, b"event: ping\ndata: {}\n\n"),
        (
            {"data": "x", "retry": 250, "type": "t", "id": "s-1"},
            b"id: s-1\nretry: 250\nevent: t\ndata: x\n\n",
        ),
        ({"id": ""}, b"id: \n\n"),
        ({"retry": 0}, b"retry: 0\n\n"),
        ({"type": "end"}, b"event: end\n\n"),
    ],
)
def test_bytes(fields: Any, body: Any) -> None:
    assert encode(**fields) == body


@given(TEXT, st.none() | LINE, st.none() | ID, st.none() | st.integers(0, 2**53 - 1))
def test_round_trip(data: Any, type: Any, id: Any, retry: Any) -> None:
    body = encode(data=data, type=type, id=id, retry=retry)
    *before, event = parsed(body)
    assert event == Event(type or "message", re.sub("\r\n?", "\n", data), id or "", 0, len(body))
    assert all(isinstance(item, Retry) for item in before)
    assert [item.ms for item in before if isinstance(item, Retry)] == ([] if retry is None else [retry])


@given(LINE, ID)
def test_round_trip_without_data(type: Any, id: Any) -> None:
    body = encode(type=type, id=id)
    assert parsed(body) == [NoData(type, id, 0, len(body))]


@given(LINE)
def test_comment_round_trip(text: Any) -> None:
    body = comment(text)
    assert parsed(body) == [Comment(text, 0, len(body))]
    assert parsed(comment(text, blank=True)) == [Comment(text, 0, len(body))]


def test_a_comment_has_a_single_line_end_unless_told() -> None:
    assert comment() == b":\n"
    assert comment(" ping") == b": ping\n"
    assert comment(" ping", blank=True) == b": ping\n\n"


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"type": "a\nb", "data": ""}, "event-has-line-end"),
        ({"type": "a\rb", "data": ""}, "event-has-line-end"),
        ({"id": "a\n"}, "id-has-line-end"),
        ({"id": "\r"}, "id-has-line-end"),
        ({"id": "a\0b"}, "id-has-nul"),
        ({"retry": -1}, "retry-not-ms"),
        ({"retry": 1.5}, "retry-not-ms"),
        ({"retry": True}, "retry-not-ms"),
        ({"data": "\ud800"}, "not-utf-8"),
        ({}, "event-empty"),
    ],
)
def test_what_no_stream_can_carry(fields: Any, code: Any) -> None:
    with pytest.raises(FieldError) as caught:
        encode(**fields)
    assert caught.value.code == code
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, SseTuiError)


def test_a_comment_is_one_line() -> None:
    with pytest.raises(FieldError, match="line end"):
        comment("a\ndata: injected")
