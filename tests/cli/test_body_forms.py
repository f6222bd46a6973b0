"""``tail`` and ``open`` on bodies that are no event stream, over real sockets and reopened."""

from __future__ import annotations

import gzip
import json
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.bodies.frames import CONVERSE, START, delta, exception

OLLAMA = [
    {"model": "m", "message": {"role": "assistant", "content": "Hel"}, "done": False},
    {"model": "m", "message": {"role": "assistant", "content": "lo"}, "done": False},
    {"model": "m", "message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop"},
]
LINES = [json.dumps(line).encode() + b"\n" for line in OLLAMA]
LINE_TYPES = ("application/x-ndjson", "application/jsonl", "application/json-seq", "application/stream+json")
GEMINI = [
    {"candidates": [{"content": {"parts": [{"text": "Hel"}], "role": "model"}, "index": 0}]},
    {
        "candidates": [
            {"content": {"parts": [{"text": "lo"}], "role": "model"}, "finishReason": "STOP", "index": 0}
        ]
    },
]
ARRAY = [b"[" + json.dumps(GEMINI[0]).encode(), b",\r\n" + json.dumps(GEMINI[1], indent=2).encode(), b"\n]\n"]


def sends(content_type: str, *parts: bytes, headers: str = "") -> Callable[[socket.socket, bytes], None]:
    """Sends these parts apart from each other, under this type."""

    def handle(connection: socket.socket, _head: bytes) -> None:
        head = (
            f"HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\n{headers}Transfer-Encoding: chunked\r\n\r\n"
        )
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.sendall(head.encode())
        for part in parts:
            connection.sendall(b"%x\r\n" % len(part) + part + b"\r\n")
            time.sleep(0.002)
        connection.sendall(b"0\r\n\r\n")

    return handle


@pytest.mark.parametrize("content_type", LINE_TYPES)
@pytest.mark.parametrize("options", [[], ["--dialect", "ollama"]])
def test_lines_are_printed_as_they_come(
    cli: Callable[..., Any], server: Callable[..., Any], content_type: str, options: list[str]
) -> None:
    done = cli("tail", server(sends(content_type, *LINES)), *options)

    assert (done.code, done.out) == (0, "Hello\n")


def test_lines_without_an_end_at_the_end(cli: Callable[..., Any], server: Callable[..., Any]) -> None:
    done = cli("tail", server(sends("application/x-ndjson", *LINES[:2], LINES[2].rstrip())))

    assert (done.code, done.out) == (0, "Hello\n")


def test_each_line_is_an_object_of_its_own(
    cli: Callable[..., Any], server: Callable[..., Any], tmp_path: Path
) -> None:
    record = tmp_path / "lines.sse.jsonl"

    live = cli("tail", server(sends("application/x-ndjson", *LINES)), "--json", "--record", str(record))

    shown = [json.loads(line) for line in live.out.splitlines()]
    lines = [entry for entry in shown if entry["kind"] == "ignored"]
    assert [json.loads(entry["line"]) for entry in lines] == OLLAMA
    assert [entry["start"] for entry in lines] == [0, len(LINES[0]), len(LINES[0]) + len(LINES[1])]
    reopened = [json.loads(line) for line in cli("open", str(record), "--json").out.splitlines()]
    assert [entry for entry in reopened if entry["kind"] == "ignored"] == lines
    assert cli("open", str(record), "--text").out == "Hello\n"
    found = json.loads(cli("report", str(record), "--format", "json").out)
    assert "unknown-field" not in json.dumps(found)


def test_lines_of_an_unknown_kind_are_printed_line_by_line(
    cli: Callable[..., Any], server: Callable[..., Any]
) -> None:
    done = cli("tail", server(sends("application/x-ndjson", b'{"a": 1}\n{"b"', b": 2}\n")))

    assert (done.code, done.out) == (0, '{"a": 1}\n{"b": 2}\n')


def test_a_number_of_lines(cli: Callable[..., Any], server: Callable[..., Any]) -> None:
    done = cli("tail", server(sends("application/x-ndjson", *[b'{"a": 1}\n'] * 9)), "--max-events", "2")

    assert (done.code, done.out) == (0, '{"a": 1}\n{"a": 1}\n')


@pytest.mark.parametrize("step", [7, 100_000])
def test_frames_are_decoded_live_and_reopened(
    cli: Callable[..., Any], server: Callable[..., Any], tmp_path: Path, step: int
) -> None:
    record = tmp_path / "frames.sse.jsonl"
    parts = [CONVERSE[at : at + step] for at in range(0, len(CONVERSE), step)]
    url = server(sends("application/vnd.amazon.eventstream", *parts))

    live = cli("tail", url, "--json", "--record", str(record))

    assert live.code == 0
    events = [entry for entry in map(json.loads, live.out.splitlines()) if entry["kind"] == "event"]
    assert [event["type"] for event in events][:2] == ["messageStart", "contentBlockDelta"]
    assert json.loads(events[1]["data"])["delta"] == {"text": "Hel"}
    assert (events[0]["start"], events[-1]["end"]) == (0, len(CONVERSE))
    reopened = [json.loads(line) for line in cli("open", str(record), "--json").out.splitlines()]
    assert [entry for entry in reopened if entry["kind"] == "event"] == events
    assert cli("tail", url).out == cli("open", str(record), "--text").out == "Hello\n"


def test_frames_in_a_file_and_a_pipe(cli: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "body.bin").write_bytes(CONVERSE)

    assert cli("open", "body.bin", "--text").out == "Hello\n"
    assert cli("tail", "-", input=CONVERSE).out == "Hello\n"


def test_an_exception_in_frames_ends_the_run_as_an_error(
    cli: Callable[..., Any], server: Callable[..., Any]
) -> None:
    body = START + delta("Hel") + exception("throttlingException", "Too many tokens, please wait.")

    done = cli("tail", server(sends("application/vnd.amazon.eventstream", body)))

    assert (done.code, done.out) == (4, "Hel\n")
    assert "throttlingException: Too many tokens" in done.err


@pytest.mark.parametrize(
    "content_type", ["application/json", "application/json; charset=UTF-8", "text/event-stream"]
)
def test_an_array_is_read_element_by_element(
    cli: Callable[..., Any], server: Callable[..., Any], tmp_path: Path, content_type: str
) -> None:
    record = tmp_path / "array.sse.jsonl"

    done = cli("tail", server(sends(content_type, *ARRAY)), "--record", str(record))

    assert (done.code, done.out) == (0, "Hello\n")
    assert "alt=sse" in done.err
    assert cli("open", str(record), "--text").out == "Hello\n"


def test_an_array_is_shown_while_it_grows(cli: Callable[..., Any], server: Callable[..., Any]) -> None:
    done = cli("tail", server(sends("application/json", *ARRAY[:1], b",", b" ")), "--max-events", "1")

    assert done.out == "Hel\n"


@pytest.mark.parametrize(
    ("content_type", "body", "says"),
    [
        (
            "application/json",
            b'{"error": {"message": "No such model"}}',
            "application/json instead of text/event-stream: No",
        ),
        ("application/json", b'{"status": "ok"}', "application/json instead of text/event-stream"),
        ("application/json", b"", "application/json instead of text/event-stream"),
        ("text/html", b"<html><title>Sign in</title></html>", "text/html instead of text/event-stream"),
        ("text/event-stream", b"<html><title>Sign in</title></html>", 'HTML page with the title "Sign in"'),
        ("text/event-stream", gzip.compress(b"data: a\n\n"), "gzip data"),
    ],
)
def test_what_is_no_answer_is_refused(
    cli: Callable[..., Any], server: Callable[..., Any], content_type: str, body: bytes, says: str
) -> None:
    done = cli("tail", server(sends(content_type, *[body] * bool(body))))

    assert (done.code != 0, done.out) == (True, "")
    assert says in done.err


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br"])
def test_plain_text_under_a_coding_is_read(
    cli: Callable[..., Any], server: Callable[..., Any], tmp_path: Path, coding: str
) -> None:
    record = tmp_path / "stale.sse.jsonl"
    stream = sends(
        "text/event-stream", b"data: a\n", b"\ndata: b\n\n", headers=f"Content-Encoding: {coding}\r\n"
    )

    done = cli("tail", server(stream), "--record", str(record))

    assert (done.code, done.out) == (0, "a\nb\n")
    assert "but it is plain text" in done.err
    assert cli("open", str(record), "--text").out == "a\nb\n"
