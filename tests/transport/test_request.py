"""What is sent, and what a whole stream leaves in the recording."""

from __future__ import annotations

import pytest

from sse_tui.errors import UsageError
from sse_tui.recording.records import Phase, Request
from tests.transport.turns import QUICK, run
from tests.transport.wire import (
    chunked,
    wire,
)

A, B, C = b"id: 1\ndata: a\n\n", b"id: 2\ndata: b\n\n", b"id: 3\ndata: c\n\n"
DONE = b"data: [DONE]\n\n"


async def test_a_whole_stream_is_recorded_in_order() -> None:
    async with wire([chunked(A, B)]) as server:
        ran = await run(server.url)
    kinds = [type(record).__name__ for record in ran.records]
    assert kinds[0] == "Request"
    assert kinds[-1] == "Close"
    assert [phase.name for phase in ran.of(Phase)] == ["dns", "tcp", "sent", "headers", "first_byte"]
    assert ran.body() == A + B
    assert ran.closes == ["eof"]
    assert (ran.outcome, ran.driver.error) == ("ended", None)
    times = [record.t for record in ran.records]
    assert times == sorted(times)
    assert all(record.conn == 1 and record.turn == 1 for record in ran.records)


async def test_the_request_is_what_the_standard_asks_for() -> None:
    async with wire([chunked(A)]) as server:
        ran = await run(server.url)
    seen = server.seen[0]
    assert seen.request.startswith(b"GET /stream HTTP/1.1\r\n")
    assert seen.header("accept") == b"text/event-stream"
    assert seen.header("cache-control") == b"no-cache"
    assert seen.header("accept-encoding") == b"identity"
    assert seen.header("host") == f"127.0.0.1:{server.port}".encode()
    assert seen.header("last-event-id") is None
    recorded = ran.of(Request)[0]
    assert dict(recorded.headers)["Accept"] == "text/event-stream"
    assert recorded.url == server.url


async def test_headers_of_the_caller_win_and_bodies_arrive() -> None:
    async with wire([chunked(A)]) as server:
        ran = await run(
            server.url,
            method="POST",
            body=b'{"q": "\xc3\xa9"}',
            headers=[
                ("accept", "*/*"),
                ("Content-Type", "application/json"),
                ("X-Twice", "1"),
                ("X-Twice", "2"),
            ],
        )
    seen = server.seen[0]
    assert seen.header("accept") == b"*/*"
    assert seen.body == b'{"q": "\xc3\xa9"}'
    assert seen.request.count(b"X-Twice: ") == 2
    assert ran.of(Request)[0].body == '{"q": "\u00e9"}'


async def test_a_body_that_is_not_text_is_recorded_whole() -> None:
    async with wire([chunked(A)]) as server:
        ran = await run(server.url, method="POST", body=b"\xff\x00")
    assert ran.of(Request)[0].body_b64 == "/wA="
    assert server.seen[0].body == b"\xff\x00"


async def test_a_big_body_arrives() -> None:
    body = bytes(range(256)) * 20_000
    async with wire([chunked(A)]) as server:
        await run(server.url, method="POST", body=body)
    assert server.seen[0].body == body


async def test_credentials_in_the_url_become_a_header() -> None:
    async with wire([chunked(A)]) as server:
        ran = await run(server.url.replace("http://", "http://me:secret@"))
    assert server.seen[0].header("authorization") == b"Basic bWU6c2VjcmV0"
    assert ran.of(Request)[0].url == server.url


async def test_a_last_event_id_set_by_hand_is_where_it_begins() -> None:
    async with wire([chunked(b"data: x\n\n", last=False)], [chunked(b"data: y\n\n")]) as server:
        await run(server.url, headers=[("Last-Event-ID", "7")], policy=QUICK)
    assert [seen.header("last-event-id") for seen in server.seen] == [b"7", b"7"]


@pytest.mark.parametrize(
    ("url", "headers", "code"),
    [
        ("ftp://host/x", [], "bad-url"),
        ("host:80", [], "bad-url"),
        ("http://", [], "bad-url"),
        ("http://[::1", [], "bad-url"),
        ("http://127.0.0.1:99999/", [], "bad-url"),
        ("http://127.0.0.1:1/", [("X", "a\r\nHost: b")], "bad-header"),
        ("http://127.0.0.1:1/", [("Two words", "a")], "bad-header"),
        ("http://127.0.0.1:1/", [("Ü", "a")], "bad-request"),
    ],
)
async def test_what_cannot_be_sent_is_a_usage_error(
    url: str, headers: list[tuple[str, str]], code: str
) -> None:
    ran = await run(url, headers=headers)
    assert ran.outcome == "failed"
    assert isinstance(ran.driver.error, UsageError)
    assert ran.driver.error.code == code


async def test_a_method_of_two_words_is_not_sent() -> None:
    ran = await run("http://127.0.0.1:1/", method="GET /other")
    assert isinstance(ran.driver.error, UsageError)
    assert ran.driver.error.code == "bad-method"
