"""``curl -i`` and messages as they were on the wire."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from typing import Any

import pytest

from sse_tui.errors import RecordingError
from sse_tui.recording import enough, open_any, sniff
from sse_tui.recording.records import Request, Response

BODY = b"id: 1\ndata: caf\xc3\xa9\n\n: ping\n\ndata: last\n\n"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nX-Thing: a: b\r\n\r\n"


def test_a_head_and_a_body(opened: Callable[..., Any]) -> None:
    assert sniff(HEAD + BODY) == "http"
    found = opened(HEAD + BODY)
    assert found.clock == "none"
    assert found.body == BODY
    assert found.of(Response)[0].headers == [("Content-Type", "text/event-stream"), ("X-Thing", "a: b")]
    assert found.endings == [(1, "eof")]


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_http_2_and_either_line_end(opened: Callable[..., Any], end: bytes) -> None:
    found = opened(b"HTTP/2 200 \r\ncontent-type: text/event-stream\r\n\r\n".replace(b"\r\n", end) + BODY)
    assert (found.statuses, found.body) == ([200], BODY)
    assert found.of(Response)[0].http_version == "HTTP/2"


def test_interim_answers_and_redirects_come_before(opened: Callable[..., Any]) -> None:
    before = (
        b"HTTP/1.1 200 Connection established\r\n\r\n"
        b"HTTP/1.1 100 Continue\r\n\r\n"
        b"HTTP/1.1 302 Found\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n"
    )
    found = opened(before + HEAD + BODY)
    assert found.statuses == [200, 302, 200]
    assert found.endings == [(1, "eof"), (2, "eof"), (3, "eof")]
    assert {record.turn for record in found.of(Response)} == {1}
    assert found.body == BODY


def chunked(*parts: bytes, last: bool = True) -> bytes:
    coded = b"".join(f"{len(part):x}\r\n".encode() + part + b"\r\n" for part in parts)
    return coded + (b"0\r\n\r\n" if last else b"")


CHUNKED = HEAD[:-2] + b"Transfer-Encoding: chunked\r\n\r\n"


def test_a_chunked_body_as_mitmproxy_exports_it(opened: Callable[..., Any]) -> None:
    found = opened(CHUNKED + chunked(BODY[:9], BODY[9:]))
    assert (found.body, found.endings) == (BODY, [(1, "eof")])


def test_the_same_headers_with_a_body_that_curl_has_decoded(opened: Callable[..., Any]) -> None:
    found = opened(CHUNKED + BODY)
    assert (found.body, found.endings) == (BODY, [(1, "eof")])


def test_a_chunked_body_without_its_end_is_incomplete(opened: Callable[..., Any]) -> None:
    assert opened(CHUNKED + chunked(BODY, last=False)).endings == [(1, "incomplete")]
    broken = opened(CHUNKED + chunked(BODY, last=False) + b"zz\r\n")
    assert (broken.body, broken.endings) == (BODY, [(1, "error")])


def test_fewer_bytes_than_promised_are_incomplete(opened: Callable[..., Any]) -> None:
    head = HEAD[:-2] + b"Content-Length: 100\r\n\r\n"
    assert opened(head + BODY).endings == [(1, "incomplete")]
    assert opened(head + BODY.ljust(100, b"\n")).endings == [(1, "eof")]


def test_a_content_coding_that_curl_undid_is_not_undone_again(opened: Callable[..., Any]) -> None:
    head = HEAD[:-2] + b"Content-Encoding: gzip\r\nContent-Length: 20\r\n\r\n"
    plain = opened(head + BODY)
    assert "Content-Encoding" not in dict(plain.of(Response)[0].headers)
    assert plain.endings == [(1, "eof")]
    packed = HEAD[:-2] + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(BODY)
    kept = opened(packed)
    assert dict(kept.of(Response)[0].headers)["Content-Encoding"] == "gzip"
    assert gzip.decompress(kept.body) == BODY


def test_a_request_before_the_response(opened: Callable[..., Any]) -> None:
    request = b'POST /v1 HTTP/1.1\r\nHost: h:1\r\nContent-Length: 15\r\n\r\n{"stream":true}'
    found = opened(request + b"\r\n\r\n" + HEAD + BODY)
    assert found.requests == [("POST", "http://h:1/v1")]
    assert found.of(Request)[0].body == '{"stream":true}'
    assert found.body == BODY


def test_a_dump_that_ends_in_its_head(opened: Callable[..., Any]) -> None:
    found = opened(HEAD[:40])
    assert (found.statuses, found.endings) == ([200], [(1, "incomplete")])


def test_no_body_at_all(opened: Callable[..., Any]) -> None:
    assert opened(b"HTTP/1.1 204 No Content\r\nContent-Length: 3\r\n\r\n").endings == [(1, "eof")]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 50_000, "larger than"),
        (b"GET / HTTP/1.1\r\n\r\nHTTP/1.1 2x0 OK\r\n\r\n", "not an HTTP status line"),
        (b"GET / HTTP/1.1\r\n\r\nnothing\r\n\r\n", "Expected a response"),
        (b"GET / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n", "too large"),
    ],
)
def test_what_is_malformed_is_named(data: bytes, words: str, tmp_path: object) -> None:
    import io

    with pytest.raises(RecordingError, match=words):
        list(open_any(io.BytesIO(data)))


@pytest.mark.parametrize(
    ("first", "decided"),
    [
        (b"data: x", False),
        (b"data: x\r", True),
        (b"data: x\n", True),
        (b"data: " + b"x" * 5000, True),
        (b"HTTP/1.1 200 OK\r\n", True),
        (b"* Host h was resolved.\n", True),
        (b"{\n", False),
        (b'{\n "log": {\n', True),
        (b"---\n", False),
        (b"---\nhttp_interactions:\n", True),
        (b"# made by a tool\n", False),
        (b"id\ttype\tdata\ttime\n", True),
        (b"1\tmessage\tline one\n", False),
        (b"1\tmessage\tline one\nline two\t13:00:00\n", True),
        (b"", False),
    ],
)
def test_no_more_is_read_than_needed_to_tell(first: bytes, decided: bool) -> None:
    """A live pipe is shown from its first line on."""
    assert enough(first) == decided


@pytest.mark.parametrize("first", [b"* a list item\ndata: x\n\n", b"> quoted\n", b"< less\n", b"GET me\n"])
def test_what_only_looks_like_curl_is_a_stream(first: bytes) -> None:
    assert sniff(first) == "event-stream"
