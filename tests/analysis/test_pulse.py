"""Heartbeats by their meaning: what keeps a connection alive is no token, whatever it looks like."""

from __future__ import annotations

import json

import pytest

from sse_tui.analysis.analysis import Analysis
from tests.analysis.story import Story
from tests.diagnosis.telling import DONE, STOP, Wire, chunk, of_bytes, only, read, rules, text

ANTHROPIC_START = (
    b"event: message_start\n"
    b'data: {"type":"message_start","message":{"model":"m","usage":{"input_tokens":1,"output_tokens":1}}}\n\n'
)


def typed(kind: str, **members: object) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **members})}\n\n".encode()


def anthropic(piece: str) -> bytes:
    return typed("content_block_delta", index=0, delta={"type": "text_delta", "text": piece})


def gemini(piece: str) -> bytes:
    content = {"parts": [{"text": piece}], "role": "model"}
    usage = {"promptTokenCount": 3}
    payload = {"candidates": [{"content": content, "index": 0}], "usageMetadata": usage}
    return f"data: {json.dumps(payload)}\n\n".encode()


def completions(piece: str) -> bytes:
    payload = {"object": "text_completion", "choices": [{"text": piece, "index": 0, "finish_reason": None}]}
    return f"data: {json.dumps(payload)}\n\n".encode()


def waiting(
    beat: bytes, token: bytes, *, every: float = 5000, times: int = 8, dialect: str = "openai-chat"
) -> Story:
    """Heartbeats at a pace, then ten tokens 30 ms apart."""
    wire, at = Wire().ask(dialect=dialect).good(10), 0.0
    for _ in range(times):
        at += every
        wire.read(at, beat)
    for n in range(10):
        wire.read(at + 1000 + 30 * n, token)
    return wire.close(at + 2000, "eof")


CHAT = {
    "an empty delta": chunk({}),
    "empty content": text(""),
    "null": chunk({"content": None}),
    "empty reasoning": chunk({"reasoning_content": ""}),
    "a zero-width space": text("\u200b"),
    "a word joiner": text("\u2060\ufeff"),
    "a space": text(" "),
    "a line end": text("\n"),
    "blank reasoning": chunk({"reasoning_content": " "}),
    "the role again": chunk({"role": "assistant", "content": ""}),
    "no choices": chunk(choices=[]),
    "a type": b'data: {"type":"heartbeat"}\n\n',
    "a type in capitals": b'data: {"type":"KEEP_ALIVE","ts":1700000000}\n\n',
    "an event member": b'data: {"event":"ping"}\n\n',
    "a member of its own": b'data: {"heartbeat":17}\n\n',
    "an event type": b'event: keep-alive\ndata: {"n":1}\n\n',
}
OTHERS = {
    "anthropic-messages": (anthropic(""), anthropic("a")),
    "gemini": (gemini(""), gemini("a")),
    "openai-completions": (completions(""), completions("a")),
    "openai-responses": (
        typed("response.output_text.delta", item_id="i", output_index=0, content_index=0, delta=""),
        typed("response.output_text.delta", item_id="i", output_index=0, content_index=0, delta="a"),
    ),
}
CASES = [("openai-chat", beat, text("a")) for beat in CHAT.values()] + [
    (dialect, *events) for dialect, events in OTHERS.items()
]


def tokens(analysis: Analysis) -> tuple[float | None, int]:
    """TTFT and the number of events with tokens."""
    assert analysis.turn is not None
    return analysis.turn.clocks.clocks().ttft, analysis.turn.gaps.token_events


@pytest.mark.parametrize(("dialect", "beat", "token"), CASES, ids=[*CHAT, *OTHERS])
def test_what_comes_at_a_pace_without_content_is_a_heartbeat(dialect: str, beat: bytes, token: bytes) -> None:
    analysis = read(waiting(beat, token, dialect=dialect).records)
    assert tokens(analysis) == (41_000, 10)
    assert analysis.idle.beats.period == 5000
    assert {"keepalive-masked-stall", "heartbeat-form"} <= rules(analysis)


@pytest.mark.parametrize("beat", [chunk({}), text(""), text("\u200b")])
def test_a_parser_that_holds_tokens_back_sends_no_heartbeats(beat: bytes) -> None:
    analysis = read(waiting(beat, text("a"), every=20, times=100).records)
    assert analysis.idle.beats.count == 0
    assert tokens(analysis) == (3000, 10)
    assert "heartbeat-form" not in rules(analysis)


@pytest.mark.parametrize("every", [20, 400, 900])
def test_white_space_within_a_text_is_a_token(every: float) -> None:
    wire, at = Wire().ask(dialect="openai-chat").good(10), 100.0
    for piece in ("Hello", " ", "\n", "\n", "world", "  "):
        wire.read(at, text(piece))
        at += every
    analysis = read(wire.read(at, STOP + DONE).close(at, "eof").records)
    assert tokens(analysis) == (100, 6)
    assert analysis.idle.beats.count == 0


def test_white_space_at_the_beginning_is_the_first_token_where_text_follows() -> None:
    wire = Wire().ask(dialect="openai-chat").good(10).read(2000, text("\n\n")).read(2030, text("Hello"))
    analysis = read(wire.records)
    assert tokens(analysis) == (2000, 2)
    # Also where the answer ends, or is of nothing else.
    wire = Wire().ask(dialect="openai-chat").good(10).read(2000, text(" ")).read(5000, STOP)
    assert tokens(read(wire.records)) == (2000, 1)
    wire = Wire().ask(dialect="openai-chat").good(10).read(2000, text(" ")).close(5000, "reset")
    assert tokens(read(wire.records)) == (2000, 1)


def test_white_space_that_keeps_coming_in_the_middle_is_a_heartbeat() -> None:
    wire, at = Wire().ask(dialect="openai-chat").good(10).read(100, text("Let me look.")), 100.0
    for _ in range(6):
        at += 5000
        wire.read(at, text(" "))
    analysis = read(wire.read(at + 20, text("Found.")).records)
    assert tokens(analysis) == (100, 2)
    assert analysis.idle.beats.count == 4


def test_without_times_a_row_of_empty_chunks_is_heartbeats() -> None:
    assert "3 empty chunks" in only(of_bytes(chunk({}) * 6, text("a"), STOP, DONE), "heartbeat-form").message
    assert "heartbeat-form" not in rules(of_bytes(chunk({}) * 2, text("a"), text(" "), text(" "), STOP, DONE))


def test_a_tool_of_the_servers_own_is_progress() -> None:
    block = {"type": "server_tool_use", "id": "t", "name": "web_search", "input": {}}
    wire = Wire().ask(dialect="anthropic-messages").good(10)
    wire.read(50, ANTHROPIC_START + typed("content_block_start", index=0, content_block=block))
    piece = typed("content_block_delta", index=0, delta={"type": "input_json_delta", "partial_json": "a"})
    for n in range(1, 20):
        wire.read(3000 * n, piece + typed("ping"))
    analysis = read(wire.close(60_000, "client").records)
    assert "keepalive-masked-stall" not in rules(analysis)
    assert analysis.idle.view(57_000_000_000).progress == 0


def test_steps_that_a_dialect_has_no_delta_for_are_progress_once() -> None:
    wire = Wire().ask(dialect="openai-responses").good(10)
    steps = ("in_progress", "searching", "completed")
    for n in range(12):
        wire.read(4000 * (n + 1), typed(f"response.web_search_call.{steps[n % 3]}", item_id="i"))
    assert "keepalive-masked-stall" not in rules(read(wire.records))
    wire = Wire().ask(dialect="openai-responses").good(10)
    for n in range(12):
        wire.read(4000 * (n + 1), typed("response.in_progress", response={}))
    assert "keepalive-masked-stall" in rules(read(wire.records))


def test_prompt_processing_is_progress() -> None:
    wire = Wire().ask(dialect="openai-chat").good(10)
    for n in range(12):
        progress = {"total": 100, "cache": 0, "processed": 8 * n + 1, "time_ms": 40}
        wire.read(4000 * (n + 1), chunk({}, prompt_progress=progress) + b": hb\n\n")
    assert "keepalive-masked-stall" not in rules(read(wire.records))


def test_the_priming_event_of_mcp_is_no_heartbeat() -> None:
    body = b'id: 1\nretry: 500\ndata:\n\nid: 2\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n'
    assert rules(of_bytes(body, dialect="mcp")) == set()


def test_events_of_a_feed_are_progress() -> None:
    wire = Wire().ask(dialect="mercure").good(10)
    for n in range(12):
        wire.read(4000 * (n + 1), b"id: %d\ndata: x\n\n: hb\n" % n)
    assert "keepalive-masked-stall" not in rules(read(wire.records))
