"""Lines with a time before each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sse_tui.recording import sniff

LINES = ["id: 1", "data: one", "", ": ping", "", "data: two", ""]


def log(stamps: list[str], lines: list[str] = LINES) -> bytes:
    return "".join(f"{stamp}{line}\n" for stamp, line in zip(stamps, lines, strict=True)).encode()


@pytest.mark.parametrize(
    ("first", "later"),
    [
        ("2026-11-30T13:00:00.250Z ", "2026-11-30T13:00:01.500Z "),
        ("[2026-11-30 13:00:00,250] ", "[2026-11-30 13:00:01,500] "),
        ("2026-11-30T13:00:00.250+01:00 | ", "2026-11-30T13:00:01.500+0100 | "),
        ("1764507600.250 ", "1764507601.5 "),
        ("1764507600250 ", "1764507601500 "),
        ("1764507600250000000\t", "1764507601500000000\t"),
        ("[13:00:00.250] ", "[13:00:01.500] "),
        ("13:00:00.250 - ", "13:00:01.500 - "),
        ("23:59:59.000 ", "00:00:00.250 "),
        ("Nov 30 13:00:00.250 ", "Nov 30 13:00:01.500 "),
        ("Feb  9 23:59:59.750 ", "Feb 10 00:00:01 "),
        ("0.250000 ", "1.500000 "),
        ("[    0.250] ", "[    1.500] "),
    ],
)
def test_forms_of_a_time(opened: Callable[..., Any], first: str, later: str) -> None:
    data = log([first] * 3 + [later] * 4)
    assert sniff(data) == "timed-log"
    found = opened(data)
    assert found.clock == "imported"
    assert found.body == "\n".join([*LINES, ""]).encode()
    assert found.times == [0.0, 1250.0]
    assert found.endings == [(1, "eof")]


def test_whole_seconds_of_ts(opened: Callable[..., Any]) -> None:
    found = opened(log(["Nov 30 13:00:00 "] * 3 + ["Nov 30 13:00:02 "] * 4))
    assert found.times == [0.0, 2000.0]


def test_a_line_without_a_time_came_with_the_one_before(opened: Callable[..., Any]) -> None:
    found = opened(b"13:00:00.000 data: one\n\n13:00:00.100 data: two\n\n13:00:00.090 data: three\n\n")
    assert found.body == b"data: one\n\ndata: two\n\ndata: three\n\n"
    # An earlier time after a later one is disorder in the log, and time does not go back.
    assert found.times == [0.0, 100.0]


def test_line_ends_stay(opened: Callable[..., Any]) -> None:
    assert (
        opened(b"1.5 data: one\r\n1.5 \r\n1.6 data: two\r\n1.6\r\n").body
        == b"data: one\r\n\r\ndata: two\r\n\r\n"
    )


def test_a_long_line(opened: Callable[..., Any]) -> None:
    value = "x" * 100_000
    assert opened(f"1.5 data: {value}\n1.6 \n".encode()).body == f"data: {value}\n\n".encode()


@pytest.mark.parametrize(
    "data",
    [
        b"data: 13:00:00 data: x\n\n",
        b"13:00:00 hello\n",
        b"13:00:00data: x\n",
        b"2026-99-99T13:00:00Z data: x\n",
        b"1.5\n",
        b"1234 data: x\n",
    ],
)
def test_what_is_no_such_log(data: bytes) -> None:
    assert sniff(data) == "event-stream"
