from __future__ import annotations

from typing import Any

from sse_tui.dialects.base import StreamFault


def part(kind: str, **members: Any) -> tuple[str, dict[str, Any]]:
    return "message", {"type": kind, **members}


def test_a_message(read: Any) -> None:
    told = read(
        "vercel-ui",
        part("start", messageId="1"),
        part("start-step"),
        part("reasoning-start", id="r"),
        part("reasoning-delta", id="r", delta="hm"),
        part("text-start", id="t"),
        part("text-start", id="u"),
        part("text-delta", id="u", delta="b"),
        part("text-delta", id="t", delta="a"),
        part("source-url", sourceId="s", url="https://example.org"),
        part("data-weather", data={"c": 12}),
        part("file", url="data:", mediaType="image/png"),
        part("finish-step"),
        part(
            "finish",
            finishReason="stop",
            messageMetadata={"totalUsage": {"inputTokens": 3, "outputTokens": 2}},
        ),
        ("message", "[DONE]"),
    )
    assert (told.answer.text, told.answer.reasoning, told.answer.choices) == ("ab", "hm", 1)
    assert told.answer.usage == {"input": 3, "output": 2}
    assert (told.metas("id"), told.metas("file")) == (["1"], ["image/png"])
    assert len(told.metas("citation")) == len(told.metas("data")) == 1
    assert (told.answer.finish_reason, told.dialect.ended, told.dialect.complete) == ("stop", True, True)


def test_an_id_used_again_in_a_later_step(read: Any) -> None:
    told = read(
        "vercel-ui",
        part("text-start", id="0"), part("text-delta", id="0", delta="a"), part("text-end", id="0"),
        part("text-start", id="1"), part("text-delta", id="1", delta="b"), part("text-end", id="1"),
        part("text-start", id="0"), part("text-delta", id="0", delta="c"),
    )  # fmt: skip
    assert told.answer.text == "abc"


def test_tools(read: Any) -> None:
    told = read(
        "vercel-ui",
        part("tool-input-start", toolCallId="c1", toolName="f"),
        part("tool-input-delta", toolCallId="c1", inputTextDelta='{"x"'),
        part("tool-input-delta", toolCallId="c1", inputTextDelta=":1}"),
        part("tool-input-available", toolCallId="c1", toolName="f", input={"x": 1}),
        part("tool-input-available", toolCallId="c2", toolName="g", input={"y": 2}),
        part("tool-input-start", toolCallId="c3", toolName="web", providerExecuted=True),
        part("tool-input-available", toolCallId="c3", toolName="web", input={}),
        part("tool-output-available", toolCallId="c3", output="ok"),
        part("tool-output-error", toolCallId="c1", errorText="x"),
    )
    assert told.answer.tool_calls == [
        {"id": "c1", "name": "f", "arguments": '{"x":1}'},
        {"id": "c2", "name": "g", "arguments": '{"y":2}'},
    ]
    assert told.answer.server_tool_calls == [{"type": "tool", "name": "web", "arguments": "{}"}]
    assert len(told.metas("server_tool_result")) == 2
    assert told.answer.error is None, "a tool that failed is no failure of the stream"


def test_errors_and_aborts(read: Any) -> None:
    told = read(
        "vercel-ui",
        part("text-delta", id="t", delta="a"),
        part("error", errorText="x"),
        ("message", "[DONE]"),
    )
    assert told.answer.error == StreamFault(None, None, "x")
    assert (told.dialect.ended, told.dialect.complete) == (True, False)
    told = read("vercel-ui", part("abort", reason="user"))
    assert told.answer.error == StreamFault("abort", None, "user")
    assert told.dialect.complete is False


def test_found_by_its_start(read: Any) -> None:
    told = read("auto", part("start", messageId="1"), part("text-delta", id="t", delta="a"))
    assert (told.dialect.name, told.answer.text) == ("vercel-ui", "a")
