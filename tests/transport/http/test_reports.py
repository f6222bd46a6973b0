"""Responses of public bug reports against other clients and servers, sent again over a socket."""

from __future__ import annotations

import gzip
import ssl

from sse_tui.analysis.analysis import Analysis
from sse_tui.recording.records import Close, Response
from tests.transport.http.test_http2 import END_STREAM, data, goaway, head, peer
from tests.transport.turns import Ran, run
from tests.transport.wire import OK, wire

EVENT = b"data: a\n\n"


def rules(ran: Ran) -> list[str]:
    analysis = Analysis()
    for record in ran.records:
        analysis.feed(record)
    analysis.finish()
    return [finding.rule for finding in analysis.findings]


async def test_content_length_beside_chunked() -> None:
    """nodejs/node#7136, nodejs/http-parser#289: Node raised a parse error; the length is to be ignored."""
    fields = b"Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n"
    async with wire([OK + fields + b"9\r\n" + EVENT + b"\r\n0\r\n\r\n"]) as server:
        ran = await run(server.url)
    assert (ran.body(), ran.closes) == (EVENT, ["eof"])
    assert "irregular-http" in rules(ran)


async def test_identity_beside_a_length_in_http_1_0() -> None:
    """nodejs/node#37580."""
    head_1_0 = b"HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n"
    async with wire(
        [head_1_0 + b"Content-Length: 9\r\nTransfer-Encoding: identity\r\n\r\n" + EVENT]
    ) as server:
        ran = await run(server.url)
    assert (ran.body(), ran.closes) == (EVENT, ["eof"])


async def test_chunk_sizes_padded_to_a_width() -> None:
    """me-no-dev/ESPAsyncWebServer#1324, dart-lang/http#988, akka/akka-http#1812: also where the first needs none."""
    long = b"data: " + b"x" * 0x1000 + b"\n\n"
    for events in ([EVENT, EVENT], [long, EVENT]):
        body = b"".join(b"%-4x\r\n%s\r\n" % (len(event), event) for event in events)
        async with wire([OK + b"Transfer-Encoding: chunked\r\n\r\n" + body + b"0   \r\n\r\n"]) as server:
            ran = await run(server.url)
        assert (ran.body(), ran.closes) == (b"".join(events), ["eof"])
        assert ran.of(Close)[0].irregular == ["space-after-size"]


async def test_an_orderly_goaway_while_a_body_streams(h2_context: ssl.SSLContext) -> None:
    """encode/httpcore#45, hyperium/h2#83: NO_ERROR is no error, and the running stream goes on."""
    async with peer(h2_context, [head(), data(), goaway(0), data(flags=END_STREAM)], at_once=True) as url:
        ran = await run(url, verify=False, http2=True)
    assert (ran.body(), ran.closes) == (EVENT * 2, ["eof"])


async def test_a_goaway_behind_a_whole_response(h2_context: ssl.SSLContext) -> None:
    """curl/curl#4267: a 204 that came in its entirety counts, whatever the GOAWAY says."""
    for code in (0, 2):
        async with peer(
            h2_context, [head(status="204"), data(b"", END_STREAM), goaway(code)], at_once=True
        ) as url:
            ran = await run(url, verify=False, http2=True)
        assert ran.of(Response)[0].status == 204


async def test_a_goaway_and_a_close_within_a_body(h2_context: ssl.SSLContext) -> None:
    """dotnet/runtime#97128: the reader is told of the GOAWAY, not only of a connection that ended."""
    async with peer(h2_context, [head(), data(), goaway(0)], at_once=False) as url:
        ran = await run(url, verify=False, http2=True)
    assert "GOAWAY" in ran.of(Close)[0].detail


async def test_zeros_under_gzip() -> None:
    """aio-libs/aiohttp#8248: a gigabyte of zeros from a static gzip file; here a sixteenth of it."""
    coded = gzip.compress(bytes(64 * 2**20), 1)
    fields = b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(coded)
    async with wire([OK + fields + coded]) as server:
        ran = await run(server.url)
    assert ran.closes == ["error"]
    assert ran.driver.error is not None
    assert ran.driver.error.code in ("runaway-compression", "event-too-large")
    assert ran.driver.error.exit_code == 4
