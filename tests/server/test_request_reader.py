"""Requests are cut from a connection's bytes alike however these are split, and within their bounds."""

from __future__ import annotations

import random
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sse_tui.server.api_errors import ApiError
from sse_tui.server.http_exchange import asgi_request
from sse_tui.server.request_reader import HEAD_BYTES, HEAD_FIELDS, RequestReader
from tests.fuzz.mutation import mutated

HEAD = b"POST / HTTP/1.1\r\nHost: localhost\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"


class Read(NamedTuple):
    """A request that was read, and the offset of its end."""

    target: bytes
    body: bytes
    end: int


def read(wire: bytes, cuts: list[int]) -> list[Read]:
    """All requests of `wire` when it comes in pieces that end at `cuts`."""
    reader, found, offset = RequestReader(), [], 0
    for start, stop in zip([0, *cuts], [*cuts, len(wire)], strict=True):
        piece, at = wire[start:stop], 0
        while at < len(piece):
            taken = reader.take(piece, at)
            assert taken > 0
            at, offset = at + taken, offset + taken
            if reader.complete:
                assert reader.head is not None
                found.append(Read(reader.head.target, b"".join(reader.body), offset))
                reader.next()
    return found


REQUESTS = [
    b"GET /a HTTP/1.1\r\nHost: x\r\n\r\n",
    b"\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n",
    HEAD + b"Content-Length: 12\r\n\r\n\r\n\r\nab\r\n\r\ncd",
    HEAD + b"Content-Length: 0\r\n\r\n",
    CHUNKED + b"4\r\n\r\n\r\n\r\n0\r\n\r\n",
    CHUNKED + b"2;x=y\r\nab\r\n5\r\n\r\nab\r\r\n0\r\nX: 1\r\nY: 2\r\n\r\n",
    b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
]
WIRE = b"".join(REQUESTS)
ENDS = [len(b"".join(REQUESTS[: i + 1])) for i in range(len(REQUESTS))]


def test_each_split_gives_the_same_requests() -> None:
    whole = read(WIRE, [])
    assert [request.end for request in whole] == ENDS, "no byte of the next request is taken"
    assert [request.body for request in whole] == [
        b"", b"", b"\r\n\r\nab\r\n\r\ncd", b"", b"\r\n\r\n", b"ab\r\nab\r", b"",
    ]  # fmt: skip
    for cut in range(1, len(WIRE)):
        assert read(WIRE, [cut]) == whole
    assert read(WIRE, list(range(1, len(WIRE)))) == whole


@settings(max_examples=200, deadline=None)
@given(
    order=st.lists(st.sampled_from(REQUESTS), min_size=1, max_size=6),
    cuts=st.lists(st.integers(1, 600), max_size=8, unique=True),
)
def test_any_order_and_any_splits(order: list[bytes], cuts: list[int]) -> None:
    wire = b"".join(order)
    assert read(wire, sorted(cut for cut in cuts if cut < len(wire))) == read(wire, [])


FILLER = b"a" * 3 * HEAD_BYTES
MANY_FIELDS = b"".join(b"X-%d: 1\r\n" % number for number in range(HEAD_FIELDS))


@pytest.mark.parametrize(
    ("start", "endless", "status", "code"),
    [
        (b"GET /", FILLER, 414, "url_too_long"),
        (b"GET / HTTP/1.1\r\nX: ", FILLER, 431, "head_too_large"),
        (b"GET / HTTP/1.1\r\n", FILLER, 431, "head_too_large"),
        (b"GET / HTTP/1.1\r\nHost: x\r\n" + MANY_FIELDS, b"\r\n", 431, "too_many_fields"),
        (b"", b"\r\n" * HEAD_BYTES, 431, "head_too_large"),
        (CHUNKED + b"1\r\na\r\n0\r\n", FILLER, 431, "trailers_too_large"),
        (CHUNKED + b"1\r\na\r\n0\r\nX: ", FILLER, 431, "trailers_too_large"),
        (CHUNKED + b"1\r\na\r\n0\r\n" + MANY_FIELDS, b"\r\n", 431, "too_many_fields"),
        (CHUNKED + b"1\r\na\r\n1;x=", FILLER, 431, "trailers_too_large"),
    ],
    ids=range(9),
)
@pytest.mark.parametrize("piece", [1, 7, 1000, 100_000])
def test_what_has_no_end_is_refused_at_the_bound(
    start: bytes, endless: bytes, status: int, code: str, piece: int
) -> None:
    wire = start + endless
    reader, taken = RequestReader(), 0
    with pytest.raises(ApiError) as caught:
        for begin in range(0, len(wire), piece):
            data, at = wire[begin : begin + piece], 0
            while at < len(data):
                at += reader.take(data, at)
            taken += at
    assert (caught.value.status, caught.value.code) == (status, code)
    # One piece with the body's last byte and what follows is not counted.
    assert taken <= len(start) + 2 * HEAD_BYTES


def test_what_is_as_large_as_allowed_is_read() -> None:
    fields = b"".join(b"X-%d: 1\r\n" % number for number in range(HEAD_FIELDS - 1))
    head = b"GET / HTTP/1.1\r\nHost: x\r\n" + fields + b"\r\n"
    assert len(read(head, [])) == 1
    start = b"GET / HTTP/1.1\r\nHost: x\r\nX: "
    wire = start + b"a" * (HEAD_BYTES - len(start) - 4) + b"\r\n\r\n"
    assert len(wire) == HEAD_BYTES
    assert len(read(wire + CHUNKED + b"1;x=y\r\na\r\n0\r\n\r\n", [])) == 2, "and the bound begins anew"
    chunks = b"".join(b"1;x=%b\r\na\r\n" % (b"y" * 1000) for _ in range(100))
    assert read(CHUNKED + chunks + b"0\r\n\r\n", [])[0].body == b"a" * 100


@pytest.mark.parametrize(
    "wire",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"hello\r\n",
        b"GET / HTTP/1.1\nHost: x\n\n",
        b"GET / HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost : x\r\n\r\n",
        HEAD + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        HEAD + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef",
        HEAD + b"Content-Length: -5\r\n\r\n",
        HEAD + b"Content-Length: 99999999999999999999999\r\n\r\n",
        HEAD + b"Transfer-Encoding: gzip\r\n\r\n",
        CHUNKED + b"zz\r\n",
        CHUNKED + b"1\r\nab\r\n",
        CHUNKED + b"fffffffffffffffff\r\n",
    ],
)
def test_what_is_no_request_is_refused_at_once(wire: bytes) -> None:
    reader, at = RequestReader(), 0
    with pytest.raises(ApiError) as caught:
        while at < len(wire):
            at += reader.take(wire, at)
    assert (caught.value.status, caught.value.code) == (400, "bad_request")


WORDS = (
    *(
        b"\r\n",
        b"\n",
        b"\r\n\r\n",
        b" ",
        b":",
        b"\x00",
        b"\xff",
        b"%",
        b"%ff",
        b"?",
        b"#",
        b"[",
        b"@",
        b"http://",
        b"*",
    ),
    *(
        b"HTTP/1.0",
        b"HTTP/2.0",
        b"HTTP/0.9",
        b"CONNECT ",
        b"PRI ",
        b"Upgrade: h2c\r\nConnection: upgrade\r\n",
    ),
    *(
        b"Content-Length: 3\r\n",
        b"Content-Length: 99999999999999999999\r\n",
        b"Transfer-Encoding: chunked\r\n",
    ),
    *(
        b"Expect: 100-continue\r\n",
        b"ffffffff\r\n",
        b"0\r\n",
        b";a=b",
        b"Connection: close\r\n",
        b"Host:\r\n",
    ),
)


def outcome(wire: bytes, cuts: list[int]) -> tuple[list[Read], str]:
    """The requests that come before the first refusal, and its code."""
    reader, found, offset = RequestReader(), [], 0
    for start, stop in zip([0, *cuts], [*cuts, len(wire)], strict=True):
        piece, at = wire[start:stop], 0
        while at < len(piece):
            try:
                taken = reader.take(piece, at)
                assert 0 < taken <= len(piece) - at
                at, offset = at + taken, offset + taken
                if reader.complete:
                    assert reader.head is not None
                    asgi_request(reader.head, {})
                    found.append(Read(reader.head.target, b"".join(reader.body), offset))
                    if not reader.head.keep_alive:
                        return found, "close"
                    reader.next()
            except ApiError as error:
                return found, error.code
    return found, ""


def test_what_is_not_understood_is_refused_alike_however_it_comes() -> None:
    dice = random.Random(7)
    seeds = [*REQUESTS, WIRE]
    for _ in range(1500):
        wire = mutated(seeds, WORDS, dice)
        assert outcome(wire, list(range(1, len(wire)))) == outcome(wire, []), wire
