"""A turn over real sockets: what is sent, what is recorded, how it ends."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import itertools
import time
import zlib

import pytest

from sse_tui.errors import ConnectError, HttpError, StreamError, UsageError
from sse_tui.recording.records import Chunk, Close, Phase, Reconnect, Request, Response
from sse_tui.resume import Policy
from sse_tui.transport import Driver, Timeouts
from tests.transport.turns import NEVER, QUICK, Marked, Plain, make, run
from tests.transport.wire import (
    CHUNKED,
    FIN,
    HOLD,
    OK,
    RST,
    UNTIL_CLOSE,
    Sleep,
    chunked,
    chunks,
    response,
    sized,
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
    assert (ran.outcome, ran.driver.error) == ("unknown", None)
    times = [record.t for record in ran.records]
    assert times == sorted(times)
    assert all(record.conn == 1 and record.turn == 1 for record in ran.records)


# The request


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


# Framing


@pytest.mark.parametrize(
    ("script", "close"),
    [
        ([chunked(A, B)], "eof"),
        ([chunked(A, B, last=False)], "incomplete"),
        ([chunked(A, B, last=False) + b"20\r\n"], "incomplete"),
        ([sized(A + B)], "eof"),
        ([sized(A + B, 1000)], "incomplete"),
        ([UNTIL_CLOSE + A + B], "eof"),
        ([b"HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + A + B], "eof"),
        ([CHUNKED, chunks(A), Sleep(0.01), chunks(B), Sleep(0.01), RST], "reset"),
        ([chunked(A + B, last=False) + b"nonsense\r\n", HOLD], "error"),
        (
            [b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + chunked(A, B)],
            "eof",
        ),
        ([CHUNKED + chunks(A, B) + b"0\r\nTrailer: x\r\n\r\n"], "eof"),
        ([OK + b"Transfer-Encoding: Chunked\r\n\r\n" + chunks(A, B) + b"0\r\n\r\n", HOLD], "eof"),
    ],
)
async def test_how_a_body_ends(script: list[object], close: str) -> None:
    async with wire(script) as server:
        ran = await run(server.url)
    assert ran.closes == [close]
    assert ran.body() == A + B
    assert ran.outcome == ("unknown" if close == "eof" else "truncated")


async def test_an_incomplete_body_says_what_is_missing() -> None:
    async with wire([sized(A, len(A) + 5)], [chunked(A, last=False)]) as server:
        short = await run(server.url)
        unended = await run(server.url)
    assert "5 of the bytes" in short.of(Close)[0].detail
    assert "last chunk" in unended.of(Close)[0].detail
    assert isinstance(unended.driver.error, StreamError)
    assert "after 1 event" in unended.driver.error.message


async def test_several_chunks_in_one_read_are_one_record() -> None:
    async with wire([chunked(*[b"data: x\n\n"] * 50)]) as server:
        ran = await run(server.url)
    assert len(ran.of(Chunk)) == 1
    assert ran.body() == b"data: x\n\n" * 50


async def test_bytes_that_are_not_text_are_kept() -> None:
    async with wire([UNTIL_CLOSE + b"data: \xff\xfe\n\n"]) as server:
        ran = await run(server.url)
    assert ran.of(Chunk)[0].b64 is not None
    assert ran.body() == b"data: \xff\xfe\n\n"


async def test_gzip_is_kept_coded_and_read_for_ids() -> None:
    coded = gzip.compress(A + B)
    head = OK + b"Content-Encoding: gzip\r\n\r\n"
    async with wire([head + coded, RST], then=[response("204 No Content")]) as server:
        ran = await run(server.url, policy=QUICK)
    assert ran.body(1) == coded
    assert server.seen[1].header("last-event-id") == b"2"


@pytest.mark.parametrize(
    ("coding", "body", "said"),
    [
        ("gzip", A, "not valid gzip"),
        ("gzip", gzip.compress(A)[:10] + b"\xff" * 40, "not valid gzip"),
        ("br", b"\x0b\x02\x80id\x03", "cannot decode content-encoding: br"),
    ],
)
async def test_a_body_that_cannot_be_decoded_is_an_error_and_not_asked_for_again(
    coding: str, body: bytes, said: str
) -> None:
    head = OK + b"Content-Encoding: %s\r\n\r\n" % coding.encode()
    async with wire([head + body], then=[chunked(A)]) as server:
        ran = await run(server.url, policy=QUICK)
        assert len(server.seen) == 1
    assert isinstance(ran.driver.error, StreamError)
    assert ran.driver.error.code == "content-coding"
    assert said in ran.driver.error.message
    assert ran.closes == ["error"]
    assert ran.body() == body


async def test_a_coding_that_is_only_claimed_does_no_harm() -> None:
    async with wire([OK + b"Content-Encoding: br\r\n\r\n" + A]) as server:
        ran = await run(server.url, policy=NEVER)
    assert (ran.outcome, ran.driver.error, ran.closes) == ("unknown", None, ["eof"])


async def test_an_orderly_end_within_the_compressed_data_is_none() -> None:
    async with wire([OK + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(A + B)[:-12]]) as server:
        ran = await run(server.url, policy=NEVER)
    assert (ran.outcome, ran.closes) == ("truncated", ["incomplete"])


async def test_a_fault_at_an_event_of_a_coded_body() -> None:
    packer = zlib.compressobj(wbits=31)
    parts = [packer.compress(event) + packer.flush(zlib.Z_SYNC_FLUSH) for event in (A, B, C)]
    steps = [step for part in parts for step in (part, Sleep(0.03))]
    async with wire([OK + b"Content-Encoding: gzip\r\n\r\n", *steps, HOLD]) as server:
        ran = await run(server.url, plan="cut@event=2")
    assert ran.body() == parts[0] + parts[1]


async def test_headers_that_never_end_are_refused() -> None:
    async with wire([b"HTTP/1.1 200 OK\r\n" + b"X-Filler: %s\r\n" % (b"x" * 60000) * 6, HOLD]) as server:
        ran = await run(server.url)
    assert ran.driver.error is not None
    assert ran.driver.error.code == "not-http"
    assert "longer than" in ran.driver.error.message


# Answers that are no event stream


@pytest.mark.parametrize(
    "content_type",
    [
        "text/event-stream;",
        "TEXT/Event-Stream; charset=UTF-8; x=y",
        "text/event-stream ;a",
        "text/event-stream",
    ],
)
async def test_types_that_are_accepted(content_type: str) -> None:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\n\r\n".encode()
    async with wire([head + A]) as server:
        ran = await run(server.url)
    assert ran.outcome == "unknown"
    assert ran.body() == A


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        (
            response("200 OK", b"<html>\n<p>Bad \x1b[31mgateway", Content_Type="text/html"),
            r"<html> <p>Bad \x1b[31mgateway",
        ),
        (response("200 OK", b"x", Content_Type="text/event-stream-not"), "text/event-stream-not"),
        (response("200 OK", b"data: x\n\n"), "no content type"),
        (
            response("200 OK", b'{"error": {"message": "use stream"}}', Content_Type="application/json"),
            "application/json instead of text/event-stream: use stream",
        ),
    ],
)
async def test_a_wrong_type_shows_the_first_bytes(answer: bytes, shown: str) -> None:
    async with wire([answer], then=[chunked(A)]) as server:
        ran = await run(server.url, policy=QUICK)
        assert len(server.seen) == 1
    assert ran.closes == ["refused"]
    assert ran.outcome == "refused"
    assert isinstance(ran.driver.error, HttpError)
    assert shown in ran.driver.error.message
    assert answer.endswith(ran.body())


@pytest.mark.parametrize(
    "status", ["204 No Content", "205 Reset", "299 Odd", "404 Not Found", "410 Gone", "304 Same"]
)
async def test_other_statuses_stop(status: str) -> None:
    async with wire([response(status, Content_Type="text/event-stream")], then=[chunked(A)]) as server:
        ran = await run(server.url, policy=QUICK)
        assert len(server.seen) == 1
    assert ran.outcome == "refused"
    assert isinstance(ran.driver.error, HttpError)
    assert status.split()[0] in ran.driver.error.message
    assert ran.slept == []


async def test_an_error_in_json_is_told() -> None:
    body = b'{"error": {"message": "No such model: x", "type": "invalid_request_error"}}'
    async with wire([response("404 Not Found", body, Content_Type="application/json")]) as server:
        ran = await run(server.url, method="POST", body=b"{}")
    assert ran.driver.error is not None
    assert ran.driver.error.code == "http-404"
    assert "No such model: x" in ran.driver.error.message


async def test_a_refusal_that_never_ends_is_not_waited_for() -> None:
    async with wire([b"HTTP/1.1 500 Oops\r\n\r\n" + b"x" * 100_000, HOLD]) as server:
        ran = await run(server.url)
    assert len(ran.body()) == 64 * 1024
    assert ran.outcome == "refused"


async def test_any_type_can_be_read_when_asked() -> None:
    async with wire([response("200 OK", A, Content_Type="text/plain")]) as server:
        ran = await run(server.url, any_type=True)
    assert ran.outcome == "unknown"
    assert ran.body() == A


# Redirects


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_redirects_are_followed_and_shown(status: int) -> None:
    hop = response(f"{status} Moved", Location="/elsewhere")
    async with wire([hop], [chunked(A, last=False)], [hop], [chunked(B)]) as server:
        ran = await run(server.url, policy=QUICK)
    assert [seen.target for seen in server.seen] == ["/stream", "/elsewhere", "/stream", "/elsewhere"]
    assert [seen.header("last-event-id") for seen in server.seen] == [None, None, b"1", b"1"]
    assert [record.status for record in ran.of(Response)] == [status, 200, status, 200]
    assert ran.closes[:4] == ["client", "incomplete", "client", "eof"]
    assert [record.conn for record in ran.of(Request)][:4] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("status", "method"), [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")]
)
async def test_a_redirected_post_keeps_its_body_only_where_http_says_so(status: int, method: str) -> None:
    async with wire([response(f"{status} Moved", Location="/b")], [chunked(A)]) as server:
        await run(server.url, method="POST", body=b"{}")
    assert server.seen[1].method == method
    assert server.seen[1].body == (b"{}" if method == "POST" else b"")


async def test_a_redirect_loop_is_an_error() -> None:
    async with wire(then=[response("302 Found", Location="/stream")]) as server:
        ran = await run(server.url, policy=QUICK)
        assert len(server.seen) == 21
    assert ran.outcome == "refused"
    assert ran.driver.error is not None
    assert ran.driver.error.code == "redirects"


@pytest.mark.parametrize("headers", [{}, {"Location": ""}])
async def test_a_redirect_to_nowhere_is_an_error(headers: dict[str, str]) -> None:
    async with wire([response("302 Found", **headers)], then=[chunked(A)]) as server:
        ran = await run(server.url, policy=QUICK)
        assert len(server.seen) == 1
    assert ran.outcome == "refused"
    assert ran.driver.error is not None
    assert "no Location" in ran.driver.error.hint


@pytest.mark.parametrize("location", ["ftp://host/", "file:///etc/passwd", "http://127.0.0.1:99999/"])
async def test_a_redirect_to_what_is_no_http_url_is_the_servers_fault(location: str) -> None:
    async with wire([response("302 Found", Location=location)]) as server:
        ran = await run(server.url)
    assert ran.outcome == "refused"
    assert isinstance(ran.driver.error, HttpError)
    assert ran.closes == ["refused"]


# Reconnects


async def test_a_cut_is_resumed_with_the_last_id() -> None:
    async with wire([chunked(A, B, last=False)], [chunked(C, DONE)]) as server:
        ran = await run(server.url, policy=QUICK, dialect=Marked())
    assert server.seen[1].header("last-event-id") == b"2"
    assert ran.closes == ["incomplete", "eof"]
    assert ran.outcome == "ended"
    assert [(r.conn, r.last_event_id, r.attempt) for r in ran.of(Reconnect)] == [(1, "2", 1)]


@pytest.mark.parametrize(
    ("first", "header"),
    [
        ("id: é☃\ndata: a\n\n".encode(), "é☃".encode()),  # the bytes of the string
        (A + b"id\ndata: b\n\n", None),  # an empty id resets it
        (A + b"id: 2\ndata: b\n", b"1"),  # an id in an unfinished block does not count
        (A + b"id: 2\n\n", b"2"),  # a block without data commits its id
        (A + b"data: b\n\n", b"1"),  # an event without an id keeps it
        (b"data: a\n\n", None),
    ],
)
async def test_which_id_is_sent(first: bytes, header: bytes | None) -> None:
    async with wire([chunked(first, last=False)], [chunked(b"data: z\n\n"), HOLD]) as server:
        await run(server.url, policy=Policy("always", base_ms=1, max_attempts=1))
    assert server.seen[0].header("last-event-id") is None
    assert server.seen[1].header("last-event-id") == header


async def test_the_id_survives_connections_that_bring_none() -> None:
    scripts = [
        [chunked(A, last=False)],
        [chunked(b"data: no id\n\n", last=False)],
        [chunked(last=False)],
        [RST],
        [chunked(B)],
    ]
    async with wire(*scripts) as server:
        await run(server.url, policy=QUICK)
    assert [seen.header("last-event-id") for seen in server.seen] == [None, b"1", b"1", b"1", b"1"]


async def test_the_servers_retry_is_the_base_of_all_later_waits() -> None:
    async with wire(
        [chunked(b"retry: 1000\n", A, last=False)],
        [chunked(B, last=False)],
        [chunked(b"retry: 50", last=False)],  # no line end: not a field yet
        [chunked(b"retry: 40\n", last=False)],  # an unfinished block: acts all the same
        [chunked(C)],
    ) as server:
        ran = await run(server.url, policy=QUICK)
    first, second, third, fourth = (record.delay_ms for record in ran.of(Reconnect)[:4])
    assert 1000 <= first <= 1500
    assert 1000 <= second <= 1500
    assert 1000 <= third <= 2000
    assert 40 <= fourth <= 500
    assert [round(s * 1000, 3) for s in ran.slept[:4]] == [first, second, third, fourth]


async def test_waits_are_real() -> None:
    async with wire([chunked(b"retry: 100\n", A, last=False)], [chunked(B)]) as server:
        await run(server.url, policy=QUICK, virtual=False)
        assert 0.1 <= server.seen[1].at - server.seen[0].at < 0.6


async def test_204_after_a_reconnect_is_the_end() -> None:
    async with wire([chunked(A)], [response("204 No Content")], then=[chunked(A)]) as server:
        ran = await run(server.url, policy=QUICK)
        assert len(server.seen) == 2
    assert (ran.outcome, ran.driver.error) == ("ended", None)
    assert "204" in ran.driver.stop_reason


@pytest.mark.parametrize("status", ["404 Not Found", "409 Conflict"])
async def test_a_resume_that_is_refused_is_a_broken_stream(status: str) -> None:
    async with wire([chunked(A, last=False)], [response(status)], then=[chunked(A)]) as server:
        ran = await run(server.url, policy=QUICK)
        assert len(server.seen) == 2
    assert ran.outcome == "truncated"
    assert isinstance(ran.driver.error, StreamError)
    assert status in ran.driver.error.message


@pytest.mark.parametrize("status", ["429 Slow Down", "503 Busy", "502 Bad Gateway"])
async def test_retry_after_is_honoured(status: str) -> None:
    busy = response(status, Retry_After="7")
    async with wire([chunked(A, last=False)], [busy], [chunked(B)]) as server:
        ran = await run(server.url, policy=Policy(base_ms=1, max_attempts=2))
    assert ran.closes[:3] == ["incomplete", "refused", "eof"]
    assert ran.of(Reconnect)[1].delay_ms == 7000
    assert ran.of(Reconnect)[1].last_event_id == "1"


async def test_a_first_answer_of_503_stops_unless_it_names_a_time() -> None:
    async with wire([response("503 Busy")], then=[chunked(A)]) as server:
        ran = await run(server.url, policy=QUICK)
        assert len(server.seen) == 1
    assert ran.outcome == "refused"
    async with wire([response("503 Busy", Retry_After="1")], [chunked(A)]) as server:
        ran = await run(server.url, policy=Policy(max_attempts=1))
    assert ran.of(Reconnect)[0].delay_ms == 1000 or ran.of(Reconnect)[0].delay_ms <= 1500
    assert ran.body() == A


async def test_a_post_without_an_id_is_never_sent_twice() -> None:
    async with wire([chunked(b"data: a\n\n", last=False)], then=[chunked(A)]) as server:
        ran = await run(server.url, method="POST", body=b"{}", policy=QUICK)
        assert len(server.seen) == 1
    assert ran.outcome == "truncated"
    assert "nothing to resume from" in ran.driver.stop_reason


async def test_a_post_after_its_end_marker_is_never_sent_twice() -> None:
    async with wire([chunked(A, DONE)], then=[chunked(A)]) as server:
        ran = await run(server.url, method="POST", body=b"{}", policy=QUICK, dialect=Marked())
        assert len(server.seen) == 1
    assert ran.outcome == "ended"


async def test_a_stream_that_is_whole_without_a_marker_is_not_asked_for_again() -> None:
    async with wire([chunked(A, b"data: FINISH\n\n")], then=[chunked(A)]) as server:
        ran = await run(server.url, policy=QUICK, dialect=Marked())
        assert len(server.seen) == 1
    assert ran.outcome == "complete"


async def test_an_error_in_the_stream_ends_it() -> None:
    async with wire([chunked(A, b"data: ERROR\n\n", last=False)], then=[chunked(A)]) as server:
        ran = await run(server.url, policy=QUICK, dialect=Marked())
        assert len(server.seen) == 1
    assert ran.outcome == "failed"
    assert ran.driver.error is not None
    assert ran.driver.error.code == "in-band-error"
    assert "try later" in ran.driver.error.message


async def test_attempts_are_limited() -> None:
    async with wire([chunked(A, last=False)], then=[RST]) as server:
        ran = await run(server.url, policy=Policy(base_ms=1, max_attempts=3))
        assert len(server.seen) == 4
    assert ran.outcome == "truncated"
    assert [record.attempt for record in ran.of(Reconnect)] == [1, 2, 3]


async def test_an_orderly_end_with_no_one_to_reconnect_to() -> None:
    async with wire([chunked(A, B)]) as server:
        ran = await run(server.url, policy=Policy("always", base_ms=1, max_attempts=1))
    assert ran.outcome == "failed"
    assert isinstance(ran.driver.error, ConnectError)
    assert "ended in order after 2 events" in ran.driver.error.message


async def test_a_server_that_is_gone_ends_the_turn() -> None:
    async with wire([chunked(A, last=False)]) as server:
        ran = await run(server.url, policy=Policy(base_ms=1, max_attempts=2))
    assert ran.outcome == "truncated"
    assert ran.driver.error is not None
    assert "connection refused" in ran.driver.error.message


async def test_policy_never_reports_a_truncated_stream() -> None:
    async with wire([chunked(A)], then=[chunked(A)]) as server:
        ran = await run(server.url, dialect=Marked())
        assert len(server.seen) == 1
    assert ran.outcome == "truncated"
    assert isinstance(ran.driver.error, StreamError)


# The end of a stream


async def test_after_the_end_marker_an_open_connection_is_closed_soon() -> None:
    async with wire([CHUNKED, chunks(A, DONE), HOLD]) as server:
        began = time.monotonic()
        ran = await run(server.url, dialect=Marked())
        await asyncio.wait_for(server.gone.wait(), 1)
        assert server.seen[0].ended == "fin"
    assert 0.09 < time.monotonic() - began < 1
    assert ran.closes == ["client"]
    assert ran.of(Close)[0].detail == "the stream had ended"
    assert ran.outcome == "ended"


async def test_an_event_too_large_is_an_error() -> None:
    async with wire([CHUNKED, chunks(A, b"data: " + b"x" * 5000), HOLD], then=[chunked(A)]) as server:
        ran = await run(server.url, max_event_bytes=1000, policy=QUICK)
        assert len(server.seen) == 1
    assert ran.outcome == "failed"
    assert ran.driver.error is not None
    assert ran.driver.error.code == "event-too-large"


# No connection


async def test_a_dead_port_is_one_clear_error() -> None:
    async with wire() as server:
        url, port = server.url, server.port
    ran = await run(url, policy=QUICK)
    assert ran.closes == ["error"]
    assert ran.outcome == "failed"
    assert isinstance(ran.driver.error, ConnectError)
    assert f"127.0.0.1:{port}" in ran.driver.error.message
    assert ran.driver.error.code == "connect-refused"


async def test_a_name_that_does_not_resolve() -> None:
    ran = await run("http://no-such-host.invalid/")
    assert isinstance(ran.driver.error, ConnectError)
    assert ran.driver.error.code == "dns"
    assert "no-such-host.invalid" in ran.driver.error.message


async def test_a_name_that_is_none() -> None:
    ran = await run(f"http://{'a' * 70}.example/")
    assert ran.driver.error is not None
    assert ran.driver.error.code == "dns"


async def test_a_server_that_speaks_something_else() -> None:
    async with wire([b"SSH-2.0-OpenSSH_9\r\n", HOLD]) as server:
        ran = await run(server.url)
    assert ran.driver.error is not None
    assert ran.driver.error.code == "not-http"
    assert "SSH-2.0" in ran.driver.error.message


@pytest.mark.parametrize(("script", "close"), [([FIN], "error"), ([RST], "reset")])
async def test_a_connection_lost_before_the_headers(script: list[object], close: str) -> None:
    async with wire(script) as server:
        ran = await run(server.url)
    assert ran.closes == [close]
    assert ran.driver.error is not None
    assert ran.driver.error.code == "no-response"


async def test_a_server_that_answers_before_reading_the_body() -> None:
    refusal = response("413 Too Large", b"no", Connection="close")
    served = asyncio.Event()

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(refusal)
        await writer.drain()
        writer.close()  # unread bytes of the request make this a RST
        served.set()

    server = await asyncio.start_server(refuse, "127.0.0.1", 0, limit=1 << 20)
    async with server:
        port = server.sockets[0].getsockname()[1]
        ran = await run(f"http://127.0.0.1:{port}/", method="POST", body=b"x" * 50_000_000)
        await served.wait()
    assert ran.driver.error is not None
    assert ran.driver.error.code in ("http-413", "no-response")  # as the kernel has it


# Timeouts


@pytest.mark.parametrize(
    ("script", "timeouts", "code"),
    [
        ([HOLD], Timeouts(first_byte=0.1), "first-byte-timeout"),
        ([CHUNKED, HOLD], Timeouts(first_byte=0.1), "first-byte-timeout"),
        ([CHUNKED + chunks(A), HOLD], Timeouts(idle=0.1), "idle-timeout"),
        ([CHUNKED + chunks(A), HOLD], Timeouts(total=0.1), "total-timeout"),
        ([HOLD], Timeouts(total=0.1), "total-timeout"),
    ],
)
async def test_each_timeout_is_named(script: list[object], timeouts: Timeouts, code: str) -> None:
    async with wire(script, then=[chunked(A)]) as server:
        began = time.monotonic()
        ran = await run(server.url, timeouts=timeouts)
        assert 0.09 <= time.monotonic() - began < 1
        await asyncio.wait_for(server.gone.wait(), 1)
    assert ran.closes == ["timeout"]
    assert ran.outcome == "failed"
    assert ran.driver.error is not None
    assert ran.driver.error.code == code
    assert f"Raise --{code}" in ran.driver.error.hint


async def test_comments_feed_the_idle_timeout() -> None:
    beats = [step for _ in range(4) for step in (chunks(b": hb\n"), Sleep(0.06))]
    async with wire([CHUNKED, chunks(A), *beats, b"0\r\n\r\n"]) as server:
        ran = await run(server.url, timeouts=Timeouts(idle=0.15))
    assert ran.closes == ["eof"]


async def test_an_idle_timeout_is_resumed() -> None:
    async with wire([CHUNKED + chunks(A), HOLD], [chunked(B, DONE)]) as server:
        ran = await run(server.url, timeouts=Timeouts(idle=0.05), policy=QUICK, dialect=Marked())
    assert ran.closes == ["timeout", "eof"]
    assert server.seen[1].header("last-event-id") == b"1"
    assert ran.outcome == "ended"


async def test_the_total_time_covers_the_waits() -> None:
    async with wire([chunked(b"retry: 5000\n", A, last=False)], then=[chunked(B)]) as server:
        ran = await run(server.url, timeouts=Timeouts(total=0.1), policy=QUICK, virtual=False)
        assert len(server.seen) == 1
    assert ran.outcome == "failed"
    assert ran.driver.error is not None
    assert ran.driver.error.code == "total-timeout"
    assert ran.closes == ["incomplete", "timeout"]


async def test_the_total_time_ends_an_attempt_to_reconnect_as_it_ends_a_stream() -> None:
    async with wire([chunked(A, last=False)], [HOLD]) as server:
        ran = await run(server.url, policy=QUICK, timeouts=Timeouts(total=0.5))
        assert len(server.seen) == 2
    assert ran.outcome == "failed"
    assert isinstance(ran.driver.error, StreamError)
    assert ran.driver.error.code == "total-timeout"


async def test_a_connect_timeout_names_the_step() -> None:
    async def never(*_: object, **__: object) -> object:
        await asyncio.sleep(10)
        return []

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asyncio.get_running_loop(), "getaddrinfo", never)
        ran = await run("http://host.invalid/", timeouts=Timeouts(connect=0.05))
    assert ran.driver.error is not None
    assert ran.driver.error.code == "connect-timeout"
    assert "resolving" in ran.driver.error.message


# Stopping


async def test_stop_while_reading_closes_the_connection() -> None:
    async with wire([CHUNKED, chunks(A), HOLD]) as server:

        def on(driver: Driver, record: object) -> None:
            if isinstance(record, Chunk):
                asyncio.get_running_loop().call_later(0.02, driver.stop)

        ran = await run(server.url, on=on, policy=QUICK)
        await asyncio.wait_for(server.gone.wait(), 1)
    assert ran.closes == ["client"]
    assert (ran.outcome, ran.driver.error) == ("stopped", None)


async def test_stop_before_an_answer() -> None:
    async with wire([HOLD]) as server:

        def on(driver: Driver, record: object) -> None:
            if isinstance(record, Request):
                asyncio.get_running_loop().call_later(0.02, driver.stop)

        ran = await run(server.url, on=on, policy=QUICK)
        await asyncio.wait_for(server.gone.wait(), 1)
    assert ran.closes == ["client"]
    assert ran.outcome == "stopped"


async def test_stop_during_the_wait_cancels_it() -> None:
    async with wire([chunked(b"retry: 60000\n", A, last=False)], then=[chunked(B)]) as server:

        def on(driver: Driver, record: object) -> None:
            if isinstance(record, Reconnect):
                asyncio.get_running_loop().call_later(0.02, driver.stop)

        began = time.monotonic()
        ran = await run(server.url, on=on, policy=QUICK, virtual=False)
        assert time.monotonic() - began < 1
        assert len(server.seen) == 1
    assert ran.outcome == "stopped"
    assert ran.closes == ["incomplete", "client"]


async def test_stop_at_once_sends_nothing_more() -> None:
    async with wire(then=[chunked(A, last=False)]) as server:
        ran = await run(server.url, on=lambda driver, _: driver.stop(), policy=QUICK)
    assert ran.outcome == "stopped"
    assert ran.of(Reconnect) == []


async def test_leaving_early_leaves_nothing_behind() -> None:
    async with wire([CHUNKED, chunks(A), HOLD]) as server:
        driver = make(server.url)
        async with contextlib.aclosing(driver.records()) as records:
            async for record in records:
                if isinstance(record, Chunk):
                    break
        await asyncio.wait_for(server.gone.wait(), 1)
        others = asyncio.all_tasks() - {asyncio.current_task()}
        assert not [task for task in others if "wire" not in repr(task)]


async def test_cancelling_the_reader_leaves_nothing_behind() -> None:
    async with wire([CHUNKED, chunks(A), HOLD]) as server:
        task = asyncio.create_task(run(server.url))
        while not server.seen or not server.seen[0].sent:
            await asyncio.sleep(0.005)
        await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(server.gone.wait(), 1)


async def test_connections_are_numbered_over_turns() -> None:
    numbers = itertools.count(1).__next__
    async with wire([chunked(A, last=False)], then=[chunked(B, DONE)]) as server:
        first = await run(server.url, next_conn=numbers, policy=QUICK, dialect=Marked())
        second = await run(server.url, next_conn=numbers, policy=NEVER, dialect=Plain())
    assert [record.conn for record in first.of(Request)] == [1, 2]
    assert [record.conn for record in second.of(Request)] == [3]
