"""Reports about clients that asked again too often, too early, or in the wrong way, on our own client."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from sse_tui import dialects
from sse_tui.recording.records import Reconnect
from sse_tui.resume import Policy
from sse_tui.transport import Driver
from tests.transport.playbook import Asks, Closes, Ends, Waits, conversation
from tests.transport.turns import Plain, run
from tests.transport.wire import Step, chunked, response, wire


@pytest.mark.parametrize("kind", ["last-event-id", "resend", "always"])
@pytest.mark.parametrize(
    ("report", "first", "then"),
    [
        ("remorses/kimaki#126", chunked(), chunked()),  # a stream that opens and ends at once
        ("sanity-io/client#1236", chunked(b'{"message":"Internal error"}'), chunked(b'{"message":"x"}')),
        (
            "dust-tt/dust#21533",
            chunked(b"id: 1\ndata: a\n\n"),
            chunked(),
        ),  # finished, and closed again and again
    ],
)
async def test_a_stream_that_brings_nothing_is_not_asked_for_in_a_loop(
    report: str, first: bytes, then: bytes, kind: str
) -> None:
    async with wire([first], then=[then]) as server:
        ran = await run(server.url, policy=Policy(kind), dialect=dialects.create("auto"))
    goes_on = kind == "always" or b"id:" in first
    assert len(server.seen) == (6 if goes_on else 1), report
    assert all(wait.delay_ms >= 1000 for wait in ran.waits)
    why = "no progress in 5 attempts" if goes_on else "nothing to resume from"
    assert why in ran.driver.stop_reason


@pytest.mark.parametrize("retry", [250, 1000, 60_000])
async def test_an_mcp_servers_retry_is_kept_and_its_cursor_goes_into_a_get(retry: int) -> None:
    """simonx1/ruby-mcp-client#168: retry was ignored, the cursor sent with POSTs and never with a GET."""
    priming = b"id: c-1\nretry: %d\ndata:\n\n" % retry
    _, server = await conversation(
        Asks(method="POST"),
        chunked(priming),
        Closes("eof"),
        Waits("c-1", ms=(retry, retry * 1.25)),
        Asks("c-1", method="GET", body=b""),
        chunked(b'id: c-2\ndata: {"jsonrpc": "2.0", "id": 1, "result": {}}\n\n'),
        Closes("eof"),
        Ends("complete"),
        method="POST",
        body=b"{}",
        policy=Policy(),
        dialect=dialects.create("mcp"),
    )
    assert server.seen[0].header("last-event-id") is None


async def test_a_stopped_client_does_not_come_back() -> None:
    """rexxars/eventsource-client#2: after close() the POST was still sent again and again."""

    def stop(driver: Driver, record: object) -> None:
        if isinstance(record, Reconnect):
            driver.stop()

    async with wire(then=[chunked(b"id: 1\ndata: a\n\n")]) as server:
        ran = await run(
            server.url, on=stop, method="POST", body=b"{}", policy=Policy("always", base_ms=1, floor_ms=1)
        )
        await asyncio.sleep(0.05)
        assert len(server.seen) == 1
    assert ran.closes == ["eof", "client"]


async def test_a_retry_after_is_a_time_for_once() -> None:
    """resteasy/resteasy#1443, jakartaee/rest#670: the wait of one 503 must not become that of every reconnect."""
    scripts: Sequence[list[Step]] = (
        [response("503 Busy", Retry_After="9")],
        [chunked(b"id: 1\ndata: a\n\n", last=False)],
        [chunked(b"id: 2\ndata: b\n\n")],
        [response("204 No Content")],
    )
    async with wire(*scripts) as server:
        ran = await run(server.url, policy=Policy(), dialect=Plain())
    waits = [wait.delay_ms for wait in ran.waits]
    assert waits[0] == 9000
    assert len(waits) == 3
    assert all(1000 <= wait <= 1250 for wait in waits[1:])
