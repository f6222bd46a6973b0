"""HTTP archives of browsers, and broken ones."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Callable
from typing import Any

import pytest

from sse_tui.errors import RecordingError
from sse_tui.recording import open_any, sniff
from sse_tui.recording.records import Note, Phase, Reconnect, Request, Response

BODY = "id: 1\ndata: café\n\n: ping\n\ndata: two\n\n"


def entry(body: str | None = BODY, *, at: str = "2026-11-30T13:00:00.000Z", **more: Any) -> dict[str, Any]:
    content: dict[str, Any] = {"size": 0, "mimeType": "text/event-stream"}
    if body is not None:
        content["text"] = body
    return {
        "startedDateTime": at,
        "time": 1500.0,
        "request": {
            "method": "GET",
            "url": "https://h/stream",
            "httpVersion": "http/2.0",
            "headers": [{"name": "accept", "value": "text/event-stream"}],
        },
        "response": {
            "status": 200,
            "statusText": "OK",
            "httpVersion": "http/2.0",
            "headers": [
                {"name": "content-type", "value": "text/event-stream"},
                {"name": "content-encoding", "value": "br"},
            ],
            "content": content,
        },
        "cache": {},
        "timings": {
            "blocked": 1,
            "dns": 2,
            "connect": 30,
            "ssl": 20,
            "send": 0.5,
            "wait": 100,
            "receive": 1400,
        },
        **more,
    }


def har(*entries: Any, indent: int | None = None, **log: Any) -> bytes:
    return json.dumps({"log": {"version": "1.2", "entries": list(entries), **log}}, indent=indent).encode()


@pytest.mark.parametrize("indent", [None, 2])
def test_an_entry_without_times_of_its_parts_has_none(opened: Callable[..., Any], indent: int | None) -> None:
    data = har(entry(), indent=indent)
    assert sniff(data[:4096]) == "har"
    found = opened(data)
    assert found.clock == "none"
    assert found.body == BODY.encode()
    assert found.times == [0.0]
    assert found.requests == [("GET", "https://h/stream")]
    # The text is decoded already, so the header must not say that it is coded.
    assert found.of(Response)[0].headers == [("content-type", "text/event-stream")]
    assert found.of(Response)[0].http_version == "HTTP/2.0"
    assert found.endings == [(1, "eof")]


def messages(*times: float) -> list[dict[str, Any]]:
    # 2026-11-30T13:00:00Z
    return [
        {"time": 1796043600 + t, "eventName": "message", "eventId": "1", "data": data}
        for t, data in zip(times, ["café", "two", "three"], strict=False)
    ]


def test_chrome_knows_the_time_of_every_message(opened: Callable[..., Any]) -> None:
    found = opened(har(entry(_eventSourceMessages=messages(0.25, 1.5))))
    assert found.clock == "imported"
    assert found.body == BODY.encode()
    assert found.times == [250.0, 1500.0]
    phases = {phase.name: (phase.t, phase.dt) for phase in found.of(Phase)}
    assert phases["tcp"] == (13_000_000, 10_000_000)
    assert phases["tls"] == (33_000_000, 20_000_000)
    assert phases["headers"] == (133_500_000, 100_000_000)
    assert found.of(Response)[0].t == 133_500_000


def test_messages_without_a_body_are_put_together_again(opened: Callable[..., Any]) -> None:
    found = opened(har(entry(None, _eventSourceMessages=messages(0.25, 1.5))))
    assert found.body == "id: 1\ndata: café\n\ndata: two\n\n".encode()
    assert found.times == [250.0, 1500.0]
    assert "put together again" in found.of(Note)[0].text


def test_messages_that_do_not_fit_the_body_give_no_times(opened: Callable[..., Any]) -> None:
    found = opened(har(entry(_eventSourceMessages=messages(0.25, 1.5, 2))))
    assert (found.clock, found.body) == ("none", BODY.encode())


def test_base64(opened: Callable[..., Any]) -> None:
    coded = entry(base64.b64encode(b"data: \xff\n\n").decode())
    coded["response"]["content"]["encoding"] = "base64"
    assert opened(har(coded)).body == b"data: \xff\n\n"


def test_only_streams_are_taken_each_a_turn(opened: Callable[..., Any]) -> None:
    page = entry("<html>")
    page["response"]["headers"] = [{"name": "content-type", "value": "text/html"}]
    page["response"]["content"]["mimeType"] = "text/html"
    found = opened(har(page, entry(), page, entry("data: b\n\n")))
    assert found.body == BODY.encode() + b"data: b\n\n"
    assert [request.turn for request in found.of(Request)] == [1, 2]


def test_a_request_with_an_event_id_goes_on_with_the_turn(opened: Callable[..., Any]) -> None:
    again = entry("data: b\n\n")
    again["request"]["headers"].append({"name": "Last-Event-ID", "value": "1"})
    found = opened(har(entry(), again))
    assert [(request.turn, request.conn) for request in found.of(Request)] == [(1, 1), (1, 2)]


def test_where_a_stream_was_asked_for_any_answer_is_taken(opened: Callable[..., Any]) -> None:
    page = entry("<html>")
    page["response"]["headers"] = []
    page["response"]["content"]["mimeType"] = "text/html"
    assert opened(har(page)).body == b"<html>"


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        ("net::ERR_INCOMPLETE_CHUNKED_ENCODING", "incomplete"),
        ("net::ERR_CONNECTION_RESET", "reset"),
        ("net::ERR_ABORTED", "client"),
        ("net::ERR_TIMED_OUT", "timeout"),
        ("net::ERR_FAILED", "error"),
    ],
)
def test_chrome_s_errors(opened: Callable[..., Any], error: str, reason: str) -> None:
    failed = entry()
    failed["response"]["_error"] = error
    assert opened(har(failed)).endings == [(1, reason)]


def test_no_response_at_all(opened: Callable[..., Any]) -> None:
    failed = entry(None)
    failed["response"] |= {"status": 0, "headers": []}
    found = opened(har(failed))
    assert (found.statuses, found.endings) == ([], [(1, "error")])


def test_lone_surrogates_become_replacements(opened: Callable[..., Any]) -> None:
    data = har(entry("data: @\n\n")).replace(b"@", b"\\ud83d")
    assert opened(data).body == "data: \ufffd\n\n".encode()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b'{"log": {"entries": [', "not a valid HAR"),
        (b'{"log": {"entries": {}}}', "not a valid HAR"),
        (har(), "None of the 0 entries"),
        (har(3), "Entry 1 .* not an object"),
        (har({}, {"request": 1, "response": [], "timings": "x"}), "None of the 2 entries"),
        (b'{"log": {"entries": [' + b"[" * 100_000 + b"]" * 100_000 + b"]}}", "Entry 1|not a valid HAR"),
        (har(entry()).replace(b'"text":', b'"encoding": "base64", "text":'), "not valid base64"),
    ],
    ids=lambda value: str(value[:30]),
)
def test_what_is_malformed_is_named(data: bytes, words: str) -> None:
    with pytest.raises(RecordingError, match=words):
        list(open_any(io.BytesIO(data)))


def own(**more: Any) -> dict[str, Any]:
    size = len(BODY.encode())
    return {
        "t": 1_000,
        "answered_at": 2_000,
        "reads": [[3_001, 10], [4_007, size - 10]],
        "phases": [["tcp", 1_500, 500]],
        "close": {"t": 5_000, "reason": "reset", "detail": "gone"},
        "dialect": "generic",
        **more,
    }


def test_our_own_archives_have_the_times_of_every_read(opened: Callable[..., Any]) -> None:
    others = [{"place": 7, "record": {"k": "reconnect", "t": 6_000, "turn": 1, "delay_ms": 5, "last_event_id": "1",
               "policy": "last-event-id"}}]  # fmt: skip
    found = opened(har(entry(_sseTui=own()), _sseTui={"clock": "kernel", "records": others}))
    assert found.clock == "kernel"
    assert [record.t for record in found.records] == [1_000, 1_500, 2_000, 3_001, 4_007, 5_000, 6_000, 5_000]
    assert found.endings == [(1, "reset")]
    assert found.of(Request)[0].dialect == "generic"
    assert isinstance(found.records[6], Reconnect)


@pytest.mark.parametrize(
    "wrong",
    [
        {"reads": [[1, 2]]},
        {"reads": "x"},
        {"reads": [[1]]},
        {"reads": [[True, 5]]},
        {"t": -1},
        {"answered_at": 1.5},
    ],
)
def test_our_own_fields_count_only_where_they_fit(opened: Callable[..., Any], wrong: dict[str, Any]) -> None:
    found = opened(har(entry(_sseTui=own(**wrong))))
    assert (found.clock, found.body, found.endings) == ("none", BODY.encode(), [(1, "eof")])
