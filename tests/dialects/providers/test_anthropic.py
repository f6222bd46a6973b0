from __future__ import annotations

from typing import Any

import pytest

from sse_tui.dialects.base import Finish, Malformed, Meta, StreamFault, Text, ToolCall, Usage

STOP = {"type": "message_stop"}


def start(**message: Any) -> dict[str, Any]:
    return {"type": "message_start", "message": {"id": "msg_1", "model": "m", "role": "assistant", **message}}


def block(index: int, **content: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": content}


def delta(index: int, kind: str, **content: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **content}}


def stop(index: int) -> dict[str, Any]:
    return {"type": "content_block_stop", "index": index}


def end(reason: Any = "end_turn", **usage: Any) -> dict[str, Any]:
    return {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage}


def test_a_message(read: Any) -> None:
    told = read(
        "anthropic-messages",
        start(usage={"input_tokens": 9, "output_tokens": 1, "cache_read_input_tokens": 4}),
        block(0, type="thinking", thinking=""),
        {"type": "ping"},
        delta(0, "thinking_delta", thinking="hm"),
        delta(0, "signature_delta", signature="c2ln"),
        stop(0),
        block(1, type="text", text=""),
        delta(1, "text_delta", text="Hi"),
        stop(1),
        end(output_tokens=12, output_tokens_details={"thinking_tokens": 7}),
        STOP,
    )
    assert (told.answer.text, told.answer.reasoning) == ("Hi", "hm")
    assert told.answer.usage == {"input": 9, "output": 12, "reasoning": 7, "cached": 4}
    assert (told.answer.finish_reason, told.answer.model, told.answer.choices) == ("end_turn", "m", 1)
    assert told.metas("signature") == ["c2ln"]
    assert told.metas("ping") == ['{"type": "ping"}']
    assert (told.dialect.ended, told.dialect.complete) == (True, True)


def test_blocks_stand_in_the_order_of_their_index(read: Any) -> None:
    told = read(
        "anthropic-messages",
        delta(2, "text_delta", text="c"),
        delta(0, "text_delta", text="a"),
        delta(2, "text_delta", text="d"),
    )
    assert told.answer.text == "acd"


def test_calls_in_pieces(read: Any) -> None:
    told = read(
        "anthropic-messages",
        block(0, type="tool_use", id="t1", name="f", input={}),
        block(1, type="tool_use", id="t2", name="g", input={}),
        delta(1, "input_json_delta", partial_json=""),
        delta(1, "input_json_delta", partial_json='{"y":'),
        delta(0, "input_json_delta", partial_json='{"x":1}'),
        delta(1, "input_json_delta", partial_json="2}"),
        stop(0),
        stop(1),
    )
    assert told.answer.tool_calls == [
        {"id": "t1", "name": "f", "arguments": '{"x":1}'},
        {"id": "t2", "name": "g", "arguments": '{"y":2}'},
    ]


def test_an_input_that_comes_whole(read: Any) -> None:
    told = read("anthropic-messages", block(0, type="tool_use", id="t", name="f", input={"x": 1}), stop(0))
    assert told.answer.tool_calls == [{"id": "t", "name": "f", "arguments": '{"x":1}'}]


def test_an_input_that_comes_whole_and_in_pieces_counts_once(read: Any) -> None:
    told = read(
        "anthropic-messages",
        block(0, type="server_tool_use", id="t", name="web_search", input={"q": "a"}),
        delta(0, "input_json_delta", partial_json='{"q":"a"}'),
        stop(0),
    )
    assert told.answer.server_tool_calls == [
        {"type": "server_tool_use", "name": "web_search", "arguments": '{"q":"a"}'}
    ]


def test_calls_of_the_service(read: Any) -> None:
    result = {"type": "mcp_tool_result", "tool_use_id": "t", "content": []}
    told = read(
        "anthropic-messages",
        block(0, type="mcp_tool_use", id="t", name="ask", server_name="s", input={}),
        delta(0, "input_json_delta", partial_json='{"q"'),
        delta(0, "input_json_delta", partial_json=":1}"),
        stop(0),
        block(1, **result),
        stop(1),
    )
    assert told.answer.server_tool_calls == [{"type": "mcp_tool_use", "name": "ask", "arguments": '{"q":1}'}]
    assert told.answer.tool_calls == []
    assert told.metas("server_tool_result") == [result]


def test_blocks_without_text(read: Any) -> None:
    told = read(
        "anthropic-messages",
        block(0, type="redacted_thinking", data="x"),
        block(1, type="compaction", content=None),
        delta(1, "compaction_delta", content="so far"),
        block(2, type="text", text="a"),
        delta(2, "citations_delta", citation={"type": "char_location"}),
        block(3, type="of_tomorrow"),
        delta(3, "delta_of_tomorrow", text="?"),
    )
    assert (told.answer.text, told.answer.reasoning) == ("a", "")
    assert told.metas("compaction") == ["", "so far"]
    assert told.metas("citation") == [{"type": "char_location"}]
    assert told.of(Malformed) == []


def test_a_model_that_takes_over(read: Any) -> None:
    fallback = {"type": "fallback", "from": {"model": "m"}, "to": {"model": "n"}}
    assert read("anthropic-messages", start(), block(0, **fallback)).answer.model == "n"
    iterations = [{"type": "message", "model": "m"}, {"type": "fallback_message", "model": "o"}]
    assert (
        read("anthropic-messages", start(), end(output_tokens=1, iterations=iterations)).answer.model == "o"
    )


def test_an_error_in_the_middle(read: Any) -> None:
    fault = {
        "type": "error",
        "error": {"type": "overloaded_error", "message": "Overloaded"},
        "request_id": "r",
    }
    told = read("anthropic-messages", start(), delta(0, "text_delta", text="a"), fault)
    assert told.answer.error == StreamFault("overloaded_error", None, "Overloaded")
    assert (told.dialect.ended, told.dialect.complete) == (False, False)


def test_a_tail_lost_after_the_stop_reason_is_a_whole_message(read: Any) -> None:
    told = read("anthropic-messages", start(), delta(0, "text_delta", text="a"), end())
    assert (told.dialect.ended, told.dialect.complete) == (False, True)
    assert read("anthropic-messages", start(), delta(0, "text_delta", text="a")).dialect.complete is False


def test_a_refusal_says_why(read: Any) -> None:
    details = {"type": "refusal", "category": "cyber"}
    told = read(
        "anthropic-messages",
        {"type": "message_delta", "delta": {"stop_reason": "refusal", "stop_details": details}},
    )
    assert told.deltas == [[Finish("refusal"), Meta("safety", details)]]


def test_usage_is_merged_key_by_key(read: Any) -> None:
    told = read(
        "anthropic-messages",
        start(usage={"input_tokens": 5, "output_tokens": 1}),
        end(None, output_tokens=3, input_tokens=None),
        end(output_tokens=8),
    )
    assert told.of(Usage) == [Usage(5, 1), Usage(5, 3), Usage(5, 8)]


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        ({"type": "content_block_delta", "index": 0, "delta": []}, "delta"),
        ({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": 3}}, "text"),
        ({"type": "message_delta", "delta": {"stop_reason": 3}}, "stop_reason"),
        ({"type": "message_start", "message": {"usage": 3}}, "usage"),
    ],
)
def test_what_breaks_the_shape(payload: Any, reason: str, read: Any) -> None:
    broken = read("anthropic-messages", payload).of(Malformed)
    assert len(broken) == 1
    assert broken[0].reason.startswith(reason)


def test_the_payload_names_its_kind_where_the_event_does_not(read: Any) -> None:
    assert read("anthropic-messages", ("message", delta(0, "text_delta", text="a"))).of(Text) == [Text("a")]
    untyped = (
        "content_block_delta",
        {"index": 0, "delta": {"type": "input_json_delta", "partial_json": "{"}},
    )
    told = read("anthropic-messages", untyped)
    assert told.of(ToolCall) == [ToolCall(0, None, None, "{")]
    assert [words.partition(" came ")[0] for words in told.metas("out-of-order")] == [
        "content_block_delta",
        "content_block_delta for index 0",
    ]


def test_nothing_counts_after_the_end(read: Any) -> None:
    told = read("anthropic-messages", STOP, delta(0, "text_delta", text="a"), "[DONE]", "[DONE]")
    assert told.answer.text == ""
    assert told.answer.done_sentinel
    assert len(told.metas("after-end")) == 2
