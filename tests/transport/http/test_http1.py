"""HTTP/1.1 framing without a socket."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sse_tui.transport.http.http1 import HEAD_LIMIT, Http1Error, ResponseReader, encode_request

OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"


def test_a_request_is_written_whole() -> None:
    message = encode_request("POST", b"/a?b", [(b"Host", b"h"), (b"X", "é".encode())], b"body")
    assert message == b"POST /a?b HTTP/1.1\r\nHost: h\r\nX: \xc3\xa9\r\n\r\nbody"


@pytest.mark.parametrize("value", [b"a\r\nB: c", b"a\nb", b"a\rb", b"a\0b"])
def test_a_header_cannot_smuggle_a_line(value: bytes) -> None:
    with pytest.raises(ValueError, match="line end"):
        encode_request("GET", b"/", [(b"X", value)], b"")


def test_the_head_keeps_names_order_and_repeats() -> None:
    reader = ResponseReader()
    reader.feed(b"HTTP/1.1 200 Fine\r\nB: 1\r\na: 2\r\nB: 3\r\n\r\n")
    assert reader.head is not None
    assert reader.head == (200, b"Fine", "HTTP/1.1", [(b"B", b"1"), (b"a", b"2"), (b"B", b"3")])


@pytest.mark.parametrize(
    ("message", "complete", "missing"),
    [
        (OK + b"\r\nabc", False, ""),
        (OK + b"Content-Length: 3\r\n\r\nabc", True, ""),
        (OK + b"Content-Length: 5\r\n\r\nabc", False, "2 of the bytes that Content-Length announced"),
        (OK + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", True, ""),
        (
            OK + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n",
            False,
            "the last chunk of the chunked body",
        ),
        (OK + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc", False, "the last chunk of the chunked body"),
        (b"HTTP/1.0 200 OK\r\n\r\nabc", False, ""),
        (b"HTTP/1.1 100 Continue\r\n\r\n" + OK + b"Content-Length: 3\r\n\r\nabc", True, ""),
    ],
)
def test_where_a_body_ends(message: bytes, complete: bool, missing: str) -> None:
    for size in (1, 3, len(message)):
        reader = ResponseReader()
        body = b"".join(reader.feed(message[at : at + size]) for at in range(0, len(message), size))
        assert body == b"abc"
        assert (reader.complete, reader.missing()) == (complete, missing)


def test_statuses_without_a_body_are_complete_at_once() -> None:
    for head in (b"HTTP/1.1 204 No Content\r\n\r\n", b"HTTP/1.1 304 Same\r\nContent-Length: 5\r\n\r\n"):
        reader = ResponseReader()
        reader.feed(head)
        assert reader.complete
    reader = ResponseReader("HEAD")
    reader.feed(OK + b"Content-Length: 5\r\n\r\n")
    assert reader.complete


def test_bytes_after_the_end_are_ignored() -> None:
    reader = ResponseReader()
    assert reader.feed(OK + b"Content-Length: 3\r\n\r\nabcHTTP/1.1 500 No\r\n\r\n") == b"abc"
    assert reader.feed(b"more") == b""
    assert reader.head is not None
    assert reader.head.status == 200


def test_broken_framing_costs_nothing_of_the_body_before_it() -> None:
    reader = ResponseReader()
    assert reader.feed(OK + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\n") == b"abc"
    assert reader.broken


@pytest.mark.parametrize(
    "garbage", [b"SSH-2.0\r\n", b"\x16\x03\x01", b"HTTP/9.9 200 OK\r\n\r\n", b"HTTP/1.1 abc\r\n"]
)
def test_garbage_is_an_error(garbage: bytes) -> None:
    with pytest.raises(Http1Error):
        ResponseReader().feed(garbage)


def test_both_lengths_at_once_are_refused() -> None:
    """RFC 9112, section 6.3: a sign of smuggling."""
    reader = ResponseReader()
    with pytest.raises(Http1Error):
        reader.feed(OK + b"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n")


def test_headers_have_a_limit() -> None:
    reader = ResponseReader()
    reader.feed(OK)
    with pytest.raises(Http1Error, match="longer than"):
        for n in range(HEAD_LIMIT // 100 + 1):
            reader.feed(b"X-%06d: " % n + b"x" * 100 + b"\r\n")


@given(st.lists(st.binary(min_size=1, max_size=30), max_size=8), st.lists(st.integers(1, 25), max_size=40))
def test_the_body_does_not_depend_on_the_reads(pieces: list[bytes], cuts: list[int]) -> None:
    message = OK + b"Transfer-Encoding: chunked\r\n\r\n"
    message += b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
    reader, got, at = ResponseReader(), b"", 0
    for size in [*cuts, len(message)]:
        if at < len(message):
            got += reader.feed(message[at : at + size])
        at += size
    assert got == b"".join(pieces)
    assert reader.complete
