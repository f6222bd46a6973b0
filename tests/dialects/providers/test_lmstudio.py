from __future__ import annotations

from typing import Any

from sse_tui.dialects.base import Progress, StreamFault

STATS = {"input_tokens": 9, "total_output_tokens": 4, "reasoning_output_tokens": 2, "tokens_per_second": 43.7}
MCP = {"type": "ephemeral_mcp", "server_label": "hub"}


def ev(kind: str, **members: Any) -> dict[str, Any]:
    return {"type": kind, **members}


def test_a_chat(read: Any) -> None:
    told = read(
        "lmstudio",
        ev("chat.start", model_instance_id="m"),
        ev("model_load.progress", progress=0.5),
        ev("prompt_processing.progress", progress=0.25),
        ev("reasoning.start"), ev("reasoning.delta", content="hm"), ev("reasoning.end"),
        ev("tool_call.start", tool="search", provider_info=MCP),
        ev("tool_call.arguments", tool="search", arguments={"q": 1}, provider_info=MCP),
        ev("tool_call.success", tool="search", arguments={"q": 1}, output="[]", provider_info=MCP),
        ev("message.start"), ev("message.delta", content="Hi"), ev("message.end"),
        ev("chat.end", result={"model_instance_id": "m", "stats": STATS, "output": [
            {"type": "message", "content": "Hi"}], "response_id": "resp_1"}),
    )  # fmt: skip
    assert (told.answer.text, told.answer.reasoning, told.answer.model) == ("Hi", "hm", "m")
    assert told.answer.server_tool_calls == [
        {"type": "ephemeral_mcp", "name": "search", "arguments": '{"q":1}'}
    ]
    assert told.answer.usage == {"input": 9, "output": 4, "reasoning": 2}
    assert told.metas("timings") == [STATS]
    assert told.of(Progress) == [Progress(25, 100)]
    assert (told.dialect.ended, told.dialect.complete) == (True, True)


def test_a_result_without_deltas(read: Any) -> None:
    output = [{"type": "reasoning", "content": "hm"}, {"type": "message", "content": "Hi"}]
    told = read("lmstudio", ev("chat.end", result={"output": output}))
    assert (told.answer.text, told.answer.reasoning) == ("Hi", "hm")


def test_an_error_and_its_end(read: Any) -> None:
    error = {"type": "model_not_found", "message": "no such model", "code": "x"}
    told = read("lmstudio", ev("chat.start"), ev("error", error=error), ev("chat.end", result={}))
    assert told.answer.error == StreamFault("model_not_found", "x", "no such model")
    assert (told.dialect.ended, told.dialect.complete) == (True, False)


def test_two_calls_and_a_failure(read: Any) -> None:
    told = read(
        "lmstudio",
        ev("tool_call.start", tool="a"), ev("tool_call.arguments", tool="a", arguments={}),
        ev("tool_call.start", tool="b"), ev("tool_call.failure", reason="no", metadata={"tool_name": "b"}),
    )  # fmt: skip
    assert [call["name"] for call in told.answer.server_tool_calls] == ["a", "b"]
    assert told.answer.error is None
