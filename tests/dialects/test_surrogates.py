r"""One character in two deltas, as a server sends it that escapes ``\ud83d\ude00`` and cuts between the two."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest

from sse_tui import dialects
from sse_tui.dialects.base import Reasoning, Text, ToolCall
from sse_tui.eventstream import Event
from tests.dialects.conftest import Read


def chat(delta: dict[str, Any], finish: str | None = None, index: int = 0) -> dict[str, Any]:
    return {"choices": [{"index": index, "delta": delta, "finish_reason": finish}]}


def claude(kind: str, member: str, text: str) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": 0, "delta": {"type": kind, member: text}}


def gemini(part: dict[str, Any]) -> dict[str, Any]:
    return {"candidates": [{"index": 0, "content": {"parts": [part]}}]}


def cohere(member: str, text: str) -> dict[str, Any]:
    return {"type": "content-delta", "index": 0, "delta": {"message": {"content": {member: text}}}}


def responses(kind: str, text: str) -> dict[str, Any]:
    return {"type": f"response.{kind}.delta", "output_index": 0, "content_index": 0, "delta": text}


WAYS: dict[str, tuple[str, str, Any]] = {
    "chat text": ("openai-chat", "text", lambda t: chat({"content": t})),
    "chat reasoning": ("openai-chat", "reasoning", lambda t: chat({"reasoning_content": t})),
    "chat refusal": ("openai-chat", "refusal", lambda t: chat({"refusal": t})),
    "chat parts": ("openai-chat", "text", lambda t: chat({"content": [{"type": "text", "text": t}]})),
    "completions": ("openai-completions", "text", lambda t: {"choices": [{"index": 0, "text": t}]}),
    "anthropic": ("anthropic-messages", "text", lambda t: claude("text_delta", "text", t)),
    "anthropic thinking": (
        "anthropic-messages",
        "reasoning",
        lambda t: claude("thinking_delta", "thinking", t),
    ),
    "gemini": ("gemini", "text", lambda t: gemini({"text": t})),
    "gemini thought": ("gemini", "reasoning", lambda t: gemini({"text": t, "thought": True})),
    "cohere": ("cohere-v2", "text", lambda t: cohere("text", t)),
    "cohere thinking": ("cohere-v2", "reasoning", lambda t: cohere("thinking", t)),
    "responses": ("openai-responses", "text", lambda t: responses("output_text", t)),
    "responses reasoning": ("openai-responses", "reasoning", lambda t: responses("reasoning_text", t)),
    "llama.cpp": ("llamacpp-native", "text", lambda t: {"content": t, "stop": False}),
    "tgi": ("tgi", "text", lambda t: {"token": {"id": 1, "text": t, "special": False}}),
    "watsonx": ("watsonx", "text", lambda t: {"results": [{"generated_text": t}]}),
    "langgraph": (
        "langgraph",
        "text",
        lambda t: ("messages", [{"type": "AIMessageChunk", "content": t}, {}]),
    ),
    "mistral": ("mistral-conversations", "text", lambda t: {"type": "message.output.delta", "content": t}),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_halves_of_two_deltas_are_one_character(read: Read, way: str) -> None:
    dialect, channel, payload = WAYS[way]
    told = read(dialect, payload("a\ud83d"), payload("\ude00b"))
    assert getattr(told.answer, channel) == "a😀b"
    assert told.metas("split-surrogates") == [None]
    assert told.metas("lone-surrogates") == []


@pytest.mark.parametrize("way", WAYS)
def test_a_half_that_stays_alone_is_replaced_where_it_stood(read: Read, way: str) -> None:
    dialect, channel, payload = WAYS[way]
    told = read(dialect, payload("a\ud83d"), payload("b"), payload("\ude00c"))
    assert getattr(told.answer, channel) == "a\ufffdb\ufffdc"
    assert told.metas("lone-surrogates") == [1, 1]


def test_lines_of_json(read: Read) -> None:
    dialect = dialects.create("ollama")
    answer = dialects.Answer()
    for line in (r'{"message":{"content":"\ud83d"}}', r'{"message":{"content":"\ude00"},"done":true}'):
        for delta in dialect.read_ignored(line):
            answer.add(delta)
    assert answer.text == "😀"


def test_interleaved_choices_and_channels_each_have_their_own_half(read: Read) -> None:
    told = read(
        "openai-chat",
        chat({"content": "\ud83d"}, index=0),
        chat({"content": "x\ud83c"}, index=1),
        chat({"reasoning_content": "\ud83e"}, index=0),
        chat({"content": "\ude00"}, index=0),
        chat({"reasoning_content": "\udd14"}, index=0),
        chat({"content": "\udf89"}, index=1),
    )
    assert [choice.text for choice in told.answer.by_choice] == ["😀", "x🎉"]
    assert told.answer.reasoning == "🤔"
    assert told.metas("lone-surrogates") == []


def test_arguments_of_calls_that_take_turns(read: Read) -> None:
    def piece(index: int, arguments: str, **more: Any) -> dict[str, Any]:
        return chat({"tool_calls": [{"index": index, "function": {"arguments": arguments, **more}}]})

    told = read(
        "openai-chat",
        piece(0, '{"a":"\ud83d', name="f"),
        piece(1, '{"b":"\ud83c', name="g"),
        piece(0, '\ude00"}'),
        piece(1, '\udf89"}'),
    )
    assert [call["arguments"] for call in told.answer.tool_calls] == ['{"a":"😀"}', '{"b":"🎉"}']


def test_escapes_inside_the_arguments_join_by_themselves(read: Read) -> None:
    def piece(arguments: str) -> dict[str, Any]:
        return {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "input_json_delta", "partial_json": arguments},
        }

    told = read("anthropic-messages", piece('{"t":"\\ud8'), piece("3d"), piece('\\ude00"}'))
    assert json.loads(told.answer.tool_calls[0]["arguments"]) == {"t": "😀"}


def test_arguments_in_pieces_at_a_path(read: Read) -> None:
    def piece(text: str, more: bool) -> dict[str, Any]:
        part = {"jsonPath": "$.t", "stringValue": text, "willContinue": more}
        return gemini({"functionCall": {"partialArgs": [part], "willContinue": more}})

    begin = gemini({"functionCall": {"name": "say", "willContinue": True}})
    told = read("gemini", begin, piece("\ud83d", True), piece("\ude00", False))
    assert told.answer.tool_calls[0]["arguments"] == '{"t":"😀"}'


@pytest.mark.parametrize("channel", [Text, Reasoning, ToolCall])
def test_a_half_that_waits_at_the_end_is_lost(read: Read, channel: type) -> None:
    deltas: dict[type, dict[str, Any]] = {
        Text: {"content": "a\ud83d"},
        Reasoning: {"reasoning": "a\ud83d"},
        ToolCall: {"tool_calls": [{"index": 0, "function": {"name": "f", "arguments": "a\ud83d"}}]},
    }
    told = read("openai-chat", chat(deltas[channel]), chat({}, "stop"))
    assert told.metas("lone-surrogates") == [1]
    said = told.answer.text + told.answer.reasoning + "".join(c["arguments"] for c in told.answer.tool_calls)
    assert said == "a\ufffd"


def test_no_half_leaves_the_dialect_anywhere(read: Read) -> None:
    half = "\ud800"
    told = read(
        "openai-chat",
        {"id": half, "model": half, "provider": half, **chat({"role": half, "content": half * 3})},
        chat(
            {"tool_calls": [{"index": 0, "id": half, "function": {"name": half, "arguments": {half: half}}}]}
        ),
        {"timings": {half: [half]}, "choices": []},
        chat({}, half),
        {"error": {"message": half, "type": half, "code": half}},
    )
    for delta in told.all:
        repr(delta).encode()
        json.dumps(delta, ensure_ascii=False).encode()
    assert told.answer.finish_reason == "\ufffd"


@pytest.mark.parametrize("payload", [["\ud800"], r'"\ud800"'])
def test_nor_where_the_payload_is_no_object(read: Read, payload: Any) -> None:
    told = read("openai-chat", ("error", payload))
    json.dumps(told.all, ensure_ascii=False).encode()


def test_what_waits_survives_pickling() -> None:
    dialect = dialects.create("openai-chat")
    dialect.read(Event("message", json.dumps(chat({"content": "\ud83d"})), "", 0, 0))
    again = pickle.loads(pickle.dumps(dialect))
    (delta,) = again.read(Event("message", json.dumps(chat({"content": "\ude00"})), "", 0, 0))
    assert delta == Text("😀")
