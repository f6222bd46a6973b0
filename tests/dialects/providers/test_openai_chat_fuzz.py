"""Whatever a server sends, reading it raises nothing, and what comes out can be printed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sse_tui.dialects import Answer, create, names
from sse_tui.eventstream import Event
from tests.dialects.answer_data import as_data

scalars = st.none() | st.booleans() | st.integers() | st.floats()
json_values = st.recursive(
    scalars | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)
MEMBERS = [
    "choices",
    "delta",
    "index",
    "content",
    "role",
    "reasoning",
    "reasoning_content",
    "reasoning_details",
    "refusal",
    "tool_calls",
    "function",
    "function_call",
    "name",
    "arguments",
    "id",
    "model",
    "custom",
    "audio",
    "transcript",
    "usage",
    "prompt_tokens",
    "completion_tokens",
    "error",
    "completion_tokens_details",
    "message",
    "code",
    "type",
    "error_type",
    "x_groq",
    "timings",
    "prompt_progress",
    "processed",
    "total",
    "finish_reason",
    "text",
    "thinking",
    "executed_tools",
    "object",
    "summary",
    "provider",
    "detail",
]
shaped = st.recursive(
    scalars | st.text(max_size=4) | st.sampled_from(["error", "ping"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(MEMBERS), inner, max_size=6),
    max_leaves=30,
)
choices = st.fixed_dictionaries({"index": shaped, "delta": shaped, "finish_reason": shaped})
beside = ("usage", "error", "x_groq", "model", "id", "prompt_progress", "type", "object")
chunks = st.fixed_dictionaries(
    {"choices": st.lists(choices, max_size=2)}, optional=dict.fromkeys(beside, shaped)
)
types = st.sampled_from(["message", "error", "ping", "x"])


def swallow(*events: Event) -> None:
    """Read and assemble in every dialect; whatever came must be fit to be printed."""
    for name in [*names(), "auto"]:
        dialect, assembled = create(name), Answer()
        for event in events:
            for delta in dialect.read(event):
                assembled.add(delta)
        json.dumps(as_data(assembled), ensure_ascii=False).encode("utf-8")
        assert dialect.complete in (True, False, None)
        assert sum(len(choice.text) for choice in assembled.by_choice) == assembled.text_length
        assert len(assembled.reasoning) == assembled.reasoning_length


@given(st.lists(st.tuples(types, json_values | shaped | chunks), max_size=5))
@settings(max_examples=150, deadline=None)
def test_no_json_makes_it_raise(payloads: list[tuple[str, Any]]) -> None:
    swallow(*[Event(kind, json.dumps(value), "", 0, 0) for kind, value in payloads])


@given(st.lists(st.tuples(types, st.text()), max_size=4))
def test_no_text_makes_it_raise(payloads: list[tuple[str, str]]) -> None:
    swallow(*[Event(kind, data, "", 0, 0) for kind, data in payloads])


@pytest.mark.parametrize(
    "data",
    [
        "[" * 100_000,
        "[" * 5_000 + "]" * 5_000,
        '{"choices":' * 3_000 + "1" + "}" * 3_000,
        '{"error":' + "[" * 900 + "]" * 900 + "}",
        "9" * 10_000,
        '{"usage":{"prompt_tokens":' + "9" * 30 + "}}",
        '{"usage":{"prompt_tokens":1e999,"completion_tokens":NaN}}',
        '{"choices":[{"index":-1,"delta":{"content":"a"}},{"index":'
        + "9" * 25
        + ',"delta":{"content":"b"}}]}',
        '{"choices":[],"choices":[{"delta":{"content":"last"}}]}',
        "\ufeff{}",
        "\x00",
    ],
)
def test_hostile_payloads(data: str) -> None:
    swallow(Event("message", data, "", 0, 0), Event("error", data, "", 0, 0))
