"""What one reader gets and when: headers, heartbeats, its own pace, and the end if it cannot keep up."""

from __future__ import annotations

import asyncio
import socket
import tracemalloc
from typing import Any

import httpx
import pytest

from sse_tui.engine.scripted import ScriptedEngine
from sse_tui.eventstream import Comment, Event, NoData, Retry


async def test_the_headers_keep_proxies_from_holding_it_back(serving: Any) -> None:
    served = await serving(ScriptedEngine("a b"))
    headers = (await served.ask()).headers
    assert headers["content-type"] == "text/event-stream; charset=utf-8"
    assert headers["cache-control"] == "no-cache, no-store, no-transform"
    assert headers["x-accel-buffering"] == "no"
    assert headers["x-seed"].isdigit()
    assert not {"content-encoding", "content-length", "connection", "access-control-allow-origin"} & set(
        headers
    )


async def test_a_heartbeat_at_once_and_in_every_silence(serving: Any, items: Any) -> None:
    served = await serving(ScriptedEngine("a b c", ttft_ms=300, gap_ms=100), heartbeat_s=0.04)
    body = (await served.ask()).content
    found = items(body)
    assert isinstance(found[0], Comment), "before the first event"
    assert [type(item) for item in found[1:3]] == [Retry, Event]
    assert found[1].ms == 1000
    comments = [item for item in found if isinstance(item, Comment)]
    assert 6 <= len(comments) <= 14, "7 in 300 ms, 2 in each 100 ms, and the first"
    assert body.count(b": heartbeat\n") == len(comments)
    assert b": heartbeat\n\n" not in body
    assert not [item for item in found if isinstance(item, NoData)], "no block without data: no phantom event"


async def test_no_heartbeat_while_events_flow(serving: Any, items: Any) -> None:
    served = await serving(ScriptedEngine("a " * 120, gap_ms=5), heartbeat_s=0.25)
    comments = [item for item in items((await served.ask()).content) if isinstance(item, Comment)]
    assert len(comments) == 1


async def test_the_reconnection_time_comes_once_and_inside_a_block(serving: Any, items: Any) -> None:
    served = await serving(ScriptedEngine("a b"), retry_ms=250)
    found = items((await served.ask()).content)
    assert [item.ms for item in found if isinstance(item, Retry)] == [250]
    assert isinstance(found[2], Event)


async def test_what_comes_is_sent_at_once(serving: Any) -> None:
    """The events of a slow stream are reads of their own: nothing waits for more."""
    served = await serving(ScriptedEngine("a b c d", ttft_ms=60, gap_ms=60))
    reads: list[bytes] = []
    async with served.http.stream("POST", "/v1/chat/completions", json=served.body()) as response:
        async for chunk in response.aiter_raw():
            reads.append(chunk)
    # Of the role and four tokens, one may have been overtaken by a busy machine.
    assert sum(b'"content":"' in read for read in reads) >= 4


async def _never_read(served: Any) -> socket.socket:
    """A client with a small window that asks for a stream and takes nothing."""
    loop = asyncio.get_running_loop()
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    sock.setblocking(False)
    await loop.sock_connect(sock, ("127.0.0.1", httpx.URL(served.url).port))
    body = b'{"stream":true,"messages":[{"role":"user","content":"x"}]}'
    head = b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    await loop.sock_sendall(sock, head + b"Content-Length: %d\r\n\r\n" % len(body) + body)
    return sock


async def test_a_client_that_never_reads_costs_little_and_slows_nobody(serving: Any) -> None:
    """20 MB go by a client that takes nothing: memory stays near the store's bound, others get it all."""
    pieces, size = 2500, 8000
    engine = ScriptedEngine(["x" * size] * pieces, gap_ms=0.4)
    served = await serving(engine, store_max_bytes=2 * 2**20)
    tracemalloc.start()
    try:
        slow = await _never_read(served)
        taken = 0
        async with served.http.stream("POST", "/v1/chat/completions", json=served.body()) as response:
            async for chunk in response.aiter_raw():
                taken += len(chunk)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert taken > pieces * size
    assert peak < 8 * 2**20, f"{peak:,} bytes"
    rest = await _drain(slow)
    assert b": dropped: this client fell behind" in rest
    assert not rest.endswith(b"0\r\n\r\n"), "cut off, so that nobody takes it for the whole"
    assert b"[DONE]" not in rest


async def _drain(sock: socket.socket) -> bytes:
    loop, taken = asyncio.get_running_loop(), bytearray()
    with sock:
        while chunk := await asyncio.wait_for(loop.sock_recv(sock, 1 << 16), 10):
            taken += chunk
    return bytes(taken)


async def test_a_connection_that_takes_nothing_is_given_up(serving: Any) -> None:
    engine = ScriptedEngine(["x" * 20000] * 400)
    served = await serving(engine, heartbeat_s=0.05, send_timeout_s=0.3)
    slow = await _never_read(served)
    await asyncio.sleep(0.8)
    rest = await _drain(slow)
    assert b"[DONE]" not in rest


async def test_many_readers_of_one_stream_get_the_same(serving: Any, events: Any) -> None:
    served = await serving(ScriptedEngine("word " * 50, gap_ms=2))
    first = asyncio.create_task(served.ask())
    await asyncio.sleep(0.05)
    health = (await served.http.get("/health")).json()
    assert health["streams"]["running"] == 1
    async with served.http.stream("POST", "/v1/chat/completions", json=served.body()) as response:
        stream = response.headers["x-stream-id"]
        readers = [asyncio.create_task(served.http.get(f"/v1/streams/{stream}")) for _ in range(20)]
        full = events(await response.aread())
    for reader in readers:
        assert events((await reader).content) == full
    assert (await first).status_code == 200


@pytest.mark.parametrize("method", ["HEAD"])
async def test_head_does_not_hang(serving: Any, method: str) -> None:
    served = await serving(ScriptedEngine("a b"))
    stream = (await served.ask()).headers["x-stream-id"]
    response = await served.http.request(method, f"/v1/streams/{stream}")
    assert response.status_code == 200
    assert response.content == b""
