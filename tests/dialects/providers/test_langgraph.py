from __future__ import annotations

from typing import Any

import pytest

from sse_tui.dialects.base import Malformed, Meta, StreamFault


def chunk(text: Any, ident: str | None = "m1", **members: Any) -> dict[str, Any]:
    return {"type": "AIMessageChunk", "id": ident, "content": text, **members}


def messages(message: Any) -> tuple[str, Any]:
    return "messages", [message, {"langgraph_node": "agent"}]


def test_message_chunks(read: Any) -> None:
    told = read(
        "langgraph",
        ("metadata", {"run_id": "r"}),
        messages(chunk([{"type": "thinking", "thinking": "hm"}])),
        messages(chunk("Hel")),
        ("messages|sub:1", [chunk("lo"), {}]),
        messages({"type": "tool", "content": "no answer of the model"}),
        messages(chunk("", tool_call_chunks=[{"name": "f", "id": "c", "args": "{", "index": 0}])),
        messages(chunk("", tool_call_chunks=[{"name": None, "id": None, "args": "}", "index": 0}])),
        messages(chunk("", usage_metadata={"input_tokens": 3, "output_tokens": 2},
                       response_metadata={"finish_reason": "stop", "model_name": "gpt"})),
        ("values", {"messages": [{"type": "human", "content": "q"}, {"type": "ai", "id": "m1", "content": "Hello"}]}),
        ("end", "null"),
    )  # fmt: skip
    assert (told.answer.text, told.answer.reasoning) == ("Hello", "hm")
    assert told.answer.tool_calls == [{"id": "c", "name": "f", "arguments": "{}"}]
    assert told.answer.usage == {"input": 3, "output": 2}
    assert (told.answer.finish_reason, told.answer.model) == ("stop", "gpt")
    assert (told.dialect.ended, told.dialect.complete) == (True, True)


@pytest.mark.parametrize("mode", ["messages/partial", "values"])
def test_messages_so_far(mode: str, read: Any) -> None:
    def state(text: str, **members: Any) -> Any:
        message = {"type": "ai", "id": "m1", "content": text, **members}
        return [message] if mode == "messages/partial" else {"messages": [message]}

    call = {"name": "f", "id": "c", "args": {"x": 1}}
    told = read(
        "langgraph",
        (mode, state("He")),
        (mode, state("Hello")),
        (mode, state("Hello")),
        (mode, state("Hello", response_metadata={"finish_reason": "tool_calls"}, tool_calls=[call])),
        (mode, state("Hello", response_metadata={"finish_reason": "tool_calls"}, tool_calls=[call])),
    )
    assert told.answer.text == "Hello"
    assert told.answer.tool_calls == [{"id": "c", "name": "f", "arguments": '{"x":1}'}]


def test_other_modes(read: Any) -> None:
    event = {"event": "on_chat_model_stream", "data": {"chunk": chunk("a")}}
    told = read(
        "langgraph", ("updates", {"agent": {}}), ("custom", 3), ("debug", {}), ("events", event), ("ping", "")
    )
    assert (told.answer.text, told.metas("data")) == ("a", [{"agent": {}}, 3])


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        ({"error": "ValueError", "message": "x"}, StreamFault("ValueError", None, "x")),
        (
            {"status_code": 500, "message": "Internal Server Error"},
            StreamFault(None, 500, "Internal Server Error"),
        ),
        ('"x"', StreamFault(None, None, "x")),
        ("not json", StreamFault(None, None, "not json")),
    ],
)
def test_errors(data: Any, fault: StreamFault, read: Any) -> None:
    told = read("langgraph", messages(chunk("a")), ("error", data))
    assert told.answer.error == fault
    assert told.dialect.complete is False


def test_langserve(read: Any) -> None:
    constructor = {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain", "schema", "messages", "AIMessageChunk"],
        "kwargs": {"content": "c", "id": "m"},
    }
    told = read(
        "langgraph",
        ("data", '"a"'),
        ("data", {"content": "b", "type": "AIMessageChunk"}),
        ("data", constructor),
    )
    assert told.answer.text == "abc"
    assert (told.dialect.ended, told.dialect.complete) == (False, None), "its end is never dispatched"


def test_text_that_is_no_json(read: Any) -> None:
    assert [type(delta) for delta in read("langgraph", ("values", "{")).all] == [Malformed]
    assert read("langgraph", ("end", ""), ("values", "{}")).metas("after-end") == ["{}"]


@pytest.mark.parametrize(
    ("event", "name"),
    [
        (("metadata", {"run_id": "r"}), "langgraph"),
        (("metadata", {"title": "mine"}), "generic"),
        (("messages/partial", []), "langgraph"),
        (("data", '"a"'), "langgraph"),
        (("data", {"choices": [{"delta": {"content": "a"}}]}), "openai-chat"),
    ],
)
def test_detection(event: Any, name: str, read: Any) -> None:
    assert read("auto", event).dialect.name == name


def test_its_metadata_is_not_lost(read: Any) -> None:
    assert read("auto", ("metadata", {"run_id": "r"})).all == [Meta("id", "r")]
