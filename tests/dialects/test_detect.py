from __future__ import annotations

import pytest

from sse_tui.dialects import Auto, Detection, create, detect, names
from sse_tui.dialects.base import Delta, Malformed, Meta, StreamFault, Text
from sse_tui.dialects.detect import NO_FINGERPRINT
from sse_tui.eventstream import Event

CHAT = '{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"a"}}]}'

ALL = (
    "openai-chat", "openai-completions", "openai-responses", "openai-assistants", "openai-transcription",
    "anthropic-messages", "gemini", "cohere-v2", "tgi", "llamacpp-native", "mcp", "vercel-ui", "lmstudio",
    "langgraph",
)  # fmt: skip


def event(data: str, type: str = "message") -> Event:
    return Event(type, data, "", 0, 0)


@pytest.mark.parametrize(
    ("dialect", "first"),
    [
        ("anthropic-messages", event('{"type":"message_start","message":{}}', "message_start")),
        ("anthropic-messages", event('{"type":"content_block_delta","index":0,"delta":{}}')),
        ("openai-responses", event('{"type":"response.created","sequence_number":0}', "response.created")),
        ("openai-responses", event('{"type":"response.output_text.delta","delta":"a"}')),
        ("mcp", event("/messages?sid=1", "endpoint")),
        ("mcp", event('{"jsonrpc":"2.0","id":1,"result":{}}')),
        ("vercel-ui", event('{"type":"text-delta","id":"t","delta":"Hi"}')),
        ("openai-chat", event('{"x_groq":{"id":"r"},"choices":[]}')),
        ("gemini", event('{"candidates":[{"content":{"parts":[{"text":"a"}]}}]}')),
        ("cohere-v2", event('{"type":"content-delta","index":0,"delta":{}}', "content-delta")),
        ("lmstudio", event('{"type":"chat.start"}', "chat.start")),
        ("openai-chat", event('{"choices":[],"prompt_filter_results":[],"object":"","model":""}')),
        ("tgi", event('{"index":1,"token":{"id":5,"text":"a"},"generated_text":null,"details":null}')),
        ("llamacpp-native", event('{"content":"a","tokens":[5],"stop":false}')),
        ("langgraph", event('{"run_id":"r"}', "metadata")),
        ("openai-assistants", event('{"object":"thread.run"}', "thread.run.created")),
        ("openai-transcription", event('{"type":"transcript.text.delta","delta":"a"}')),
        ("openai-chat", event(CHAT)),
        ("openai-chat", event('{"choices":[{"delta":{"content":"a"}}]}')),
        ("openai-chat", event('{"choices":[{"index":0,"text":"a","delta":{"content":"a"}}]}')),
        ("openai-chat", event('{"choices":null,"usage":{"completion_tokens":1}}')),
        ("openai-completions", event('{"object":"text_completion","choices":[{"text":"a"}]}')),
        ("openai-completions", event('{"choices":[{"text":"a","index":0}]}')),
    ],
)
def test_fingerprints(dialect: str, first: Event) -> None:
    found = detect([], [first], readers=ALL)
    assert found.name == dialect
    assert found.reason


@pytest.mark.parametrize(
    "first", [event(""), event("[DONE]"), event("hello"), event('{"type":"ping"}', "ping"), event("[]"),
              event("{}"), event('{"choices":3}'), event('{"choices":[3]}'), event('{"error":"x"}', "error")]
)  # fmt: skip
def test_what_tells_nothing(first: Event) -> None:
    assert detect([], [first], readers=ALL) == Detection("generic", NO_FINGERPRINT)


def test_a_header_tells_before_any_event() -> None:
    headers = [("X-Vercel-AI-UI-Message-Stream", "v1")]
    assert detect(headers, [], readers=ALL).name == "vercel-ui"
    assert detect([("content-type", "text/event-stream")], []).reason == NO_FINGERPRINT


def test_the_first_event_that_tells_counts() -> None:
    assert detect([], [event(""), event(CHAT), event("{}", "message_start")]).name == "openai-chat"


def test_a_shape_without_a_reader_is_generic_and_named() -> None:
    found = detect([], [event('{"type":"chat.start"}', "chat.start")], readers=["openai-chat"])
    assert found.name == "generic"
    assert "lmstudio" in found.reason


def read(dialect: Auto, *events: Event) -> list[Delta]:
    return [delta for one in events for delta in dialect.read(one)]


class TestAuto:
    def test_reads_as_what_it_finds_the_first_event_included(self) -> None:
        dialect = Auto()
        assert dialect.name == "generic"
        assert read(dialect, event(CHAT)) == [Text("a")]
        assert (dialect.name, dialect.complete, dialect.ended) == ("openai-chat", False, False)

    def test_what_came_before_is_neither_lost_nor_told_twice(self) -> None:
        dialect = Auto()
        error = event('{"error":{"message":"x"}}')
        assert read(dialect, event("{}", "ping"), error) == [Meta("ping", "{}"), StreamFault(None, None, "x")]
        assert read(dialect, event(CHAT), event("[DONE]")) == [Text("a"), Meta("done", "[DONE]")]
        assert (dialect.ended, dialect.complete) == (True, False), (
            "the error was before the dialect was known"
        )

    def test_what_turns_out_to_be_broken_is_told_with_the_event_that_tells(self) -> None:
        deltas = read(Auto(), event(": keepalive"), event(CHAT))
        assert [type(delta) for delta in deltas] == [Meta, Malformed, Text]  # a heartbeat is known at once

    def test_gives_up_after_a_while_and_keeps_no_events(self) -> None:
        dialect = Auto()
        read(dialect, *[event("tick")] * 20)
        assert dialect.decided
        assert read(dialect, event(CHAT)) == []
        assert dialect.name == "generic"

    def test_decides_once(self) -> None:
        dialect = Auto()
        read(dialect, event(CHAT), event('{"type":"message_start"}', "message_start"))
        assert dialect.detection.name == "openai-chat"

    def test_headers_can_decide(self) -> None:
        dialect = Auto()
        dialect.headers_seen([("x-vercel-ai-ui-message-stream", "v1")])
        assert (dialect.name, dialect.decided) == ("vercel-ui", True)
        assert "x-vercel-ai-ui-message-stream" in dialect.detection.reason

    def test_is_created_by_name_and_is_no_dialect_of_its_own(self) -> None:
        assert isinstance(create("auto"), Auto)
        assert "auto" not in names()


@pytest.mark.parametrize(
    ("headers", "body", "name"),
    [
        ([("MCP-Protocol-Version", "2025-11-25")], "", "mcp"),
        ([("Mcp-Session-Id", "1")], "", "mcp"),
        ([], '{"jsonrpc": "2.0", "id": 1, "method": "tools/call"}', "mcp"),
        ([], '{"jsonrpc": "2.0", "id": 1, "method": "initialize"}', "mcp"),
        ([], '{"jsonrpc": "2.0", "id": 1, "method": "message/stream"}', "generic"),  # A2A
        ([], '{"jsonrpc": "2.0", "id": 1, "method": 7}', "generic"),
        ([], '[{"jsonrpc": "2.0"', "generic"),
        ([("Content-Type", "application/json")], '{"messages": []}', "generic"),
    ],
)
def test_a_request_of_mcp_shows_the_dialect_before_any_event(
    headers: list[tuple[str, str]], body: str, name: str
) -> None:
    dialect = create("auto")
    dialect.request_seen(headers, body)
    assert dialect.chosen.name == name
