"""Who ends a stream: the server, for whoever inspects it; its end marker, for a conversation."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from sse_tui.analysis.analysis import Analysis
from sse_tui.analysis.jsonform import entry_json
from sse_tui.config import Profile
from sse_tui.dialects.base import Message
from sse_tui.offline.opening import open_path
from sse_tui.resume import Policy
from sse_tui.session.headless import Headless
from sse_tui.session.spec import SessionSpec
from sse_tui.transport import StreamRequest
from tests.transport.wire import CHUNKED, HOLD, Sleep, Step, chunks, wire

LATER = [b"data: one more\n\n", b"data: and another\n\n"]
ENDS = {
    "an error in a log": b'data: {"level": "error", "error": "disk full"}\n\n',
    "event: error": b"event: error\ndata: sensor 4 is gone\n\n",
    "[DONE]": b"data: [DONE]\n\n",
    "an MCP response": b'data: {"jsonrpc": "2.0", "id": 1, "result": {}}\n\n',
    "an MCP error": b'data: {"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "no"}}\n\n',
    "an error of an answer": b'data: {"object": "chat.completion.chunk", "error": {"message": "no"}}\n\n',
    "message_stop": b'event: message_stop\ndata: {"type": "message_stop"}\n\n',
}


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("policy", ["never", "last-event-id"])
@pytest.mark.parametrize("name", ENDS)
async def test_what_is_inspected_is_read_until_the_server_ends_it(
    name: str, policy: str, method: str, tmp_path: Path
) -> None:
    """As it would be read from a pipe: an event that looks like the end may not be the last."""
    parts = [b"data: first\n\n", ENDS[name], *LATER]
    script: list[Step] = [
        CHUNKED,
        chunks(*parts[:2]),
        Sleep(0.15),
        chunks(parts[2]),
        Sleep(0.05),
        chunks(parts[3]),
    ]
    async with wire([*script, b"0\r\n\r\n"]) as server:
        request = StreamRequest(method, server.url, body=b"{}" if method == "POST" else None)
        spec = SessionSpec(mode="inspect", request=request, policy=Policy(kind=policy))
        session = Headless(spec)
        async with session:
            live = [entry_json(entry) async for entry in session.inspect()]
    assert len(server.seen) == 1
    assert [entry["reason"] for entry in live if entry["kind"] == "close"] == ["eof"]

    piped = tmp_path / "piped.sse"
    piped.write_bytes(b"".join(parts))
    recording = open_path(piped)
    analysis = Analysis(recording.header)
    read = [entry_json(entry) for record in recording for entry in analysis.feed(record)]
    fields = ("type", "data", "start", "end")
    events = [[entry[field] for field in fields] for entry in live if entry["kind"] == "event"]
    assert events == [[entry[field] for field in fields] for entry in read if entry["kind"] == "event"]
    assert len(events) == b"".join(parts).count(b"\n\n")
    assert session.analysis.turns[0].outcome == analysis.turns[0].outcome


@pytest.mark.parametrize(
    "last",
    [b"data: [DONE]\n\n", b'data: {"error": {"message": "overloaded"}}\n\n'],
    ids=["its marker", "an error"],
)
async def test_a_conversation_does_not_wait_for_a_server_that_keeps_the_connection_open(last: bytes) -> None:
    word = b'data: {"choices": [{"index": 0, "delta": {"content": "Hi"}}]}\n\n'
    async with wire([CHUNKED, chunks(word, last), HOLD]) as server:
        profile = Profile(dialect="openai-chat", base_url=server.url, model="m")
        session = Headless(SessionSpec(mode="chat", profile=profile))
        began = time.monotonic()
        async with session:
            async for _ in session.ask([Message("user", "Hello")]):
                pass
        assert 0.09 < time.monotonic() - began < 2
        await asyncio.wait_for(server.gone.wait(), 2)
        assert server.seen[0].ended == "fin"
    turn = session.analysis.turns[0]
    assert turn.answer.text == "Hi"
    assert turn.connections[0].close is not None
    assert turn.connections[0].close.reason == "client"
