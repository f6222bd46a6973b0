"""A replay on a real socket: the same bytes, reads, endings and events, and a resume that works."""

from __future__ import annotations

import asyncio
import random
from itertools import chain
from pathlib import Path

import pytest

from sse_tui import dialects
from sse_tui.analysis.analysis import Analysis
from sse_tui.analysis.jsonform import entry_json
from sse_tui.offline.export import read_tape
from sse_tui.offline.replay import ReplayServer, Script
from sse_tui.recording import open_any
from sse_tui.recording.records import Chunk, Close, Header, Record, chunk
from sse_tui.resume import Policy
from sse_tui.transport import Driver, SessionClock, StreamRequest, Timeouts
from tests.offline.replay.test_script import A, B, C, connection

RECORDINGS = Path(__file__).parents[2] / "data/recordings"
STREAMS = Path(__file__).parents[2] / "data/streams"
MS = 1_000_000


async def tail(url: str, *, policy: str = "never", after: str = "") -> list[Record]:
    """What our own client records of a request, reconnecting without waiting."""
    conns = iter(range(1, 100))

    async def no_wait(_: float) -> None:
        await asyncio.sleep(0)

    headers = [("Last-Event-ID", after)] if after else []
    driver = Driver(
        StreamRequest("GET", url, headers),
        dialect=dialects.create("auto"),
        policy=Policy(kind=policy),
        timeouts=Timeouts(idle=5),
        clock=SessionClock(),
        turn=1,
        next_conn=lambda: next(conns),
        rng=random.Random(1),
        sleep=no_wait,
    )
    return [record async for record in driver.records()]


def events(records: list[Record], header: Header | None = None) -> list[tuple[object, ...]]:
    rows = [entry_json(entry) for entry in chain.from_iterable(map(Analysis(header).feed, records))]
    return [
        (row["type"], row["data"], row["id"], row["start"], row["end"])
        for row in rows
        if row["kind"] == "event"
    ]


def closes(records: list[Record]) -> list[str]:
    return [record.reason for record in records if isinstance(record, Close)]


async def served(
    records: list[Record], *, after: str = "", policy: str = "never", speed: float = 0
) -> list[Record]:
    async with ReplayServer(Script(read_tape(Header(), records)), speed=speed) as server:
        return await tail(server.url, after=after, policy=policy)


async def test_a_recorded_turn_with_its_cut_and_its_resume_plays_again() -> None:
    recording = open_any(RECORDINGS / "resumed.sse.jsonl")
    lines: list[str] = []
    async with ReplayServer(
        Script(read_tape(recording.header, recording)), speed=0, log=lines.append
    ) as server:
        again = await tail(server.url, policy="last-event-id")
    first_turn = [record for record in recording if record.turn == 1]
    assert events(again) == events(first_turn)
    assert closes(again) == ["incomplete", "eof"]
    analysis = Analysis()
    list(chain.from_iterable(map(analysis.feed, again)))
    assert analysis.turns[0].verdict is not None
    assert analysis.turns[0].verdict.kind == "lossless"
    assert "after 's1-27': 200, connection 2" in lines[1]


@pytest.mark.parametrize(
    "path", sorted((Path(__file__).parents[2] / "data/streams").glob("*.sse")), ids=lambda p: p.name
)
async def test_raw_streams_play(path: Path) -> None:
    recording = open_any(path)
    async with ReplayServer(Script(read_tape(recording.header, recording)), speed=0) as server:
        again = await tail(server.url)
    assert b"".join(one.data for one in again if isinstance(one, Chunk)).startswith(path.read_bytes()[:100])
    assert events(again) == events(list(recording), recording.header)[: len(events(again))]


@pytest.mark.parametrize(
    ("reason", "headers", "seen"),
    [
        ("eof", [("content-type", "text/event-stream"), ("transfer-encoding", "chunked")], "eof"),
        ("eof", [("content-type", "text/event-stream")], "eof"),
        ("eof", [("content-type", "text/event-stream"), ("content-length", "30")], "eof"),
        (
            "incomplete",
            [("content-type", "text/event-stream"), ("transfer-encoding", "chunked")],
            "incomplete",
        ),
        ("incomplete", [("content-type", "text/event-stream"), ("content-length", "99")], "incomplete"),
        ("reset", [("content-type", "text/event-stream"), ("transfer-encoding", "chunked")], "reset"),
        ("reset", [("content-type", "text/event-stream")], "reset"),
    ],
)
async def test_it_ends_as_it_did(reason: str, headers: list[tuple[str, str]], seen: str) -> None:
    again = await served(connection(1, A, B, reason=reason, headers=headers))
    assert closes(again) == [seen]
    assert b"".join(one.data for one in again if isinstance(one, Chunk)) == A + B


async def test_a_stalled_stream_hangs_until_the_client_leaves() -> None:
    async with ReplayServer(
        Script(read_tape(Header(), connection(1, A, reason="timeout"))), speed=0
    ) as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(b"GET /s HTTP/1.1\r\nHost: h\r\n\r\n")
        await reader.readuntil(A + b"\r\n")
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(reader.read(1), 0.2)
        writer.close()


async def test_the_rest_after_an_event() -> None:
    again = await served(connection(1, A, B, C), after="a")
    assert [event[1] for event in events(again)] == ["2", "3"]


async def test_reads_come_apart_at_the_recorded_pace() -> None:
    first, response, *_, close = connection(1, A, B, C)
    slow = [chunk(10**9 + 60 * MS * number, data, turn=1, conn=1) for number, data in enumerate((A, B, C))]
    slow_session = [first, response, *slow, close]
    again = await served(slow_session, speed=2)
    chunks = [record for record in again if isinstance(record, Chunk)]
    assert [one.data for one in chunks] == [A, B, C]
    # 60 ms at twice the speed. A busy machine may be late, but never early.
    assert all(one.t - again[0].t >= 30 * MS * number for number, one in enumerate(chunks))


PLAIN = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nConnection: close\r\n\r\nid: a"


async def raw(server: ReplayServer, request: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(request)
    data = await reader.read()
    writer.close()
    return data


@pytest.mark.parametrize(
    ("request_bytes", "begins"),
    [
        (b"nonsense\r\n\r\n", b"HTTP/1.1 400 Bad Request\r\n"),
        (b"GET /s HTTP/1.1\r\n\r\n", b"HTTP/1.1 400 "),  # RFC 9112, section 3.2: a Host is required
        (b"GET /s HTTP/2\r\n\r\n", b"HTTP/1.1 400 "),
        (b"GET /s HTTP/1.0\r\n\r\n", PLAIN),
        (b"HEAD /s HTTP/1.1\r\nHost: h\r\n\r\n", b"HTTP/1.1 200 OK\r\n"),
        (b"GET /s HTTP/1.1\r\nHost: h\r\nLast-Event-ID: zz\r\n\r\n", b"HTTP/1.1 404 Not Found\r\n"),
        (b"GET /s HTTP/1.1\r\nHost: h\r\nLast-Event-ID: a\r\n\r\n", b"HTTP/1.1 204 No Content\r\n"),
        (b"POST /s HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc", b"HTTP/1.1 200"),
        (b"PUT /s HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", b"HTTP/1.1 200"),
        (b"GET /s HTTP/1.1\r\nHost: h\r\n" + b"a: b\r\n" * 100_000, b""),
    ],
    ids=lambda value: value[:30].decode(),
)  # fmt: skip
async def test_odd_requests(request_bytes: bytes, begins: bytes) -> None:
    async with ReplayServer(Script(read_tape(Header(), connection(1, A))), speed=0) as server:
        try:
            data = await raw(server, request_bytes)
        except ConnectionError:
            data = b""
        assert data.startswith(begins)
        if request_bytes.startswith(b"HEAD"):
            assert data.endswith(b"\r\n\r\n")
        # It still serves.
        assert (await raw(server, b"GET /s HTTP/1.1\r\nHost: h\r\n\r\n")).startswith(b"HTTP/1.1 200")


async def test_a_client_that_waits_for_100_continue_gets_it() -> None:
    async with ReplayServer(Script(read_tape(Header(), connection(1, A))), speed=0) as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(b"POST /s HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
        assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        writer.write(b"abc")
        assert (await reader.read()).startswith(b"HTTP/1.1 200")
        writer.close()
