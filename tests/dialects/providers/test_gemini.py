from __future__ import annotations

import json
from typing import Any

import pytest

from sse_tui.dialects.base import Malformed, StreamFault
from sse_tui.dialects.providers.gemini.gemini_args import PartialArguments


def chunk(*parts: Any, index: int | None = 0, finish: str | None = None, **members: Any) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": list(parts)}}
    if index is not None:
        candidate["index"] = index
    if finish is not None:
        candidate["finishReason"] = finish
    return {"candidates": [candidate], **members}


def call(**members: Any) -> dict[str, Any]:
    return {"functionCall": members}


def test_an_answer(read: Any) -> None:
    usage = {
        "promptTokenCount": 3,
        "candidatesTokenCount": 1,
        "thoughtsTokenCount": 5,
        "cachedContentTokenCount": 2,
    }
    told = read(
        "gemini",
        chunk({"text": "hm", "thought": True}, modelVersion="m", responseId="r"),
        chunk({"text": "H"}, {"text": "i"}, usageMetadata={"promptTokenCount": 3}),
        chunk({"thoughtSignature": "c2ln"}, finish="STOP", usageMetadata=usage),
    )
    assert (told.answer.text, told.answer.reasoning, told.answer.model) == ("Hi", "hm", "m")
    assert told.answer.usage == {"input": 3, "output": 1, "reasoning": 5, "cached": 2}
    assert told.answer.finish_reason == "STOP"
    assert (told.dialect.ended, told.dialect.complete) == (False, True), "the end of the body is the end"


def test_several_candidates(read: Any) -> None:
    told = read(
        "gemini",
        chunk({"text": "b"}, index=1),
        chunk({"text": "a"}, index=0, finish="STOP"),
    )
    assert [(choice.index, choice.text) for choice in told.answer.by_choice] == [(0, "a"), (1, "b")]
    assert (told.answer.text, told.answer.choices, told.dialect.complete) == ("a", 2, False)
    assert (
        read("gemini", {"candidates": [{"content": {"parts": [{"text": "a"}]}}, {}]}).dialect.complete
        is False
    )


def test_calls_that_come_whole(read: Any) -> None:
    told = read(
        "gemini",
        chunk(call(name="f", args={"x": [1, "ä"]}), call(name="f", args={})),
        chunk(call(name="g", id="c")),
    )
    assert told.answer.tool_calls == [
        {"id": None, "name": "f", "arguments": '{"x":[1,"ä"]}'},
        {"id": None, "name": "f", "arguments": "{}"},
        {"id": "c", "name": "g", "arguments": "{}"},
    ]


def test_arguments_in_pieces(read: Any) -> None:
    told = read(
        "gemini",
        chunk(call(name="f", willContinue=True)),
        chunk(call(partialArgs=[{"jsonPath": "$.city", "stringValue": "Ber"}], willContinue=True)),
        chunk(call(partialArgs=[{"jsonPath": "$.city", "stringValue": "lin"}], willContinue=True)),
        chunk(call(partialArgs=[{"jsonPath": "$.days[0].n", "numberValue": 2}], willContinue=True)),
        chunk(call()),
        chunk(call(name="g", args={"y": 1}), finish="STOP"),
    )  # fmt: skip
    first, second = told.answer.tool_calls
    assert (first["name"], json.loads(first["arguments"])) == ("f", {"city": "Berlin", "days": [{"n": 2}]})
    assert second == {"id": None, "name": "g", "arguments": '{"y":1}'}


def test_a_call_that_another_one_cuts_off(read: Any) -> None:
    told = read(
        "gemini",
        chunk(call(name="f", id="1", willContinue=True)),
        chunk(call(partialArgs=[{"jsonPath": "$.a", "boolValue": True}], willContinue=True)),
        chunk(call(name="f", id="2", args={})),
    )
    assert told.answer.tool_calls == [
        {"id": "1", "name": "f", "arguments": '{"a":true}'},
        {"id": "2", "name": "f", "arguments": "{}"},
    ]


@pytest.mark.parametrize(
    ("pieces", "whole"),
    [
        ([("$.a", "nullValue", "NULL_VALUE")], {"a": None}),
        ([("$['a.b'].c", "stringValue", "x")], {"a.b": {"c": "x"}}),
        ([('$["a"][1]', "numberValue", 2)], {"a": [None, 2]}),
        ([("$.a[0]", "stringValue", "x"), ("$.a[1]", "stringValue", "y")], {"a": ["x", "y"]}),
        ([("$.a", "numberValue", 1), ("$.a.b", "numberValue", 2)], {"a": {"b": 2}}),
        ([("$.a[999999999]", "numberValue", 1)], {}),
        ([("$.a[99999]", "numberValue", 1)], {"a": []}),
        ([("nonsense", "numberValue", 1), ("$", "numberValue", 1), ("$.a[*]", "numberValue", 1)], {}),
    ],
)
def test_paths(pieces: list[tuple[str, str, Any]], whole: Any) -> None:
    arguments = PartialArguments()
    arguments.add([{"jsonPath": path, name: value} for path, name, value in pieces])
    assert json.loads(arguments.text()) == whole


def test_tools_of_the_service(read: Any) -> None:
    told = read(
        "gemini",
        chunk({"executableCode": {"language": "PYTHON", "code": "1+1"}}),
        chunk({"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "2"}}),
        chunk({"inlineData": {"mimeType": "image/png", "data": "aGk="}}),
        {"candidates": [{"groundingMetadata": {"webSearchQueries": ["q"]}}]},
    )
    assert told.answer.server_tool_calls == [{"type": "executableCode", "name": None}]
    assert (told.metas("code"), told.metas("file")) == (["1+1"], ["image/png"])
    assert told.metas("grounding") == [{"webSearchQueries": ["q"]}]
    assert told.answer.text == ""


def test_a_blocked_prompt_is_an_answer_without_text(read: Any) -> None:
    feedback = {"blockReason": "PROHIBITED_CONTENT"}
    told = read("gemini", {"promptFeedback": feedback, "usageMetadata": {"promptTokenCount": 4}})
    assert told.metas("blocked") == [feedback]
    assert (told.answer.finish_reason, told.answer.error, told.dialect.complete) == (None, None, True)


def test_an_error_in_the_stream(read: Any) -> None:
    told = read(
        "gemini", chunk({"text": "a"}), {"error": {"code": 503, "message": "busy", "status": "UNAVAILABLE"}}
    )
    assert told.answer.error == StreamFault("UNAVAILABLE", 503, "busy")
    assert told.dialect.complete is False


def test_chunks_that_are_wrapped(read: Any) -> None:
    assert read("gemini", {"response": chunk({"text": "a"}, finish="STOP")}).answer.text == "a"


@pytest.mark.parametrize(
    "payload",
    [{"candidates": 3}, {"candidates": [3]}, {"candidates": [{"content": 3}]}, chunk(3), chunk({"text": 3})],
)
def test_what_breaks_the_shape(payload: Any, read: Any) -> None:
    assert len(read("gemini", payload).of(Malformed)) == 1
