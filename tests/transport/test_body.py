"""How a body is framed and coded, and how it ends."""

from __future__ import annotations

import gzip
import zlib

import pytest

from sse_tui.analysis.analysis import Analysis
from sse_tui.errors import StreamError
from sse_tui.eventstream import Event
from sse_tui.recording.records import Chunk, Close
from tests.transport.playbook import Asks, Closes, Ends, Gets, Waits, conversation
from tests.transport.turns import NEVER, QUICK, run
from tests.transport.wire import (
    CHUNKED,
    HOLD,
    OK,
    RST,
    UNTIL_CLOSE,
    Sleep,
    Step,
    chunked,
    chunks,
    response,
    sized,
    wire,
)

A, B, C = b"id: 1\ndata: a\n\n", b"id: 2\ndata: b\n\n", b"id: 3\ndata: c\n\n"
DONE = b"data: [DONE]\n\n"


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
async def test_how_a_body_ends(script: list[Step], close: str) -> None:
    truncated = close != "eof"
    await conversation(
        Asks(),
        *script,
        Gets(A + B),
        Closes(close),
        Ends("truncated", "truncated-stream") if truncated else Ends("ended"),
    )


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
    await conversation(
        Asks(),
        OK + b"Content-Encoding: gzip\r\n\r\n" + coded,
        RST,
        Gets(coded),
        Closes("reset"),
        Waits("2"),
        Asks("2"),
        response("204 No Content"),
        Closes("refused"),
        Ends("ended", why="204"),
        policy=QUICK,
    )


async def test_gzip_as_a_transfer_coding_is_read() -> None:
    """Reported for clients that take off only the chunks: theelous3/asks#62."""
    coded = gzip.compress(A + B)
    body = b"%x\r\n%b\r\n0\r\n\r\n" % (len(coded), coded)
    async with wire([OK + b"Transfer-Encoding: gzip, chunked\r\n\r\n" + body]) as server:
        ran = await run(server.url, policy=NEVER)
    assert (ran.driver.error, ran.closes, ran.body()) == (None, ["eof"], coded)
    analysis = Analysis()
    events = [
        e.item.data for record in ran.records for e in analysis.feed(record) if isinstance(e.item, Event)
    ]
    assert events == ["a", "b"]


@pytest.mark.parametrize(
    ("coding", "body", "said"),
    [
        ("gzip", b"\x80" + A, "not valid gzip"),
        ("gzip", gzip.compress(A)[:10] + b"\xff" * 40, "not valid gzip"),
        ("br", b"\x0b\x02\x80id\x03", "cannot decode the coding br"),
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


@pytest.mark.parametrize("coding", [b"br", b"zstd", b"gzip", b"deflate", b"deflate, gzip"])
async def test_a_coding_that_is_only_claimed_does_no_harm(coding: bytes) -> None:
    """A proxy decoded the body and left the header: freelensapp/freelens-ai-extension#272."""
    async with wire([OK + b"Content-Encoding: " + coding + b"\r\n\r\n" + A]) as server:
        ran = await run(server.url, policy=NEVER)
    assert (ran.outcome, ran.driver.error, ran.closes) == ("ended", None, ["eof"])
    analysis = Analysis()
    for record in ran.records:
        analysis.feed(record)
    assert analysis.turns[0].events == 1
    assert [f.rule for f in analysis.findings if f.severity == "error"] == ["stale-content-encoding"]


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
