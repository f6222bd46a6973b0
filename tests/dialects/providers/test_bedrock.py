"""Bedrock's two streams, out of their frames."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest

from sse_tui.bodies.aws_frames import AwsFrames
from sse_tui.dialects import Answer, Dialect, create
from sse_tui.dialects.base import Malformed, Meta, StreamFault
from sse_tui.eventstream import Event
from tests.bodies.frames import (
    BLOCK_STOP,
    CONVERSE,
    METADATA,
    START,
    STOP,
    delta,
    event,
    exception,
    failure,
    invoked,
)


def read(body: bytes, dialect: str = "auto") -> tuple[Dialect, Answer, list[Any]]:
    reader, answer, deltas = create(dialect), Answer(), []
    for item in AwsFrames(1 << 20).feed(body):
        assert isinstance(item, Event)
        reader = pickle.loads(pickle.dumps(reader))  # as the wire log keeps it
        for found in reader.read(item):
            answer.add(found)
            deltas.append(found)
    return reader, answer, deltas


@pytest.mark.parametrize("dialect", ["auto", "bedrock-converse"])
def test_an_answer(dialect: str) -> None:
    reader, answer, deltas = read(CONVERSE, dialect)
    assert (reader.chosen.name, answer.text, answer.finish_reason) == (
        "bedrock-converse",
        "Hello",
        "end_turn",
    )
    assert answer.usage == {"input": 3, "output": 2, "cached": 1}
    assert Meta("timings", {"latencyMs": 120}) in deltas
    assert reader.complete is True
    assert read(CONVERSE[: -len(METADATA)], dialect)[0].complete is True
    assert read(START + delta("Hel") + BLOCK_STOP, dialect)[0].complete is False


def test_reasoning_and_calls() -> None:
    def block(index: int, **members: Any) -> bytes:
        return event("contentBlockDelta", {"contentBlockIndex": index, "delta": members})

    def call(index: int, ident: str, name: str) -> bytes:
        start = {"toolUse": {"toolUseId": ident, "name": name}}
        return event("contentBlockStart", {"contentBlockIndex": index, "start": start})

    _, answer, deltas = read(
        START
        + block(0, reasoningContent={"text": "h"})
        + block(0, reasoningContent={"text": "m"})
        + block(0, reasoningContent={"signature": "c2ln"})
        + block(1, reasoningContent={"redactedContent": "eHg="})
        + block(1, reasoningContent={"data": "eXk="})  # anomalyco/opencode#38712
        + block(2, text="Hi")
        + call(3, "a", "f")
        + block(3, toolUse={"input": '{"x":'})
        + call(4, "b", "g")
        + block(4, toolUse={"input": "{}"})
        + block(3, toolUse={"input": "1}"})
        + event("messageStop", {"stopReason": "tool_use"})
    )
    assert (answer.reasoning, answer.text, answer.finish_reason) == ("hm", "Hi", "tool_use")
    assert answer.tool_calls == [
        {"id": "a", "name": "f", "arguments": '{"x":1}'},
        {"id": "b", "name": "g", "arguments": "{}"},
    ]
    assert [
        found.value for found in deltas if isinstance(found, Meta) and found.name == "redacted_thinking"
    ] == [
        "eHg=",
        "eXk=",
    ]


def test_metrics_alone_take_no_usage_away() -> None:
    """anomalyco/opencode#38712: a later metadata event without usage erased what had been counted."""
    _, answer, _ = read(CONVERSE + event("metadata", {"metrics": {"latencyMs": 9}}))
    assert answer.usage == {"input": 3, "output": 2, "cached": 1}


@pytest.mark.parametrize("dialect", ["auto", "bedrock-converse", "bedrock-invoke"])
@pytest.mark.parametrize("begun", [b"", START + delta("Hel"), CONVERSE])
def test_exceptions(dialect: str, begun: bytes) -> None:
    if dialect == "bedrock-invoke" and begun:
        begun = invoked({"outputText": "Hel", "completionReason": None})
    reader, answer, _ = read(begun + exception("throttlingException", "Too many tokens"), dialect)
    assert answer.error == StreamFault("throttlingException", None, "Too many tokens")
    assert reader.complete is False


def test_what_the_models_own_server_said() -> None:
    more = {"originalStatusCode": 424, "originalMessage": "worker died"}
    assert read(exception("modelStreamErrorException", "", **more))[1].error == StreamFault(
        "modelStreamErrorException", 424, "worker died"
    )
    assert read(delta("a") + failure("InternalFailure", "boom"))[1].error == StreamFault(
        None, "InternalFailure", "boom"
    )
    assert read(invoked({"generation": "a", "stop_reason": None}) + failure("X", "y"))[
        1
    ].error == StreamFault(None, "X", "y")


def test_events_that_a_gateway_wrapped() -> None:
    """As Nova models send them in InvokeModel, and boto3 prints them: one member that names the event."""
    parts = [
        {"messageStart": {"role": "assistant"}},
        {"contentBlockDelta": {"delta": {"text": "Hi"}, "contentBlockIndex": 0}},
        {"contentBlockStop": {"contentBlockIndex": 0}},
        {"messageStop": {"stopReason": "end_turn"}},
        {"metadata": {"usage": {"inputTokens": 1, "outputTokens": 1}, "metrics": {}, "trace": {}}},
    ]
    reader, answer, _ = read(b"".join(map(invoked, parts)))
    assert (reader.chosen.name, answer.text, reader.complete) == ("bedrock-converse", "Hi", True)
    plain, answer = create("auto"), Answer()
    for part in [*parts[:2], {"throttlingException": {"message": "slow down"}}]:
        for found in plain.read(Event("message", json.dumps(part), "", 0, 0)):
            answer.add(found)
    assert (plain.name, answer.text) == ("bedrock-converse", "Hi")
    assert answer.error == StreamFault("throttlingException", None, "slow down")


def test_the_answer_without_a_stream() -> None:
    """aws-samples/sample-OpenClaw-on-AWS-with-Bedrock#48: a proxy answered converse-stream with one object."""
    whole = {
        "output": {
            "message": {
                "role": "assistant",
                "content": [
                    {"reasoningContent": {"reasoningText": {"text": "hm"}}},
                    {"text": "Hi"},
                    {"toolUse": {"toolUseId": "t", "name": "f", "input": {"x": 1}}},
                ],
            }
        },
        "stopReason": "tool_use",
        "usage": {"inputTokens": 1, "outputTokens": 2},
    }
    reader, answer = create("auto"), Answer()
    for found in reader.read(Event("message", json.dumps(whole), "", 0, 0)):
        answer.add(found)
    assert (reader.name, answer.reasoning, answer.text) == ("bedrock-converse", "hm", "Hi")
    assert answer.tool_calls == [{"id": "t", "name": "f", "arguments": '{"x":1}'}]
    assert (reader.complete, answer.usage) == (True, {"input": 1, "output": 2})


METRICS = {"inputTokenCount": 3, "outputTokenCount": 5, "invocationLatency": 90, "firstByteLatency": 40}
LAST = {"amazon-bedrock-invocationMetrics": METRICS}
MODELS: dict[str, list[dict[str, Any]]] = {
    "titan": [
        {"outputText": "Hi", "index": 0, "completionReason": None, "inputTextTokenCount": 3},
        {"outputText": " you", "completionReason": "FINISH", "totalOutputTextTokenCount": 5, **LAST},
    ],
    "llama": [
        {"generation": "Hi", "prompt_token_count": 3, "generation_token_count": 1, "stop_reason": None},
        {"generation": " you", "generation_token_count": 5, "stop_reason": "stop", **LAST},
    ],
    "mistral": [
        {"outputs": [{"text": "Hi", "stop_reason": None}]},
        {"outputs": [{"text": " you", "stop_reason": "stop"}], **LAST},
    ],
    "deepseek": [
        {"choices": [{"index": 0, "text": "Hi", "stop_reason": None}]},
        {"choices": [{"index": 0, "text": " you", "stop_reason": "stop"}], **LAST},
    ],
    "claude 2": [
        {"completion": "Hi", "stop_reason": None},
        {"completion": " you", "stop_reason": "stop_sequence", **LAST},
    ],
}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("dialect", ["auto", "bedrock-invoke"])
def test_models_without_a_dialect_of_their_own(model: str, dialect: str) -> None:
    reader, answer, deltas = read(b"".join(map(invoked, MODELS[model])), dialect)
    assert (reader.chosen.name if dialect != "auto" else reader.name) == "bedrock-invoke"
    assert (answer.text, answer.usage, reader.complete) == ("Hi you", {"input": 3, "output": 5}, True)
    assert Meta("timings", METRICS) in deltas
    cut, _, _ = read(invoked(MODELS[model][0]), dialect)
    assert cut.complete is False


def test_models_with_a_dialect_of_their_own() -> None:
    claude = [
        {
            "type": "message_start",
            "message": {"model": "claude", "role": "assistant", "usage": {"input_tokens": 3}},
        },
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 5}},
        {"type": "message_stop", **LAST},
    ]
    body = b"".join(map(invoked, claude))
    for dialect in ("auto", "bedrock-invoke"):
        reader, answer, deltas = read(body, dialect)
        assert (reader.chosen.name, answer.text, answer.model) == ("anthropic-messages", "Hi", "claude")
        assert (answer.usage, reader.ended, reader.complete) == ({"input": 3, "output": 5}, True, True)
        assert Meta("timings", METRICS) in deltas
    reader, _, _ = read(b"".join(map(invoked, claude[:4])))
    assert (reader.ended, reader.complete) == (False, False)
    chunk = {"choices": [{"index": 0, "delta": {"content": "Hi"}, "finish_reason": "stop"}]}
    reader, answer, _ = read(invoked(chunk))
    assert (reader.chosen.name, answer.text, reader.complete) == ("openai-chat", "Hi", True)


@pytest.mark.parametrize(
    ("payload", "why"),
    [({"bytes": "!"}, "not base64"), ({"x": 1}, "there are none"), ({"bytes": "eA=="}, "not JSON")],
)
def test_broken_chunks(payload: dict[str, Any], why: str) -> None:
    _, _, deltas = read(event("chunk", payload), "bedrock-invoke")
    assert isinstance(deltas[0], Malformed)
    assert why in deltas[0].reason


def test_a_stop_without_a_reason_is_a_stop() -> None:
    reader, answer, _ = read(START + event("messageStop", {}))
    assert (reader.complete, answer.finish_reason) == (True, None)
    assert read(STOP)[1].finish_reason == "end_turn"
