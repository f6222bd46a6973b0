from __future__ import annotations

from typing import Any

import pytest

from sse_tui.dialects import OpenAIResponses
from sse_tui.dialects.base import Finish, Malformed, Meta, Refusal, StreamFault
from tests.dialects.answer_data import as_data

NAME = "openai-responses"


def ev(kind: str, **members: Any) -> dict[str, Any]:
    return {"type": f"response.{kind}", **members}


def item(index: int | None, stage: str, **members: Any) -> dict[str, Any]:
    at = {} if index is None else {"output_index": index}
    return ev(f"output_item.{stage}", **at, item=members)


def done(status: str = "completed", **members: Any) -> dict[str, Any]:
    return ev(status, response={"id": "resp_1", "model": "m", "status": status, **members})


def test_a_response(read: Any) -> None:
    usage = {
        "input_tokens": 3,
        "output_tokens": 9,
        "output_tokens_details": {"reasoning_tokens": 5},
        "input_tokens_details": {"cached_tokens": 1},
    }
    told = read(
        NAME,
        ev("created", response={"id": "resp_1", "model": "m", "status": "in_progress"}),
        item(0, "added", id="rs_1", type="reasoning", summary=[]),
        ev("reasoning_text.delta", output_index=0, content_index=0, delta="deep "),
        ev("reasoning_summary_text.delta", output_index=0, summary_index=1, delta="two "),
        ev("reasoning_summary_text.delta", output_index=0, summary_index=0, delta="one "),
        item(1, "added", id="msg_1", type="message", role="assistant"),
        ev("output_text.delta", output_index=1, content_index=1, delta="b"),
        ev("output_text.delta", output_index=1, content_index=0, delta="a"),
        ev("output_text.done", output_index=1, content_index=0, text="a"),
        done(usage=usage),
    )
    assert told.answer.text == "ab"
    assert told.answer.reasoning == "one two deep ", "summaries come first within an item"
    assert told.answer.usage == {"input": 3, "output": 9, "reasoning": 5, "cached": 1}
    assert (told.answer.finish_reason, told.answer.model, told.answer.choices) == ("completed", "m", 1)
    assert (told.dialect.ended, told.dialect.complete) == (True, True)


def test_function_and_custom_calls(read: Any) -> None:
    told = read(
        NAME,
        item(0, "added", id="fc_1", type="function_call", call_id="call_1", name="f", arguments=""),
        ev("function_call_arguments.delta", output_index=0, item_id="fc_1", delta='{"x"'),
        ev("function_call_arguments.delta", output_index=0, item_id="fc_1", delta=":1}"),
        ev("function_call_arguments.done", output_index=0, item_id="fc_1", arguments='{"x":1}'),
        item(0, "done", id="fc_1", type="function_call", call_id="call_1", name="f", arguments='{"x":1}'),
        item(1, "added", id="ctc_1", type="custom_tool_call", call_id="call_2", name="sh", input=""),
        ev("custom_tool_call_input.delta", output_index=1, delta="ls"),
        ev("custom_tool_call_input.done", output_index=1, input="ls"),
        item(1, "done", id="ctc_1", type="custom_tool_call", call_id="call_2", name="sh", input="ls"),
    )
    assert told.answer.tool_calls == [
        {"id": "call_1", "name": "f", "arguments": '{"x":1}'},
        {"id": "call_2", "name": "sh", "arguments": "ls"},
    ]


@pytest.mark.parametrize(
    "events",
    [
        [ev("function_call_arguments.done", output_index=0, name="f", arguments="{}")],
        [item(0, "done", type="function_call", call_id="c", name="f", arguments="{}")],
        [done(output=[{"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}])],
    ],
    ids=["done", "item", "response"],
)
def test_arguments_without_deltas(events: list[Any], read: Any) -> None:
    (call,) = read(NAME, *events).answer.tool_calls
    assert (call["name"], call["arguments"]) == ("f", "{}")


def test_actions_for_the_client(read: Any) -> None:
    told = read(
        NAME,
        item(0, "done", type="computer_call", call_id="c1", action={"type": "click", "x": 1}),
        item(1, "done", type="local_shell_call", call_id="c2", action={"type": "exec", "command": ["ls"]}),
        item(2, "done", type="apply_patch_call", call_id="c3", operation={"type": "delete_file"}),
    )
    calls = told.answer.tool_calls
    assert [call["name"] for call in calls] == ["computer", "local_shell", "apply_patch"]
    assert calls[0] == {"id": "c1", "name": "computer", "arguments": '{"type":"click","x":1}'}
    assert told.answer.server_tool_calls == []


def test_a_shell_of_the_client_and_one_of_the_service(read: Any) -> None:
    action = {"commands": ["ls"]}
    told = read(
        NAME,
        item(0, "done", type="shell_call", call_id="c", action=action, environment={"type": "local"}),
        item(
            1, "done", type="shell_call", call_id="d", action=action, environment={"type": "container_auto"}
        ),
    )
    assert told.answer.tool_calls == [{"id": "c", "name": "shell", "arguments": '{"commands":["ls"]}'}]
    assert told.answer.server_tool_calls == [{"type": "shell_call", "name": None}]


def test_calls_of_the_service(read: Any) -> None:
    told = read(
        NAME,
        item(0, "added", id="ws", type="web_search_call", status="in_progress"),
        ev("web_search_call.searching", output_index=0, item_id="ws"),
        item(0, "done", id="ws", type="web_search_call", action={"type": "search"}),
        item(1, "added", id="mcp", type="mcp_call", name="ask", server_label="s", arguments=""),
        ev("mcp_call_arguments.delta", output_index=1, item_id="mcp", delta='{"q":'),
        ev("mcp_call_arguments.delta", output_index=1, item_id="mcp", delta="1}"),
        ev("mcp_call_arguments.done", output_index=1, item_id="mcp", arguments='{"q":1}'),
        item(1, "done", id="mcp", type="mcp_call", name="ask", arguments='{"q":1}', output="ok"),
        item(2, "added", id="ci", type="code_interpreter_call", code=""),
        ev("code_interpreter_call_code.delta", output_index=2, delta="1+1"),
        item(3, "added", id="ig", type="image_generation_call", status="in_progress"),
        ev("image_generation_call.partial_image", output_index=3, partial_image_b64="aGk="),
        item(4, "added", id="ml", type="mcp_list_tools", server_label="s"),
        ev("mcp_list_tools.completed", output_index=4, item_id="ml"),
    )
    assert told.answer.server_tool_calls == [
        {"type": "web_search_call", "name": None},
        {"type": "mcp_call", "name": "ask", "arguments": '{"q":1}'},
        {"type": "code_interpreter_call", "name": None},
        {"type": "image_generation_call", "name": None},
    ]
    assert told.metas("code") == ["1+1"]
    assert "web_search_call.searching" in told.metas("tool_status")
    assert (told.answer.text, told.answer.tool_calls, told.of(Malformed)) == ("", [], [])


def test_items_without_an_index_stand_as_they_appear(read: Any) -> None:
    told = read(
        NAME,
        item(None, "added", id="rs", type="reasoning"),
        ev("reasoning_text.delta", item_id="rs", delta="hm"),
        item(None, "added", id="fc", call_id="call", type="function_call", name="f"),
        item(None, "added", id="msg", type="message", role="assistant"),
        ev("output_text.delta", item_id="msg", delta="b"),
        ev("function_call_arguments.delta", item_id="call", delta="{}"),
        ev("output_text.delta", item_id="msg", delta="c"),
        done(output=[
            {"type": "reasoning", "id": "rs", "content": [{"type": "reasoning_text", "text": "hm"}]},
            {"type": "function_call", "id": "fc", "call_id": "call", "name": "f", "arguments": "{}"},
            {"type": "message", "id": "msg", "content": [{"type": "output_text", "text": "bc"}]},
        ]),
    )  # fmt: skip
    assert (told.answer.text, told.answer.reasoning) == ("bc", "hm")
    assert told.answer.tool_calls == [{"id": "call", "name": "f", "arguments": "{}"}]


@pytest.mark.parametrize(
    "event",
    [
        ev("output_text.done", output_index=0, content_index=0, text="whole"),
        ev("content_part.done", output_index=0, part={"type": "output_text", "text": "whole"}),
        item(0, "done", type="message", content=[{"type": "output_text", "text": "whole"}]),
        done(output=[{"type": "message", "content": [{"type": "output_text", "text": "whole"}]}]),
    ],
)
def test_text_without_deltas(event: Any, read: Any) -> None:
    assert read(NAME, event).answer.text == "whole"
    told = read(NAME, ev("output_text.delta", output_index=0, content_index=0, delta="wh"), event)
    assert told.answer.text == "wh", "what deltas brought is not told again"


def test_refusals(read: Any) -> None:
    told = read(
        NAME,
        ev("refusal.delta", output_index=0, content_index=0, delta="I can"),
        ev("refusal.delta", output_index=0, content_index=0, delta="not"),
        ev("refusal.done", output_index=0, content_index=0, refusal="I cannot"),
        item(1, "done", type="message", content=[{"type": "refusal", "refusal": "No."}]),
    )
    assert (told.answer.refusal, told.answer.text) == ("I cannotNo.", "")
    assert told.of(Refusal)[0] == Refusal("I can")


def test_incomplete_and_failed(read: Any) -> None:
    told = read(NAME, done("incomplete", incomplete_details={"reason": "max_output_tokens"}))
    assert as_data(told.answer)["incomplete_reason"] == "max_output_tokens"
    assert (told.answer.finish_reason, told.dialect.complete) == ("incomplete", True)
    told = read(NAME, done("failed", error={"code": "server_error", "message": "x"}))
    assert told.answer.error == StreamFault(None, "server_error", "x")
    assert (told.answer.finish_reason, told.dialect.complete, told.dialect.ended) == ("failed", False, True)
    assert read(NAME, done("failed")).answer.error == StreamFault(None, None, None)


@pytest.mark.parametrize(
    "error",
    [
        {"type": "error", "code": "server_error", "message": "x", "param": None},
        {"type": "error", "error": {"code": "server_error", "message": "x"}},
    ],
)
def test_an_error_event(error: Any, read: Any) -> None:
    told = read(NAME, ev("output_text.delta", output_index=0, delta="a"), error)
    assert told.answer.error == StreamFault(None, "server_error", "x")
    assert (told.dialect.ended, told.dialect.complete) == (False, False)


def test_sequence_numbers(read: Any) -> None:
    events = [ev("in_progress", sequence_number=number) for number in (7, 8, 11, 12, 12)]
    told = read(NAME, *events)
    assert isinstance(told.dialect, OpenAIResponses)
    assert told.dialect.sequence_number == 12
    assert told.metas("sequence-gap") == [(9, 11), (13, 12)], "a stream may begin in the middle"
    assert OpenAIResponses.resume == "starting-after"


def test_the_sentinel_that_one_gateway_adds(read: Any) -> None:
    told = read(NAME, done(), "[DONE]")
    assert told.answer.done_sentinel
    assert told.deltas[0][-1] == Finish("completed")
    assert told.deltas[1] == [Meta("done", "[DONE]")]


SILENT = [
    "audio.delta", "audio.done", "code_interpreter_call_code.done", "content_part.added",
    "output_text.annotation.added", "reasoning_summary_part.added", "shell_call_command.added",
    "shell_call_command.done", "shell_call_output_content.delta", "shell_call_output_content.done",
    "steer.accepted", "steer.pending", "compaction.compacting", "queued", "file_search_call.completed",
    "image_generation_call.generating", "mcp_call.failed", "of.tomorrow",
]  # fmt: skip


@pytest.mark.parametrize("kind", SILENT)
def test_kinds_that_bring_no_text(kind: str, read: Any) -> None:
    told = read(NAME, ev(kind, output_index=0, delta="x", annotation={}, text="x"))
    summary = as_data(told.answer)
    assert (summary["text"], summary["reasoning"], summary["tool_calls"]) == ("", "", [])
    assert (told.of(Malformed), told.dialect.ended) == ([], False)


def test_spoken_answers(read: Any) -> None:
    for name in ("audio.transcript", "audio_transcript", "output_audio_transcript"):
        told = read(
            NAME,
            ev(f"{name}.delta", output_index=0, delta="hel"),
            ev("output_audio.delta", output_index=0, delta="AAAA"),
            ev(f"{name}.delta", output_index=0, delta="lo"),
            ev(f"{name}.done", output_index=0, transcript="hello"),
        )
        assert (told.answer.text, told.metas("audio")) == ("hello", [3])
