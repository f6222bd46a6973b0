"""What a stream that a POST began is resumed by: a GET, the same request, or nothing."""

from __future__ import annotations

import pytest

from sse_tui import dialects
from sse_tui.dialects.base import Dialect
from sse_tui.recording.records import Note
from sse_tui.resume import Policy
from tests.transport.playbook import Asks, Closes, Ends, Waits, conversation
from tests.transport.turns import Marked, Plain, run
from tests.transport.wire import CHUNKED, OK, Step, chunked, chunks, response, wire

BODY = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call"}'
A, B = b"id: 1\ndata: a\n\n", b"id: 2\ndata: b\n\n"
DONE = b"data: [DONE]\n\n"
PRIMING = b"id: s1_0\nretry: 500\ndata:\n\n"
STEP = (
    b'id: s1_1\ndata: {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progress": 1}}\n\n'
)
RESULT = b'id: s1_2\ndata: {"jsonrpc": "2.0", "id": 1, "result": {}}\n\n'
SESSION = b"Mcp-Session-Id: 7f\r\nTransfer-Encoding: chunked\r\n\r\n"


def mcp() -> Dialect:
    return dialects.create("mcp")


@pytest.mark.parametrize("kind", ["last-event-id", "resend", "always"])
async def test_mcp_resumes_by_get_in_the_same_session(kind: str) -> None:
    _, server = await conversation(
        Asks(method="POST", body=BODY),
        OK + SESSION + chunks(PRIMING) + b"0\r\n\r\n",
        Closes("eof"),
        Waits("s1_0", ms=(500, 625)),
        Asks("s1_0", method="GET", target="/stream", body=b""),
        chunked(PRIMING.replace(b"s1_0", b"s1_9"), STEP, last=False),
        Closes("incomplete"),
        Waits("s1_1", ms=(500, 625)),
        Asks("s1_1", method="GET", body=b""),
        chunked(RESULT),
        Closes("eof"),
        Ends("complete"),
        method="POST",
        body=BODY,
        headers=[
            ("Accept", "application/json, text/event-stream"),
            ("Content-Type", "application/json"),
            ("MCP-Protocol-Version", "2025-11-25"),
            ("Authorization", "Bearer k"),
        ],
        policy=Policy(kind),
        dialect=mcp(),
    )
    for seen in server.seen[1:]:
        assert seen.header("accept") == b"text/event-stream"
        assert seen.header("content-type") is None
        assert seen.header("mcp-session-id") == b"7f"
        assert seen.header("mcp-protocol-version") == b"2025-11-25"
        assert seen.header("authorization") == b"Bearer k"


async def test_the_dialect_that_is_detected_counts() -> None:
    await conversation(
        Asks(method="POST", body=BODY),
        chunked(PRIMING, STEP),
        Closes("eof"),
        Waits("s1_1"),
        Asks("s1_1", method="GET", body=b""),
        chunked(RESULT),
        Closes("eof"),
        Ends("complete"),
        method="POST",
        body=BODY,
        policy=Policy(),
        dialect=dialects.create("auto"),
    )


@pytest.mark.parametrize("name", ["mcp", "auto"])
async def test_a_tool_is_never_called_again_by_a_server_that_only_primes(name: str) -> None:
    """The stream may end before any event shows what it is; the request does."""
    async with wire([chunked(PRIMING)], then=[chunked(PRIMING)]) as server:
        dialect = dialects.create(name)
        ran = await run(server.url, method="POST", body=BODY, policy=Policy("always"), dialect=dialect)
    assert [seen.method for seen in server.seen] == ["POST", *["GET"] * 5]
    assert ran.driver.stop_reason == "no progress in 5 attempts"


async def test_an_mcp_server_without_a_stream_for_get_ends_it() -> None:
    await conversation(
        Asks(method="POST", body=BODY),
        chunked(PRIMING),
        Closes("eof"),
        Waits("s1_0"),
        Asks("s1_0", method="GET", body=b""),
        response("405 Method Not Allowed"),
        Closes("refused"),
        Ends("truncated", "resume-failed", says="405"),
        method="POST",
        body=BODY,
        policy=Policy(),
        dialect=mcp(),
    )


async def test_our_endpoint_is_sent_the_request_again_with_the_last_id() -> None:
    own = OK + b"X-Stream-Id: s7\r\nTransfer-Encoding: chunked\r\n\r\n"
    await conversation(
        Asks(method="POST", body=b"{}"),
        own + chunks(b"id: s7-1\ndata: a\n\n"),
        Closes("incomplete"),
        Waits("s7-1"),
        Asks("s7-1", method="POST", body=b"{}"),
        own + chunks(b"id: s7-2\ndata: b\n\n", DONE) + b"0\r\n\r\n",
        Closes("eof"),
        Ends("complete"),
        method="POST",
        body=b"{}",
        policy=Policy(),
        dialect=Marked(),
    )


@pytest.mark.parametrize("header", ["", "X-Stream-Id: other\r\n"])
async def test_another_server_is_not(header: str) -> None:
    head = CHUNKED.replace(b"\r\n\r\n", b"\r\n" + header.encode() + b"\r\n")
    await conversation(
        Asks(method="POST", body=b"{}"),
        head + chunks(A),
        Closes("incomplete"),
        Ends("truncated", "truncated-stream", why="the server has not shown that it resumes a POST"),
        method="POST",
        body=b"{}",
        policy=Policy(),
        dialect=Marked(),
    )


@pytest.mark.parametrize("method", ["POST", "REPORT"])
@pytest.mark.parametrize(
    ("kind", "first", "id"),
    [("resend", A, "1"), ("always", A, "1"), ("always", b"data: a\n\n", None), ("always", b"", None)],
)
async def test_an_explicit_policy_repeats_the_request_with_its_body(
    kind: str, first: bytes, id: str | None, method: str
) -> None:
    await conversation(
        Asks(method=method, body=b"{}"),
        CHUNKED + (chunks(first) if first else b"") + b"0\r\n\r\n",
        Closes("eof"),
        Waits(id or ""),
        Asks(id, method=method, body=b"{}"),
        chunked(B, DONE),
        Closes("eof"),
        Ends("complete"),
        method=method,
        body=b"{}",
        policy=Policy(kind),
        dialect=Marked(),
    )


async def test_the_bound_is_said_and_recorded() -> None:
    scripts: list[list[Step]] = [[chunked(b"id: %d\ndata: %d\n\n" % (n, n))] for n in range(8)]
    async with wire(*scripts) as server:
        ran = await run(server.url, method="POST", body=b"{}", policy=Policy("always"), dialect=Plain())
    assert len(server.seen) == 6
    assert "the limit of 5 reconnects" in ran.driver.stop_reason
    notes = [note.text for note in ran.of(Note)]
    assert notes == [f"not requested again: {ran.driver.stop_reason}"]


@pytest.mark.parametrize(
    "beat",
    [b"event: ping\ndata: {}\n\n", b'data: {"jsonrpc": "2.0", "id": 9, "method": "ping"}\n\n', b"data:\n\n"],
)
async def test_a_heartbeat_with_an_id_is_no_progress(beat: bytes) -> None:
    scripts: list[list[Step]] = [[chunked(b"id: %d\n" % n + beat)] for n in range(9)]
    async with wire(*scripts) as server:
        ran = await run(server.url, policy=Policy(), dialect=dialects.create("auto"))
    assert len(server.seen) == 6
    assert ran.driver.stop_reason == "no progress in 5 attempts"
