"""Rows of the EventStream tab."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest

from sse_tui.errors import RecordingError
from sse_tui.eventstream import Event, Parser
from sse_tui.recording import open_any, sniff
from sse_tui.recording.records import Note


def events(body: bytes) -> list[tuple[str, str, str]]:
    return [(item.type, item.data, item.id) for item in Parser().feed(body) if isinstance(item, Event)]


ROWS = (
    b"1\tmessage\t{\"a\":1}\t13:00:00.250\n"
    b"1\tping\ttwo\tcells\t13:00:00.300\n"
    b"2\tmessage\tline one\nline two\t13:00:01.250\n"
    b"2\tmessage\t\t13:00:01.250"
)  # fmt: skip


@pytest.mark.parametrize("titles", [b"", b"Id\tType\tData\tTime\n"])
def test_rows(opened: Callable[..., Any], titles: bytes) -> None:
    assert sniff(titles + ROWS) == "devtools"
    found = opened(titles + ROWS)
    assert found.clock == "imported"
    assert events(found.body) == [
        ("message", '{"a":1}', "1"),
        ("ping", "two\tcells", "1"),
        ("message", "line one\nline two", "2"),
        ("message", "", "2"),
    ]
    assert found.times == [0.0, 50.0, 1000.0, 1000.0]
    assert "put together again" in found.of(Note)[0].text


def test_twelve_hours_and_midnight(opened: Callable[..., Any]) -> None:
    found = opened(b"\tmessage\ta\t11:59:59 PM\n\tmessage\tb\t12:00:01 AM\n")
    assert found.times == [0.0, 2000.0]
    assert [event[2] for event in events(found.body)] == ["", ""]


def test_a_long_message(opened: Callable[..., Any]) -> None:
    found = opened(b"\tmessage\t" + b"x" * 50_000 + b"\t13:00:00.000\r\n\tm\ty\t13:00:00.001\r\n")
    assert [len(event[1]) for event in events(found.body)] == [50_000, 1]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"id\ttype\tdata\ttime\n1\tmessage\tno time\n", "Row 1 .* does not end with a time"),
        (b"1\tm\ta\t13:00:00\nb\t13:00:01\n", "Row 2 .* four columns"),
        (b"1\tm\ta\t13:00:00\n" + b"x" * (17 << 20), "longer than"),
    ],
)
def test_what_is_malformed_is_named(data: bytes, words: str) -> None:
    with pytest.raises(RecordingError, match=words):
        list(open_any(io.BytesIO(data)))
