"""A turn over real sockets: what is sent, what is recorded, how it ends."""

from __future__ import annotations

from turns import QUICK, Marked, run
from wire import chunked, wire

from sse_tui.recording.records import Phase, Reconnect

A, B, C = b"id: 1\ndata: a\n\n", b"id: 2\ndata: b\n\n", b"id: 3\ndata: c\n\n"


async def test_a_whole_stream_is_recorded_in_order() -> None:
    async with wire([chunked(A, B)]) as server:
        ran = await run(server.url)
    kinds = [type(record).__name__ for record in ran.records]
    assert kinds[0] == "Request"
    assert kinds[-1] == "Close"
    assert [phase.name for phase in ran.of(Phase)] == ["dns", "tcp", "sent", "headers", "first_byte"]
    assert ran.body() == A + B
    assert ran.closes == ["eof"]
    assert (ran.outcome, ran.driver.error) == ("unknown", None)
    times = [record.t for record in ran.records]
    assert times == sorted(times)
    assert all(record.conn == 1 and record.turn == 1 for record in ran.records)


async def test_a_cut_is_resumed_with_the_last_id() -> None:
    async with wire([chunked(A, B, last=False)], [chunked(C, b"data: [DONE]\n\n")]) as server:
        ran = await run(server.url, policy=QUICK, dialect=Marked())
    assert server.seen[0].header("last-event-id") is None
    assert server.seen[1].header("last-event-id") == b"2"
    assert ran.closes == ["incomplete", "eof"]
    assert ran.outcome == "ended"
    assert ran.of(Reconnect)[0].last_event_id == "2"
