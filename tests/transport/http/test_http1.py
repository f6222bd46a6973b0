"""HTTP/1.1 framing, mostly without a socket."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sse_tui.analysis.analysis import Analysis
from sse_tui.diagnosis.rules.irregular_http import KINDS
from sse_tui.recording.record_lines import decode_record, encode_line
from sse_tui.recording.records import Close, Irregularity, Response
from sse_tui.transport.http.http1 import HEAD_LIMIT, ResponseReader, encode_request
from sse_tui.transport.http.response_head import Head, HeadError, Http1Error
from tests.transport.turns import QUICK, run
from tests.transport.wire import wire

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
    assert reader.head == Head(200, b"Fine", "HTTP/1.1", [(b"B", b"1"), (b"a", b"2"), (b"B", b"3")])


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


EVENT = b"data: a\n\n"
TE = b"Transfer-Encoding: chunked\r\n"
CHUNKS = b"9\r\n" + EVENT + b"\r\n0\r\n\r\n"

# What curl 7.88 and 8, and mostly httpx, read all the same.
IRREGULAR = {
    Irregularity.LF_IN_HEAD: [
        b"HTTP/1.1 200 OK\nContent-Type: text/event-stream\nTransfer-Encoding: chunked\n\n" + CHUNKS,
        OK + b"X: 1\n" + TE + b"\r\n" + CHUNKS,
        OK + TE + b"\n" + CHUNKS,
    ],
    Irregularity.STATUS_LINE: [
        b"HTTP/1.1  200 OK\r\n" + TE + b"\r\n" + CHUNKS,
        b"http/1.1 200 OK\r\n" + TE + b"\r\n" + CHUNKS,
        b"HTTP/1.2 200 OK\r\n" + TE + b"\r\n" + CHUNKS,
        b"HTTP/2 200 OK\r\n" + TE + b"\r\n" + CHUNKS,
    ],
    Irregularity.OBS_FOLD: [OK + b"X: a\r\n  b\r\n\tc\r\n" + TE + b"\r\n" + CHUNKS],
    Irregularity.SPACE_BEFORE_COLON: [OK + b"X : a\r\n" + TE + b"\r\n" + CHUNKS],
    Irregularity.HEADER_NAME: [
        OK + b"X Y: a\r\n" + TE + b"\r\n" + CHUNKS,
        OK + b"X(y): a\r\n" + TE + b"\r\n" + CHUNKS,
        OK + b": a\r\n" + TE + b"\r\n" + CHUNKS,
    ],
    Irregularity.CONTROL_CHARACTER: [
        OK + b"X: a\x01b\r\n" + TE + b"\r\n" + CHUNKS,
        OK + b"X: a\x7f\r\n" + TE + b"\r\n" + CHUNKS,
        OK + b"X: a\rb\r\n" + TE + b"\r\n" + CHUNKS,
    ],
    Irregularity.LENGTH_AND_CHUNKED: [
        OK + b"Content-Length: 3\r\n" + TE + b"\r\n" + CHUNKS,
        OK + TE + b"Content-Length: 3\r\n\r\n" + CHUNKS,
    ],
    Irregularity.REPEATED_LENGTH: [
        OK + b"Content-Length: 9\r\nContent-Length: 9\r\n\r\n" + EVENT,
        OK + b"Content-Length: 9, 9\r\n\r\n" + EVENT,
    ],
    Irregularity.TRANSFER_CODINGS: [
        OK + b"Transfer-Encoding: identity\r\nContent-Length: 9\r\n\r\n" + EVENT,
        OK + TE + TE + b"\r\n" + CHUNKS,
        OK + b"Transfer-Encoding: chunked, chunked\r\n\r\n" + CHUNKS,
    ],
    Irregularity.LF_IN_CHUNKED: [
        OK + TE + b"\r\n9\n" + EVENT + b"\n0\n\n",
        OK + TE + b"\r\n9\r\n" + EVENT + b"\r\n0\r\nX-Trailer: 1\n\n",
        OK + TE + b"\r\n9\n" + EVENT + b"\r\n0\nX-Trailer: 1\n\n",
    ],
    Irregularity.SPACE_AFTER_SIZE: [
        OK + TE + b"\r\n9 \r\n" + EVENT + b"\r\n0\r\n\r\n",
        OK + TE + b"\r\n9 ; a=b\r\n" + EVENT + b"\r\n0  \r\n\r\n",
        OK + TE + b"\r\n0009\r\n" + EVENT + b"\r\n0   \r\n\r\n",
    ],
}


def test_every_kind_is_tried_and_has_words() -> None:
    assert set(IRREGULAR) == set(KINDS) == set(Irregularity)


@pytest.mark.parametrize("kind", Irregularity)
def test_irregular_responses_are_read_and_noted(kind: Irregularity) -> None:
    for message in IRREGULAR[kind]:
        for size in (1, 2, 5, len(message)):
            reader = ResponseReader()
            body = b"".join(reader.feed(message[at : at + size]) for at in range(0, len(message), size))
            assert body == EVENT
            assert reader.complete
            assert not reader.broken
            assert reader.head is not None
            assert {*reader.head.irregular, *reader.irregular} == {kind}


@pytest.mark.parametrize("kind", Irregularity)
async def test_an_irregular_response_is_a_finding(kind: Irregularity) -> None:
    """Over a socket: the stream is read, the record says what was irregular, and a rule tells it."""
    async with wire([IRREGULAR[kind][0]]) as server:
        ran = await run(server.url, any_type=True)
    assert ran.body() == EVENT
    assert ran.closes == ["eof"]
    assert [*ran.of(Response)[0].irregular, *ran.of(Close)[0].irregular] == [kind]
    analysis = Analysis()
    for record in ran.records:
        analysis.feed(decode_record(encode_line(record)))
    (finding,) = [finding for finding in analysis.findings if finding.rule == "irregular-http"]
    assert finding.evidence == {"kind": kind.value}
    assert KINDS[kind][0] in finding.message


async def test_what_no_client_reads_is_a_clear_error_and_not_asked_for_again() -> None:
    async with wire([OK + b"Content-Length: 9\r\nContent-Length: 12\r\n\r\n" + EVENT]) as server:
        ran = await run(server.url, policy=QUICK)
    assert ran.driver.error is not None
    assert (ran.driver.error.code, ran.driver.error.exit_code) == ("unreadable-response", 3)
    assert "contradict each other (12 and 9)" in ran.driver.error.message
    assert ran.waits == []


@pytest.mark.parametrize(
    "message",
    [
        OK + TE + b"\r\n9;a=b\r\n" + EVENT + b"\r\n0;c\r\n\r\n",
        OK + TE + b'\r\n9;a="x;y"\r\n' + EVENT + b"\r\n0\r\nX-Trailer: 1\r\n\r\n",
        OK + TE + b"\r\n000000009\r\n" + EVENT + b"\r\n0000\r\n\r\n",
        b"HTTP/1.1 200\r\nTRANSFER-ENCODING: Chunked\r\n\r\n" + CHUNKS,
        b"HTTP/1.0 200 OK\r\n" + TE + b"\r\n" + CHUNKS,
        b"\r\n" + OK + b"X: \xe9\r\nY:\r\n" + TE + b"\r\n" + CHUNKS + b"HTTP/1.1 200",
    ],
)
def test_regular_responses_are_not_noted(message: bytes) -> None:
    for size in (1, 4, len(message)):
        reader = ResponseReader()
        body = b"".join(reader.feed(message[at : at + size]) for at in range(0, len(message), size))
        assert (body, reader.complete, reader.broken) == (EVENT, True, "")
        assert reader.head is not None
        assert not {*reader.head.irregular, *reader.irregular}


def test_a_folded_header_is_one_value() -> None:
    reader = ResponseReader()
    reader.feed(IRREGULAR[Irregularity.OBS_FOLD][0])
    assert reader.head is not None
    assert (b"X", b"a b c") in reader.head.headers


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        (b"Content-Length: 9\r\nContent-Length: 12\r\n", "contradict each other (12 and 9)"),
        (b"Content-Length: -9\r\n", "Content-Length is '-9'"),
        (b"Content-Length: abc\r\n", "Content-Length is 'abc'"),
        (b"Content-Length:\r\n", "Content-Length is ''"),
        (b"Content-Length: 1" + b"0" * 30 + b"\r\n", "Content-Length is '1000"),
        (b"Transfer-Encoding: br, chunked\r\n", "'br' is not supported"),
        (b"nonsense\r\n", "b'nonsense' has no colon"),
        (b"X: a\0b\r\n", "NUL"),
    ],
)
def test_what_clients_refuse_is_refused_with_its_reason(fields: bytes, said: str) -> None:
    with pytest.raises(HeadError) as caught:
        ResponseReader().feed(OK + fields + b"\r\n" + EVENT)
    assert said in str(caught.value)


def test_a_continuation_of_nothing_is_refused() -> None:
    with pytest.raises(HeadError, match="continuation"):
        ResponseReader().feed(b"HTTP/1.1 200 OK\r\n X: 1\r\n\r\n")


@pytest.mark.parametrize(
    ("chunks", "body", "said"),
    [
        (b"9\r\n" + EVENT + b"\r\nzz\r\n", EVENT, "invalid character in chunk size"),
        (b"9\n" + EVENT + b"\nzz\r\n", EVENT, "b'zz' is not a chunk size"),
        (b"9\r\n" + EVENT + b"0\r\n\r\n", EVENT, "expected LF after chunk data"),
        (b"9\n" + EVENT + b"0\r\n\r\n", EVENT, "a chunk is longer than its size says"),
        (b" 9\r\n" + EVENT, b"", "b' 9' is not a chunk size"),
        (b"0x9\r\n" + EVENT, b"", "b'0x9' is not a chunk size"),
        (b"-9\r\n" + EVENT, b"", "b'-9' is not a chunk size"),
        (b"f" * 17 + b"\r\n" + EVENT, b"", "chunk size overflow"),
        (b"9;" + b"x" * 5000, b"", "a chunk's size line does not end"),
        (b"0\r\n" + (b"X: " + b"x" * 100 + b"\r\n") * 1000, b"", "are longer than 65536 bytes"),
        (b"0\n" + (b"X: " + b"x" * 100 + b"\r\n") * 1000, b"", "are longer than 65536 bytes"),
        (b"0\r\nX: " + b"x" * 100_000, b"", "are longer than 65536 bytes"),
    ],
)
def test_broken_chunks_are_told(chunks: bytes, body: bytes, said: str) -> None:
    message = OK + TE + b"\r\n" + chunks
    for size in (1, 7, len(message)):
        reader, got, at = ResponseReader(), b"", 0
        while at < len(message) and not reader.broken:
            got += reader.feed(message[at : at + size])
            at += size
        assert got == body
        assert said in reader.broken


def test_a_long_folded_header_takes_linear_time() -> None:
    reader = ResponseReader()
    reader.feed(OK + b"X: a\r\n" + b" b\r\n" * 50_000 + b"\r\n")
    assert reader.head is not None
    assert len(reader.head.headers[1][1]) == 100_001


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
