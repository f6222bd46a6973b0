from __future__ import annotations

from typing import Any

from sse_tui.dialects.base import StreamFault


def ev(kind: str, index: int | None = None, **message: Any) -> dict[str, Any]:
    at = {} if index is None else {"index": index}
    return {"type": kind, **at, "delta": {"message": message}}


def end(**delta: Any) -> dict[str, Any]:
    return {"type": "message-end", "delta": delta}


def test_thinking_then_text(read: Any) -> None:
    told = read(
        "cohere-v2",
        {"type": "message-start", "id": "g", "delta": {"message": {"role": "assistant"}}},
        ev("content-start", 0, content={"type": "thinking", "thinking": ""}),
        ev("content-delta", 0, content={"thinking": "hm"}),
        ev("content-end", 0),
        ev("content-start", 1, content={"type": "text", "text": ""}),
        ev("content-delta", 1, content={"text": "Hi"}),
        ev("citation-start", 0, citations={"start": 0, "end": 2}),
        ev("content-end", 1),
        end(
            finish_reason="COMPLETE",
            usage={"billed_units": {"input_tokens": 1}, "tokens": {"input_tokens": 3, "output_tokens": 2}},
        ),
    )  # fmt: skip
    assert (told.answer.text, told.answer.reasoning, told.answer.choices) == ("Hi", "hm", 1)
    assert told.answer.usage == {"input": 3, "output": 2}
    assert told.metas("citation") == [{"start": 0, "end": 2}]
    assert (told.dialect.ended, told.dialect.complete) == (True, True)


def test_a_plan_and_calls(read: Any) -> None:
    told = read(
        "cohere-v2",
        ev("tool-plan-delta", tool_plan="I will "),
        ev("tool-plan-delta", tool_plan="look."),
        ev("tool-call-start", 0, tool_calls={"id": "a", "function": {"name": "f", "arguments": ""}}),
        ev("tool-call-start", 1, tool_calls={"id": "b", "function": {"name": "g", "arguments": ""}}),
        ev("tool-call-delta", 1, tool_calls={"function": {"arguments": "{}"}}),
        ev("tool-call-delta", 0, tool_calls={"function": {"arguments": '{"x":1}'}}),
        ev("tool-call-end", 0),
    )  # fmt: skip
    assert told.answer.tool_plan == "I will look."
    assert told.answer.tool_calls == [
        {"id": "a", "name": "f", "arguments": '{"x":1}'},
        {"id": "b", "name": "g", "arguments": "{}"},
    ]
    assert told.dialect.complete is False


def test_errors_at_the_end(read: Any) -> None:
    told = read("cohere-v2", end(finish_reason="ERROR", error="overloaded"))
    assert told.answer.error == StreamFault(None, None, "overloaded")
    assert (told.answer.finish_reason, told.dialect.complete) == ("ERROR", False)
    assert read("cohere-v2", end(finish_reason="ERROR_LIMIT")).answer.error == StreamFault(
        None, "ERROR_LIMIT", "the context limit of the model ended the generation"
    )


def test_the_first_version_of_the_api(read: Any) -> None:
    told = read(
        "cohere-v2",
        {"is_finished": False, "event_type": "stream-start", "generation_id": "g"},
        {"is_finished": False, "event_type": "text-generation", "text": "Hi"},
        {"event_type": "tool-calls-generation", "tool_calls": [{"name": "f", "parameters": {"x": 1}}]},
        {"is_finished": True, "event_type": "stream-end", "finish_reason": "COMPLETE",
         "response": {"meta": {"tokens": {"input_tokens": 4, "output_tokens": 1}}}},
    )  # fmt: skip
    assert (told.answer.text, told.answer.finish_reason) == ("Hi", "COMPLETE")
    assert told.answer.tool_calls == [{"id": None, "name": "f", "arguments": '{"x":1}'}]
    assert told.answer.usage == {"input": 4, "output": 1}


def test_an_unknown_event_is_passed_over(read: Any) -> None:
    assert read("cohere-v2", ev("of-tomorrow", 0, content={"text": "?"})).all == []
