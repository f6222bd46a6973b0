"""``curl -v`` with both outputs in one file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sse_tui.recording import import_pieces, sniff
from sse_tui.recording.records import Chunk, Close, Request, Response

BODY = b"id: 1\ndata: one\n\ndata: * not a remark\n\ndata: [DONE]\n\n"
BEFORE = b"""\
* Host localhost:8080 was resolved.
*   Trying 127.0.0.1:8080...
* Connected to localhost (127.0.0.1) port 8080
> POST /v1 HTTP/1.1\r
> Host: localhost:8080\r
> Last-Event-ID: 7\r
> \r
} [17 bytes data]
* upload completely sent off: 17 bytes
< HTTP/1.1 200 OK\r
< content-type: text/event-stream\r
< transfer-encoding: chunked\r
< \r
{ [12 bytes data]
"""
AFTER = b"* Connection #0 to host localhost left intact\n"


def test_request_response_and_body(opened: Callable[..., Any]) -> None:
    assert sniff(BEFORE) == "curl-verbose"
    found = opened(BEFORE + BODY + AFTER)
    assert found.requests == [("POST", "http://localhost:8080/v1")]
    assert ("Last-Event-ID", "7") in found.of(Request)[0].headers
    assert found.statuses == [200]
    assert found.body == BODY
    assert found.endings == [(1, "eof")]


def test_a_remark_right_after_the_last_byte(opened: Callable[..., Any]) -> None:
    body = BODY.rstrip(b"\n")
    assert opened(BEFORE + body + AFTER).body == body


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (b"curl: (18) transfer closed with outstanding read data remaining\n", "incomplete"),
        (b"curl: (56) Recv failure: Connection reset by peer\n", "reset"),
        (b"curl: (28) Operation timed out\n", "timeout"),
        (b"curl: (3) other\n", "error"),
    ],
)
def test_how_curl_failed(opened: Callable[..., Any], words: bytes, reason: str) -> None:
    found = opened(BEFORE + BODY + b"* Closing connection\n" + words)
    assert (found.body, found.endings) == (BODY, [(1, reason)])
    assert found.of(Close)[0].detail == words.decode().strip()


def test_redirects_are_connections_of_one_turn(opened: Callable[..., Any]) -> None:
    first = BEFORE.replace(b"200 OK", b"307 Temporary Redirect")
    found = opened(first + b"* Issue another request to this URL: '/there'\n" + BEFORE + BODY)
    assert found.statuses == [307, 200]
    assert [request.conn for request in found.of(Request)] == [1, 2]
    assert {record.turn for record in found.of(Response)} == {1}
    assert found.body == BODY


def test_a_progress_meter_is_passed_over(opened: Callable[..., Any]) -> None:
    meter = (
        b"  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\n"
        b"                                 Dload  Upload   Total   Spent    Left  Speed\n"
        b"\r  0     0    0     0    0     0      0      0 --:--:-- --:--:-- --:--:--     0\n"
    )
    assert opened(meter + BEFORE + BODY).body == BODY


METER = (
    b"  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\n"
    b"                                 Dload  Upload   Total   Spent    Left  Speed\n"
)


def test_heads_of_curl_i_behind_a_progress_meter(opened: Callable[..., Any]) -> None:
    heads = (
        b"HTTP/1.1 307 Temporary Redirect\r\nLocation: /x\r\n\r\n"
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
    )
    found = opened(METER + heads + BODY)
    assert (found.statuses, found.body) == ([307, 200], BODY)
    assert opened(METER + heads + BODY + b"HTTP/1.1 200 is no head here\n\n").statuses == [307, 200]


def test_lines_that_end_with_cr_alone_pass_as_they_come() -> None:
    pieces = [
        (1, BEFORE),
        (2, b"id: 1\n"),
        (3, b"data: o"),
        (4, b"ne\r\rdata"),
        (5, b": two\r\r"),
        (6, AFTER),
    ]
    records = import_pieces("curl-verbose", pieces, clock="read").records
    chunks = [(record.t, record.data) for record in records if isinstance(record, Chunk)]
    assert chunks == [(2, b"id: 1\n"), (4, b"data: one\r\rdata"), (5, b": two\r\r")]


def test_tls_gives_https(opened: Callable[..., Any]) -> None:
    tls = b"* SSL connection using TLSv1.3 / TLS_AES_256_GCM_SHA384\n> "
    assert opened(BEFORE.replace(b"> ", tls, 1) + BODY).requests == [("POST", "https://localhost:8080/v1")]


def test_no_connection_at_all(opened: Callable[..., Any]) -> None:
    found = opened(b"*   Trying 127.0.0.1:1...\n* connect failed\ncurl: (7) Failed to connect\n")
    assert (found.body, found.endings) == (b"", [])


def test_a_body_without_line_ends_passes_on(opened: Callable[..., Any]) -> None:
    body = b"data: " + b"x" * 100_000
    assert opened(BEFORE + body).body == body
    assert opened(BEFORE + BODY.replace(b"\n", b"\r")).body == BODY.replace(b"\n", b"\r")
