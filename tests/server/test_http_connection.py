"""The endpoint's connections against peers that are slow, greedy, impatient or gone, over real sockets."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import random
import socket
import time
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from sse_tui.engine.scripted import ScriptedEngine
from tests.fuzz.mutation import mutated
from tests.server.raw_http import connected, exchange, rest

HOST = b"Host: localhost\r\n"
GET = b"GET /v1/models HTTP/1.1\r\n" + HOST
CLOSE = b"Connection: close\r\n\r\n"
BODY = b'{"messages":[{"role":"user","content":"x"}],"stream":true}'


def post(length: int = len(BODY), *fields: bytes, version: bytes = b"1.1") -> bytes:
    """The head of a chat request."""
    start = b"POST /v1/chat/completions HTTP/%b\r\n" % version + HOST + b"Content-Type: application/json\r\n"
    return start + b"".join(field + b"\r\n" for field in fields) + b"Content-Length: %d\r\n\r\n" % length


def error_of(answer: bytes) -> tuple[int, str]:
    """Status and error code of an answer."""
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)["error"]["code"]


async def good(served: Any) -> None:
    """A request that must be answered whatever else goes on."""
    assert (await exchange(served, GET + CLOSE)).startswith(b"HTTP/1.1 200 ")


@contextlib.asynccontextmanager
async def crowd(served: Any, count: int, start: bytes) -> AsyncIterator[list[asyncio.StreamReader]]:
    """So many connections that sent `start` and stay."""
    async with contextlib.AsyncExitStack() as stack:
        readers = []
        for _ in range(count):
            reader, writer = await stack.enter_async_context(connected(served))
            writer.write(start)
            readers.append(reader)
        yield readers


# Bounds: those of one request are in test_request_reader.py.


@pytest.mark.parametrize(
    ("wire", "status", "code"),
    [
        (b"GET /" + b"a" * 20_000, 414, "url_too_long"),
        (GET + b"X: " + b"a" * 20_000, 431, "head_too_large"),
        (GET + b"X: 1\r\n" * 101 + b"\r\n", 431, "too_many_fields"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400, "bad_request"),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "bad_request"),
        (b"GET // HTTP/3.0\r\n\r\n", 400, "bad_request"),
        (b"GET /%ff%00 HTTP/1.1\r\n" + HOST + CLOSE, 404, "unknown_url"),
        (b"CONNECT localhost:1 HTTP/1.1\r\n" + HOST + b"\r\n", 400, "bad_url"),
    ],
    ids=range(8),
)
async def test_a_bad_head_gets_an_answer_at_once(serving: Any, wire: bytes, status: int, code: str) -> None:
    served = await serving(ScriptedEngine("a"))
    assert error_of(await exchange(served, wire)) == (status, code)


async def test_trailers_without_end_are_refused(serving: Any) -> None:
    served = await serving(ScriptedEngine("a"))
    start = b"POST /v1/chat/completions HTTP/1.1\r\n" + HOST
    start += b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n"
    async with connected(served) as (reader, writer):
        writer.write(start + b"X: " + b"a" * 200_000)
        assert error_of(await rest(reader)) == (431, "trailers_too_large")


async def test_a_refused_body_is_not_read(serving: Any) -> None:
    """The answer comes before the body, which is not asked for; a flood of it ends the connection."""
    served = await serving(ScriptedEngine("a"), token="secret")
    async with connected(served) as (reader, writer):
        writer.write(post(50_000_000, b"Expect: 100-continue"))
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 401 ")
        assert b"connection: close" in head
    sent = 0
    async with connected(served) as (reader, writer):
        writer.write(post(50_000_000))
        with contextlib.suppress(ConnectionError):
            async with asyncio.timeout(5):
                while sent < 50_000_000:
                    writer.write(b" " * 100_000)
                    await writer.drain()
                    sent += 100_000
    assert sent < 20_000_000, "what the two sockets buffer, and not more"


async def test_a_small_body_that_is_there_does_not_cost_the_connection(serving: Any) -> None:
    served = await serving(ScriptedEngine("a"), token="secret")
    async with connected(served) as (reader, writer):
        for _ in range(3):
            writer.write(post() + BODY)
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 401 ")
            assert b"connection: close" not in head
            length = int(head.partition(b"content-length: ")[2].split()[0])
            await reader.readexactly(length)


async def test_a_client_that_waits_for_100_continue_gets_it(serving: Any) -> None:
    served = await serving(ScriptedEngine("a b"))
    async with connected(served) as (reader, writer):
        writer.write(post(len(BODY), b"Expect: 100-continue", b"Connection: close"))
        assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        writer.write(BODY)
        assert b"data: [DONE]" in await rest(reader)


async def test_the_oldest_of_too_many_uploads_makes_room(serving: Any) -> None:
    served = await serving(ScriptedEngine("a"), max_body_bytes=10_000)
    async with crowd(served, 4, post(9_999) + b" " * 9_000) as readers:
        for first in readers[:2]:
            assert error_of(await rest(first)) == (503, "too_many_connections")
        async with connected(served) as (reader, writer):
            writer.write(post(len(BODY), b"Connection: close") + BODY)
            assert (await rest(reader)).startswith(b"HTTP/1.1 200 ")


# Time.


async def test_half_a_request_gets_408(serving: Any) -> None:
    served = await serving(ScriptedEngine("a"), head_timeout_s=0.2, body_timeout_s=0.2)
    assert error_of(await exchange(served, GET)) == (408, "request_timeout")
    assert error_of(await exchange(served, post() + BODY[:5])) == (408, "request_timeout")
    # uvicorn #1192: a connection on which nothing was ever sent stayed open.
    assert await exchange(served) == b"", "a connection without a request is just closed"


async def test_a_head_in_drips_gets_no_more_time_and_a_body_in_drips_does(serving: Any) -> None:
    served = await serving(ScriptedEngine("a b"), head_timeout_s=0.4, body_timeout_s=0.4)
    async with connected(served) as (reader, writer):
        start = time.monotonic()
        dripping = asyncio.create_task(_drip(writer, GET * 4, 0.05))
        assert error_of(await rest(reader)) == (408, "request_timeout")
        assert time.monotonic() - start < 2
        dripping.cancel()
    async with connected(served) as (reader, writer):
        writer.write(post(len(BODY), b"Connection: close"))
        await _drip(writer, BODY[:12], 0.06)
        writer.write(BODY[12:])
        assert b"data: [DONE]" in await rest(reader)


async def _drip(writer: asyncio.StreamWriter, data: bytes, gap_s: float) -> None:
    for byte in data:
        writer.write(bytes([byte]))
        await asyncio.sleep(gap_s)


async def test_the_time_for_the_next_request_is_another(serving: Any) -> None:
    served = await serving(ScriptedEngine("a"), head_timeout_s=0.2, keep_alive_s=0.8)
    async with connected(served) as (reader, writer):
        for _ in range(2):
            writer.write(GET + b"\r\n")
            await reader.readuntil(b"}]}")
            await asyncio.sleep(0.4)
        writer.write(GET)
        assert error_of(await rest(reader)) == (408, "request_timeout")
    async with connected(served) as (reader, writer):
        writer.write(GET + b"\r\n")
        await reader.readuntil(b"}]}")
        assert await rest(reader) == b"", "closed without a word, as there is no request"


async def test_a_stream_takes_as_long_as_it_takes(serving: Any) -> None:
    limits = {"head_timeout_s": 0.1, "body_timeout_s": 0.1, "keep_alive_s": 0.1, "refusal_s": 0.1}
    served = await serving(ScriptedEngine("a b c d", gap_ms=150), **limits)
    answer = await exchange(served, post(len(BODY), b"Connection: close") + BODY)
    assert answer.endswith(b"data: [DONE]\n\n\r\n0\r\n\r\n")


async def test_a_peer_that_does_not_read_a_refusal_is_dropped(serving: Any) -> None:
    served = await serving(ScriptedEngine("a"), refusal_s=0.2)
    async with connected(served) as (reader, writer):
        writer.write(b"nonsense\r\n\r\n")
        assert error_of(await reader.readuntil(b"}}")) == (400, "bad_request")
        # Nothing closes this end, so the endpoint must.
        await asyncio.sleep(0.6)
        with pytest.raises(ConnectionError):
            for _ in range(20):
                writer.write(b"more")
                await writer.drain()
                await asyncio.sleep(0.02)


# Pipelining.


class Counting(ScriptedEngine):
    """Knows how many generations it ran at once."""

    def __init__(self) -> None:
        super().__init__("a b c", gap_ms=10)
        self.started = 0

    def submit(self, request: Any) -> Any:
        self.started += 1
        return super().submit(request)


async def test_pipelined_requests_are_served_one_at_a_time_and_in_order(serving: Any) -> None:
    engine = Counting()
    served = await serving(engine)
    async with connected(served) as (reader, writer):
        writer.write((post() + BODY) * 3 + GET + CLOSE)
        for number in (1, 2, 3):
            await reader.readuntil(b' b"')
            assert engine.started == number
        assert (await rest(reader)).endswith(b"}]}")


async def test_a_flood_of_pipelined_requests_is_not_taken_in(serving: Any) -> None:
    served = await serving(ScriptedEngine("a " * 100, gap_ms=50))
    async with connected(served) as (_, writer):
        writer.write(post() + BODY)
        sent, piece = 0, GET * 10 + b"\r\n"
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(1):
                while sent < 50_000_000:
                    writer.write(piece)
                    await writer.drain()
                    sent += len(piece)
        assert sent < 20_000_000
        await good(served)


async def test_a_peer_that_leaves_is_noticed_behind_a_pipelined_request(serving: Any) -> None:
    engine = ScriptedEngine("a " * 1000, gap_ms=20)
    served = await serving(engine, grace_s=0.05)
    async with connected(served) as (reader, writer):
        writer.write(post() + BODY + GET + b"\r\n")
        await reader.readuntil(b"data: ")
    async with asyncio.timeout(3):
        while (await served.http.get("/health")).json()["streams"]["running"]:
            await asyncio.sleep(0.02)


async def test_nothing_is_answered_after_the_last_request(serving: Any) -> None:
    """uvicorn #2238: a request that followed one with ``Connection: close`` was answered as well."""
    served = await serving(ScriptedEngine("a"))
    assert (await exchange(served, GET + CLOSE + GET + b"\r\n")).count(b"HTTP/1.1 200 ") == 1


async def test_no_old_timer_ends_a_pipelined_answer(serving: Any) -> None:
    """uvicorn #824: the timer for the time between requests ran on during the second answer."""
    served = await serving(ScriptedEngine("a b c d", gap_ms=60), keep_alive_s=0.1)
    answers = await exchange(served, (post() + BODY) * 2 + GET + CLOSE)
    assert answers.count(b"data: [DONE]") == 2
    assert answers.count(b'{"object":"list"') == 1


async def test_a_post_with_connection_close_is_not_waited_for(serving: Any) -> None:
    """uvicorn #2408: the body of a request with ``Connection: close`` was waited for although it was there."""
    served = await serving(ScriptedEngine("a"))
    for version in (b"1.0", b"1.1"):
        head = post(len(BODY), b"Connection: close", version=version)
        assert b"data: [DONE]" in await exchange(served, head, BODY[:7], BODY[7:])


@pytest.mark.parametrize("chunked", [False, True])
async def test_a_client_that_still_sends_gets_its_413(serving: Any, chunked: bool) -> None:
    """Rocket #2783: the connection was reset under an upload that was refused, and the answer lost with it."""
    served = await serving(ScriptedEngine("a"), max_body_bytes=10_000)

    async def upload() -> AsyncIterator[bytes]:
        for _ in range(100):
            yield b" " * 50_000

    content = upload() if chunked else b" " * 5_000_000
    headers = {"Content-Type": "application/json"}
    answer = await served.http.post("/v1/chat/completions", content=content, headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "body_too_large")


# Versions and framing.


async def test_http_1_0_gets_no_chunks(serving: Any, events: Any) -> None:
    """uvicorn #1360: a client that knows no chunks got their sizes as text."""
    served = await serving(ScriptedEngine("a b"))
    head, _, body = (await exchange(served, post(version=b"1.0") + BODY)).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 ")
    assert b"transfer-encoding" not in head
    assert b"connection: close" in head
    assert events(body)[-1].data == "[DONE]"
    assert body.endswith(b"data: [DONE]\n\n"), "no chunk's size stands in the body"
    whole = await exchange(served, b"GET /v1/models HTTP/1.0\r\n" + HOST + b"Connection: keep-alive\r\n\r\n")
    assert whole.endswith(b"}]}")


async def test_an_upgrade_is_not_made(serving: Any) -> None:
    served = await serving(ScriptedEngine("a b"))
    for protocol in (b"h2c", b"websocket"):
        fields = (
            b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: %b\r\nHTTP2-Settings: AAMAAABk\r\n\r\n"
            % protocol
        )
        answer = await exchange(served, GET + fields)
        assert answer.startswith(b"HTTP/1.1 200 ")
        assert b"connection: close" in answer
    answer = await exchange(served, post(len(BODY), b"Connection: Upgrade", b"Upgrade: h2c") + BODY)
    assert b"data: [DONE]" in answer
    asked = b"POST /v1/chat/completions HTTP/1.1\r\nContent-Type: application/json\r\n" + HOST
    chunked = b"Connection: Upgrade\r\nUpgrade: h2c\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    assert error_of(await exchange(served, asked + chunked)) == (400, "bad_request")


async def test_a_head_request_and_a_204_have_no_body(serving: Any) -> None:
    served = await serving(ScriptedEngine("a"))
    async with connected(served) as (reader, writer):
        writer.write(b"HEAD /v1/models HTTP/1.1\r\n" + HOST + b"\r\n" + GET + CLOSE)
        answers = await rest(reader)
    assert answers.count(b"HTTP/1.1 200 ") == 2
    assert answers.count(b'{"object"') == 1
    last = (await served.whole())[-1].id
    ended = await served.resume_by_get(last)
    assert (ended.status_code, ended.content) == (204, b"")
    assert "transfer-encoding" not in ended.headers


# Too many.


@pytest.mark.parametrize(
    "start",
    [b"", GET, GET + b"\r\n", post(8000), post(8000) + b" " * 2000, b"nonsense\r\n\r\n"],
    ids=range(6),
)
async def test_peers_that_wait_make_room_for_a_request(serving: Any, start: bytes) -> None:
    served = await serving(ScriptedEngine("a"), max_connections=8)
    async with crowd(served, 30, start):
        for _ in range(20):
            await good(served)


async def test_peers_that_do_not_read_their_answers_make_room_too(serving: Any) -> None:
    """Pipelined requests, each answered with its long URL, until the answers fill all buffers."""
    served = await serving(ScriptedEngine("a"), max_connections=4)
    asked = b"GET /" + b"a" * 15_000 + b" HTTP/1.1\r\n" + HOST + b"\r\n"
    loop, url = asyncio.get_running_loop(), httpx.URL(served.url)

    async def flood(sock: socket.socket) -> None:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        sock.setblocking(False)
        await loop.sock_connect(sock, (url.host, url.port))
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(1.5):
                await loop.sock_sendall(sock, asked * 2000)

    with contextlib.ExitStack() as stack:
        await asyncio.gather(*(flood(stack.enter_context(socket.socket())) for _ in range(4)))
        async with asyncio.timeout(5):
            while b" 200 " not in await exchange(served, GET + CLOSE):
                await asyncio.sleep(0.05)


async def test_a_client_is_told_when_there_is_no_room(serving: Any) -> None:
    served = await serving(ScriptedEngine("a " * 100, gap_ms=20), max_connections=4)
    async with crowd(served, 4, post() + BODY) as readers:
        for reader in readers:
            await reader.readuntil(b"data: ")
        answer = await exchange(served, GET + CLOSE)
        assert error_of(answer) == (503, "too_many_connections")
        assert b"retry-after: 1" in answer
    async with asyncio.timeout(5):
        while b" 200 " not in await exchange(served, GET + CLOSE):
            await asyncio.sleep(0.01)


async def test_it_stops_at_once_with_peers_that_wait(serving: Any) -> None:
    served = await serving(ScriptedEngine("a"))
    starts = (b"", GET, GET + b"\r\n", post(8000) + b" ", b"nonsense\r\n\r\n")
    async with contextlib.AsyncExitStack() as stack:
        for start in starts:
            await stack.enter_async_context(crowd(served, 2, start))
        await good(served)
        begin = time.monotonic()
        served.stop.set()
        await served.task
        assert time.monotonic() - begin < 8


async def test_nonsense_is_survived(
    serving: Any, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    dice = random.Random(11)
    served = await serving(ScriptedEngine("a"), head_timeout_s=0.1, body_timeout_s=0.1, keep_alive_s=0.1)
    monkeypatch.setattr(logging.getLogger("uvicorn.error"), "propagate", True)
    seeds = [GET + b"\r\n", post() + BODY, post(len(BODY), b"Upgrade: h2c", b"Connection: upgrade") + BODY]
    words = (
        b"\r\n",
        b"\r\n\r\n",
        b"\x00",
        b"%",
        b"HTTP/1.0",
        b"Transfer-Encoding: chunked\r\n",
        b"0\r\n\r\n",
        b"{",
    )
    async with contextlib.AsyncExitStack() as stack:
        for _ in range(150):
            reader, writer = await stack.enter_async_context(connected(served))
            writer.write(mutated(seeds, words, dice))
            stack.push_async_callback(rest, reader)
    await good(served)
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


async def test_the_access_log_has_refusals_too_and_no_controls(
    serving: Any, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    served = await serving(ScriptedEngine("a"), access_log=True)
    monkeypatch.setattr(logging.getLogger("uvicorn.access"), "propagate", True)
    with caplog.at_level(logging.INFO, "uvicorn.access"):
        await exchange(served, b"GET /a?b HTTP/1.1\r\n" + HOST + CLOSE)
        await exchange(served, b"GET /\x9b31m HTTP/1.1\r\n" + HOST + CLOSE)
        await exchange(served, b"junk\r\n\r\n")
    lines = [record.getMessage().partition(" - ")[2] for record in caplog.records]
    assert lines == ['"GET /a?b HTTP/1.1" 404', '"-" 400', '"-" 400']
