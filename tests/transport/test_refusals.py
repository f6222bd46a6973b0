"""No event stream: other responses, and no response at all."""

from __future__ import annotations

import asyncio
import gzip
from typing import Any

import pytest

from sse_tui.errors import ConnectError, HttpError
from tests.transport.turns import QUICK, run
from tests.transport.wire import (
    FIN,
    HOLD,
    RST,
    chunked,
    response,
    wire,
)

A, B, C = b"id: 1\ndata: a\n\n", b"id: 2\ndata: b\n\n", b"id: 3\ndata: c\n\n"
DONE = b"data: [DONE]\n\n"


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
    assert ran.outcome == "ended"
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


async def test_a_compressed_refusal_is_read() -> None:
    """Reported for clients that show the compressed bytes: sindresorhus/got#1142."""
    body = gzip.compress(b'{"error": {"message": "No such key"}}')
    answer = response("401 Unauthorized", body, Content_Type="application/json", Content_Encoding="gzip")
    async with wire([answer]) as server:
        ran = await run(server.url)
    assert ran.driver.error is not None
    assert "(application/json): No such key." in ran.driver.error.message
    assert ran.body() == body


async def test_a_refusal_that_never_ends_is_not_waited_for() -> None:
    async with wire([b"HTTP/1.1 500 Oops\r\n\r\n" + b"x" * 100_000, HOLD]) as server:
        ran = await run(server.url)
    assert len(ran.body()) == 64 * 1024
    assert ran.outcome == "refused"


async def test_any_type_can_be_read_when_asked() -> None:
    async with wire([response("200 OK", A, Content_Type="text/plain")]) as server:
        ran = await run(server.url, any_type=True)
    assert ran.outcome == "ended"
    assert ran.body() == A


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
async def test_a_connection_lost_before_the_headers(script: list[Any], close: str) -> None:
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
