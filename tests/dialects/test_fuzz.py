"""Whatever a server sends, no dialect raises, and what comes out can be printed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sse_tui.dialects import (
    READERS,
    Answer,
    AutoLines,
    Dialect,
    LineDialect,
    create,
    names,
    senders,
)
from sse_tui.eventstream import Event
from tests.dialects.answer_data import as_data

# Kinds and members that the dialects look for; a value that fits nowhere is the interesting one.
KINDS = [
    *("message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta"),
    *("message_stop", "ping", "error", "done", "end", "values", "updates", "messages", "messages/partial", "events"),
    *("metadata", "data", "custom", "output", "logs", "endpoint", "message", "chat.start", "chat.end"),
    *("message.delta", "reasoning.delta", "tool_call.start", "tool_call.arguments", "tool_call.failure"),
    *("prompt_processing.progress", "message-start", "content-start", "content-delta", "tool-plan-delta"),
    *("tool-call-start", "tool-call-delta", "citation-start", "message-end", "text-generation", "stream-end"),
    *("tool-calls-generation", "start", "text-start", "text-delta", "reasoning-delta", "tool-input-start"),
    *("tool-input-delta", "tool-input-available", "tool-output-available", "finish", "abort", "data-x", "file"),
    *("transcript.text.delta", "transcript.text.segment", "transcript.text.done", "fallback"),
    *("conversation.response.started", "conversation.response.done", "conversation.response.error"),
    *("message.output.delta", "function.call.delta", "tool.execution.started", "tool.execution.delta"),
    *("text", "thinking", "tool_use", "server_tool_use", "mcp_tool_use", "web_search_tool_result", "compaction"),
    *("text_delta", "input_json_delta", "thinking_delta", "signature_delta", "citations_delta"),
    *("function_call", "custom_tool_call", "computer_call", "mcp_call", "web_search_call", "reasoning"),
    *("output_text", "refusal", "reasoning_text", "thread.run", "thread.run.step.delta", "thread.message.delta"),
    *("AIMessageChunk", "ai", "constructor", "ADDED", "BOOKMARK", "ERROR", "function", "code_interpreter"),
    *("fallback_message", "on_chat_model_stream", "failed", "completed", "requires_action"),
    *(f"response.{kind}" for kind in (
        "created", "completed", "failed", "incomplete", "output_item.added", "output_item.done",
        "content_part.done", "output_text.delta", "output_text.done", "refusal.delta", "refusal.done",
        "reasoning_text.delta", "reasoning_summary_text.delta", "reasoning_summary_part.done",
        "function_call_arguments.delta", "function_call_arguments.done", "custom_tool_call_input.done",
        "mcp_call_arguments.delta", "mcp_call_arguments.done", "code_interpreter_call_code.delta",
    )),
]  # fmt: skip
MEMBERS = [
    *(
        "type",
        "object",
        "delta",
        "index",
        "content_block",
        "message",
        "usage",
        "input",
        "partial_json",
        "text",
    ),
    *(
        "thinking",
        "stop_reason",
        "stop_details",
        "iterations",
        "model",
        "id",
        "name",
        "role",
        "to",
        "content",
    ),
    *(
        "response",
        "item",
        "item_id",
        "output_index",
        "content_index",
        "summary_index",
        "sequence_number",
        "part",
    ),
    *(
        "arguments",
        "call_id",
        "action",
        "actions",
        "operation",
        "output",
        "summary",
        "status",
        "error",
        "code",
    ),
    *(
        "incomplete_details",
        "reason",
        "refusal",
        "candidates",
        "parts",
        "functionCall",
        "args",
        "partialArgs",
    ),
    *(
        "willContinue",
        "jsonPath",
        "stringValue",
        "numberValue",
        "nullValue",
        "finishReason",
        "promptFeedback",
    ),
    *("blockReason", "usageMetadata", "promptTokenCount", "executableCode", "inlineData", "thought"),
    *("tool_calls", "function", "tool_plan", "finish_reason", "tokens", "input_tokens", "output_tokens"),
    *("event_type", "token", "special", "generated_text", "details", "stop", "stop_type", "prompt_progress"),
    *(
        "processed",
        "total",
        "timings",
        "choices",
        "results",
        "stop_reason",
        "generated_token_count",
        "errors",
    ),
    *("value", "jsonrpc", "method", "params", "result", "toolCallId", "toolName", "inputTextDelta"),
    *(
        "providerExecuted",
        "messageMetadata",
        "totalUsage",
        "inputTokens",
        "errorText",
        "provider_info",
        "tool",
    ),
    *("stats", "progress", "run_id", "messages", "tool_call_chunks", "usage_metadata", "response_metadata"),
    *(
        "kwargs",
        "lc",
        "data",
        "chunk",
        "event",
        "step_details",
        "code_interpreter",
        "annotations",
        "last_error",
    ),
    *("done", "done_reason", "eval_count", "metadata", "resourceVersion", "meta", "domain", "stream"),
]
scalars = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4) | st.sampled_from(KINDS)
)
shaped = st.recursive(
    scalars | st.sampled_from(["$.a", "$.a.b[0]", "$['a']", '{"x":1}']),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(MEMBERS), inner, max_size=6),
    max_leaves=30,
)
payloads = st.dictionaries(st.sampled_from(MEMBERS), shaped, max_size=8).flatmap(
    lambda members: st.sampled_from(KINDS).map(lambda kind: {**members, "type": kind})
)
events = st.lists(
    st.tuples(st.sampled_from([*KINDS, "message"]), payloads | shaped, st.sampled_from(["", "1", "17:1"])),
    max_size=6,
)


def settle(dialect: Dialect, answer: Answer) -> None:
    json.dumps(as_data(answer), ensure_ascii=False).encode("utf-8")
    assert dialect.complete in (True, False, None)
    assert dialect.ended in (True, False)
    assert len(answer.text) == answer.text_length
    assert len(answer.reasoning) == answer.reasoning_length


def swallow(*given_events: Event) -> None:
    for name in [*names(), "auto"]:
        dialect, answer = create(name), Answer()
        for event in given_events:
            for delta in dialect.read(event):
                answer.add(delta)
        settle(dialect, answer)


def swallow_lines(*lines: str) -> None:
    readers = [create(name) for name, kind in READERS.items() if kind.line_based]
    for dialect in [*readers, AutoLines()]:
        assert isinstance(dialect, LineDialect)
        answer = Answer()
        for line in lines:
            for delta in dialect.read_ignored(line):
                answer.add(delta)
        settle(dialect, answer)


@given(events)
@settings(max_examples=300, deadline=None)
def test_no_payload_makes_a_dialect_raise(given_events: list[tuple[str, Any, str]]) -> None:
    swallow(*[Event(kind, json.dumps(value), ident, 0, 0) for kind, value, ident in given_events])


@given(st.lists(payloads | shaped, max_size=5))
@settings(max_examples=150, deadline=None)
def test_no_line_makes_one_raise(values: list[Any]) -> None:
    swallow_lines(*map(json.dumps, values))


@given(st.lists(st.text(max_size=40), max_size=4))
@settings(max_examples=100, deadline=None)
def test_no_text_makes_one_raise(texts: list[str]) -> None:
    swallow(
        *[Event(kind, text, "", 0, 0) for text in texts for kind in ("message", "output", "error", "end")]
    )
    swallow_lines(*texts)
    for text in texts:
        for name in senders():
            READERS[name].prompt_of(text)


@given(shaped)
@settings(max_examples=100, deadline=None)
def test_no_request_makes_one_raise(value: Any) -> None:
    for name in senders():
        prompt = READERS[name].prompt_of(json.dumps(value))
        assert prompt is None or isinstance(prompt, str)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("value", [3, [], {}, "x", [3], {"a": 3}, 1e999, -1, 2**70, True])
def test_a_member_of_the_wrong_kind(kind: str, value: Any) -> None:
    payload = json.dumps({**dict.fromkeys(MEMBERS, value), "type": kind})
    swallow(Event(kind, payload, "", 0, 0), Event("message", payload, "", 0, 0))
    swallow_lines(payload)


@pytest.mark.parametrize(
    "data",
    [
        "[" * 100_000,
        '{"type":"response.completed","response":' + '{"output":[' * 2_000,
        '{"candidates":[{"content":{"parts":[{"functionCall":{"partialArgs":[{"jsonPath":"$'
        + ".a" * 5_000 + '","numberValue":1}]}}]}}]}',
        '{"candidates":[{"content":{"parts":[{"functionCall":{"partialArgs":[{"jsonPath":"$'
        + "[1000]" * 60 + '","numberValue":1}]}}]}}]}',
        '{"type":"content_block_delta","index":' + "9" * 30 + ',"delta":{"type":"text_delta","text":"a"}}',
        '{"type":"response.output_text.delta","output_index":' + "9" * 30 + ',"delta":"a"}',
        '{"usageMetadata":{"promptTokenCount":NaN,"candidatesTokenCount":1e999}}',
    ],
)  # fmt: skip
def test_hostile_payloads(data: str) -> None:
    swallow(Event("message", data, "", 0, 0), Event("error", data, "", 0, 0))
    swallow_lines(data)
