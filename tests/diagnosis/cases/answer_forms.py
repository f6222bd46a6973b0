"""Answers in forms that gateways and servers give them: calls left in the text, ends without a reason, odd counts."""

from __future__ import annotations

import json
from typing import Any

from tests.diagnosis.cases.case import Case
from tests.diagnosis.cases.content import events
from tests.diagnosis.telling import DONE, STOP, chunk, text


def anthropic(*payloads: dict[str, Any]) -> bytes:
    return events(*payloads, named_by="type")


START = {
    "type": "message_start",
    "message": {
        "id": "msg_4",
        "type": "message",
        "role": "assistant",
        "model": "claude",
        "content": [],
        "stop_reason": None,
        "usage": {"input_tokens": 9, "output_tokens": 1},
    },
}
BLOCK = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
BLOCK_END = {"type": "content_block_stop", "index": 0}
STOPPED = {"type": "message_stop"}


def said(delta: dict[str, Any]) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": 0, "delta": delta}


def ending(reason: str | None) -> dict[str, Any]:
    return {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 6}}


HELLO = said({"type": "text_delta", "text": "Good day"})


def responses(*payloads: dict[str, Any]) -> bytes:
    return events(*payloads, named_by="type")


def of_response(kind: str, status: str, *output: dict[str, Any]) -> dict[str, Any]:
    response = {"id": "resp_4", "model": "m", "status": status, "output": list(output)}
    return {"type": f"response.{kind}", "response": response}


def item(kind: str, index: int, **more: Any) -> dict[str, Any]:
    return {"type": f"response.output_item.{kind}", "output_index": index, "item": more}


def spoken(whole: str) -> dict[str, Any]:
    content = [{"type": "output_text", "text": whole, "annotations": []}]
    return {"id": "msg_7", "type": "message", "role": "assistant", "content": content}


PLACE = {"item_id": "msg_7", "output_index": 0, "content_index": 0}


def candidate(words: str, reason: Any = None) -> dict[str, Any]:
    found: dict[str, Any] = {"content": {"role": "model", "parts": [{"text": words}]}, "index": 0}
    if reason is not None:
        found["finishReason"] = reason
    return {"candidates": [found], "modelVersion": "gemini-2.5-flash"}


def ollama(content: str = "", **more: Any) -> bytes:
    line = {
        "model": "l",
        "created_at": "2026-01-02T03:04:05Z",
        "message": {"role": "assistant", "content": content, **more.pop("message", {})},
        "done": False,
    }
    return (json.dumps({**line, **more}) + "\n").encode()


def dify(event: str, **more: Any) -> dict[str, Any]:
    return {"event": event, "task_id": "k", "message_id": "m", "conversation_id": "c", **more}


CALL = {"index": 0, "id": "c1", "type": "function", "function": {"name": "list_dir", "arguments": "{}"}}
CALLED = chunk({"tool_calls": [CALL]}) + chunk({}, "tool_calls") + DONE

CALLS_IN_TEXT = [
    Case(
        "call-in-hermes-tags",
        text('<tool_call>\n{"name": "list_dir", ') + text('"arguments": {}}\n</tool_call>') + STOP + DONE,
        "complete",
        findings={"tool-call-in-text": "warning to 'list_dir' .*<tool_call>.* no tool call came"},
    ),
    Case(
        "call-in-tags-behind-prose",
        text("I look.\n\n<function=list_dir>\n<parameter=path>.</parameter></function>") + STOP + DONE,
        findings={"tool-call-in-text": "warning to 'list_dir'"},
    ),
    Case(
        "call-in-text-and-as-a-call",
        text('{"tool_calls":[{"id":"c1","function":{"name":"list_dir",')
        + text('"arguments":"{}"}}]}')
        + CALLED,
        findings={"tool-call-in-text": "warning as a tool call as well"},
    ),
    Case(
        "json-that-may-be-a-call",
        text('```json\n{"name": "list_dir", "parameters": {"path": "."}}\n```') + STOP + DONE,
        findings={"tool-call-in-text": "info if it was meant as a call"},
        quiet=True,
    ),
    Case(
        "a-text-about-tags-of-calls",
        text("Hermes writes:\n```\n<tool_call>\n{}\n</tool_call>\n```\nand `<function=f>` is Llama's.")
        + STOP
        + DONE,
        silent=("tool-call-in-text",),
        quiet=True,
    ),
    Case(
        "json-that-was-asked-for",
        text('{"name": "Ada", "age": 36, "args": 5}') + STOP + DONE,
        silent=("tool-call-in-text",),
        quiet=True,
    ),
]

ENDS = [
    Case(
        "message-stop-without-a-reason",
        anthropic(START, BLOCK, HELLO, BLOCK_END, ending(None), STOPPED),
        text="Good day",
        findings={"missing-finish-reason": "warning message_stop arrived, but stop_reason"},
    ),
    Case(
        "stop-reason-without-message-stop",
        anthropic(START, BLOCK, HELLO, BLOCK_END, ending("end_turn")),
        "complete",
        findings={"missing-end-marker": "warning message_stop did not follow"},
    ),
    Case(
        "one-of-two-choices-unfinished",
        b"".join(
            events({"id": "c", "object": "chat.completion.chunk", "choices": [choice]})
            for choice in (
                {"index": 0, "delta": {"content": "left"}, "finish_reason": None},
                {"index": 1, "delta": {"content": "right"}, "finish_reason": None},
                {"index": 0, "delta": {}, "finish_reason": "stop"},
            )
        )
        + DONE,
        "ended",
        findings={"missing-finish-reason": "warning but choice 1 has no finish reason"},
    ),
    Case(
        "finish-reason-in-the-delta",
        text("Hi") + chunk({"finish_reason": "stop"}) + DONE,
        "complete",
        findings={"missing-finish-reason": "warning stands in the delta"},
    ),
    Case(
        "finish-reason-as-a-number",
        events(candidate("Good "), candidate("day", 1)),
        "complete",
        "Good day",
        quiet=True,
        silent=("wrong-type",),
        result={"finish_reason": "STOP"},
    ),
    Case("finish-reason-as-the-number-of-a-failure", events(candidate("Go", 3)), "stopped-by-provider"),
    Case(
        "response-done-of-a-gateway",
        responses(
            of_response("created", "in_progress"),
            item("added", 0, id="msg_7", type="message"),
            {"type": "response.output_text.delta", **PLACE, "delta": "Good day"},
            of_response("done", "completed", spoken("Good day")),
        ),
        "complete",
        "Good day",
        quiet=True,
    ),
    Case(
        "cohere-error-toxic",
        events(
            {"is_finished": False, "event_type": "stream-start", "generation_id": "g"},
            {"is_finished": False, "event_type": "text-generation", "text": "Hi"},
            {"is_finished": True, "event_type": "stream-end", "finish_reason": "ERROR_TOXIC"},
        ),
        "error",
        error="toxic",
    ),
    Case(
        "dify-paused-for-a-person",
        events(
            dify("workflow_started", data={"id": "w"}),
            dify("human_input_required", data={"node_id": "n"}),
            dify("workflow_paused", data={"status": "paused"}),
        ),
        "complete",
        quiet=True,
    ),
    Case(
        "ollama-lines-cut",
        ollama("Good ") + ollama("day"),
        "truncated",
        findings={"truncated-stream": r"error was truncated: .*The body ends after \d+ bytes\. "},
    ),
    Case(
        "ollama-lines-with-an-error",
        ollama("Good ") + b'{"error": "model runner has unexpectedly stopped"}\n',
        "error",
        findings={"in-band-error": "error an error in the stream: model runner"},
    ),
]

PIECES = [
    Case(
        "keepalive-with-a-number",
        responses(
            *(
                {**payload, "sequence_number": number}
                for number, payload in enumerate(
                    (
                        of_response("created", "in_progress"),
                        {"type": "keepalive"},
                        item("added", 0, id="msg_7", type="message"),
                        {"type": "response.output_text.delta", **PLACE, "delta": "Good day"},
                        {"type": "response.output_text.done", **PLACE, "text": "Good day"},
                        of_response("completed", "completed", spoken("Good day")),
                    )
                )
            )
        ),
        "complete",
        "Good day",
        quiet=True,
        silent=("resume-gap",),
    ),
    Case(
        "output-index-zero-in-the-deltas-only",
        responses(
            of_response("created", "in_progress"),
            item("added", 0, id="rs_7", type="reasoning", summary=[]),
            item("done", 0, id="rs_7", type="reasoning", summary=[]),
            item("added", 1, id="msg_7", type="message"),
            {"type": "response.output_text.delta", **PLACE, "delta": "Good day"},
            {"type": "response.output_text.done", **PLACE, "text": "Good day"},
            item("done", 1, **spoken("Good day")),
            of_response("completed", "completed", spoken("Good day")),
        ),
        "complete",
        "Good day",
    ),
    Case(
        "anthropic-delta-without-its-type",
        anthropic(START, BLOCK, said({"text": "Good day"}), BLOCK_END, ending("end_turn"), STOPPED),
        "complete",
        "Good day",
        {"wrong-type": "warning the delta has no type"},
    ),
    Case(
        "call-without-function-around-it",
        chunk({"tool_calls": [{"index": 0, "id": "c1", "name": "list_dir", "arguments": "{}"}]})
        + chunk({}, "tool_calls")
        + DONE,
        "complete",
        findings={"wrong-type": "warning are due in function"},
        result={"tool_calls": [{"id": "c1", "name": "list_dir", "arguments": "{}"}]},
    ),
    Case(
        "ollama-arguments-as-a-string",
        ollama(message={"tool_calls": [{"function": {"name": "list_dir", "arguments": '{"path": "."}'}}]})
        + ollama(done=True, done_reason="stop"),
        "complete",
        findings={"tool-call-arguments": "info a string, where the API sends an object"},
    ),
    Case(
        "every-delta-twice",
        b"".join(text(word) * 2 for word in ("The ", "sky ", "is ", "blue.")) + STOP + DONE,
        findings={"repeated-deltas": "warning 'The sky is '"},
    ),
    Case("one-word-again-and-again", text("ha") * 12 + STOP + DONE, silent=("repeated-deltas",), quiet=True),
    Case(
        "text-under-content-and-reasoning",
        b"".join(chunk({"content": word, "reasoning_content": word}) for word in ("It is ", "forty-two."))
        + STOP
        + DONE,
        findings={"repeated-reasoning": "warning the same 16 characters"},
    ),
    Case(
        "result-of-a-tool-in-the-answer",
        chunk({"role": "assistant", "content": "I look. "})
        + chunk({"role": "tool", "content": '{"degrees": 5}'})
        + chunk({"role": "assistant", "content": "Five."})
        + STOP
        + DONE,
        findings={"foreign-role": "warning 'tool'"},
    ),
    Case(
        "role-in-every-delta",
        chunk({"role": "assistant", "content": "a"}) * 2 + STOP + DONE,
        quiet=True,
        silent=("foreign-role",),
    ),
    Case(
        "dify-moderation",
        events(
            dify("message", answer="Something rude"),
            dify("message_replace", answer="I cannot say that."),
            dify("message_end", metadata={}),
        ),
        "complete",
        findings={"replaced-text": "info 14 characters .* 'I cannot say that.'"},
        result={"final_text": "I cannot say that."},
    ),
]


def counted(word: str, output: int) -> bytes:
    counts = {"prompt_tokens": 4, "completion_tokens": output, "total_tokens": 4 + output}
    return chunk({"content": word}, usage=counts)


COUNTS = [
    Case(
        "usage-of-each-piece",
        b"".join(counted(word, 1) for word in ("The ", "sky ", "is ", "so ", "blue")) + STOP + DONE,
        findings={"running-usage": "warning do not grow"},
        silent=("chunk-not-token",),
    ),
    Case(
        "usage-of-minus-one",
        text("Hi") + STOP + chunk(choices=[], usage={"prompt_tokens": -1, "completion_tokens": -1}) + DONE,
        quiet=True,
        result={"usage": None},
    ),
]

GRADIO = {"event_id": "e", "msg": "process_completed"}

SERVERS = [
    Case(
        "ernie",
        events(
            *(
                {
                    "id": "as-1",
                    "object": "chat.completion",
                    "sentence_id": n,
                    "is_end": n == 1,
                    "result": said,
                }
                for n, said in enumerate(("Good ", "day"))
            )
        ),
        "complete",
        "Good day",
        quiet=True,
        result={"finish_reason": "normal"},
    ),
    Case(
        "minimax-without-balance",
        events(
            {
                "id": "x",
                "choices": None,
                "model": "m",
                "base_resp": {"status_code": 1008, "status_msg": "no money"},
            }
        ),
        "error",
        error="no money",
    ),
    Case(
        "gradio-failed",
        events(
            {"msg": "process_starts"}, {**GRADIO, "success": False, "output": {"error": "CUDA out of memory"}}
        ),
        "error",
        error="CUDA out of memory",
    ),
    Case(
        "gradio-done",
        events(
            {**GRADIO, "success": True, "output": {"data": ["Hi"], "error": None}}, {"msg": "close_stream"}
        ),
        quiet=True,
    ),
    Case(
        "error-event-with-null",
        b"event: error\ndata: null\n\n",
        "error",
        findings={"in-band-error": "error no message"},
    ),
    Case(
        "coze-failed",
        events({"id": "1", "last_error": {"code": 4000, "msg": "no quota"}}, name="conversation.chat.failed"),
        "error",
        findings={"in-band-error": "error 4000: no quota"},
    ),
    Case(
        "task-of-an-agent-failed",
        events(
            {
                "jsonrpc": "2.0",
                "id": 1,
                "result": {
                    "kind": "status-update",
                    "status": {
                        "state": "failed",
                        "message": {"parts": [{"kind": "text", "text": "no tool"}]},
                    },
                    "final": True,
                },
            }
        ),
        "error",
        error="no tool",
    ),
    Case(
        "task-of-an-agent-completed",
        events(
            {"jsonrpc": "2.0", "id": 1, "result": {"kind": "status-update", "status": {"state": "completed"}}}
        ),
        quiet=True,
    ),
    Case(
        "ai-sdk-data-stream",
        b'f:{"messageId":"m"}\n0:"Good "\n0:"day"\nd:{"finishReason":"stop"}\n',
        findings={"unknown-field": "info 4 lines .* AI SDK's data stream protocol"},
        quiet=True,
    ),
    Case(
        "ai-sdk-data-stream-error",
        b'f:{"messageId":"m"}\n0:"Good"\n3:"It broke."\n',
        "error",
        error="It broke.",
    ),
    Case(
        "ai-sdk-tool-named-twice",
        events(
            {"type": "start", "messageId": "m"},
            {"type": "tool-input-start", "toolCallId": "c", "toolName": "f"},
            {"type": "tool-input-available", "toolCallId": "c", "toolName": "f", "input": {}},
            {"type": "finish"},
            "[DONE]",
        ),
        silent=("tool-call-name",),
        quiet=True,
    ),
]

TOOL_BLOCK = {
    "type": "content_block_start",
    "index": 0,
    "content_block": {"type": "tool_use", "id": "t1", "name": "list_dir", "input": {}},
}
COUNTED = {"prompt_tokens": 4, "completion_tokens": 2, "total_tokens": 6}

CONVERTERS = [
    Case(
        "sglang-24293-text-in-a-tool-block",
        anthropic(
            START,
            TOOL_BLOCK,
            said({"type": "input_json_delta", "partial_json": "{}"}),
            said({"type": "text_delta", "text": "\n"}),
            BLOCK_END,
            ending("tool_use"),
            STOPPED,
        ),
        "complete",
        findings={"wrong-type": "warning text_delta came in a block of the type 'tool_use'"},
    ),
    Case(
        "litellm-29286-input-in-a-text-block",
        anthropic(
            START,
            BLOCK,
            *(said({"type": "input_json_delta", "partial_json": ""}) for _ in range(3)),
            BLOCK_END,
            ending("end_turn"),
            STOPPED,
        ),
        "empty",
        findings={"wrong-type": "warning input_json_delta came in a block of the type 'text'"},
    ),
    Case(
        "llm-rosetta-52-no-index",
        anthropic(START, BLOCK, {**HELLO, "index": None}, BLOCK_END, ending("end_turn"), STOPPED),
        "complete",
        "Good day",
        {"wrong-type": "warning has no index"},
    ),
    Case(
        "text-under-another-name",
        chunk({"text": "Good "}) + chunk({"text": "day"}) + STOP + DONE,
        "complete",
        "Good day",
        {"wrong-type": "warning delta.text"},
    ),
    Case(
        "text-of-the-older-api-in-chat-chunks",
        events(
            {
                "id": "c",
                "object": "chat.completion.chunk",
                "choices": [{"index": 0, "delta": {}, "text": "Hi"}],
            }
        )
        + STOP
        + DONE,
        "complete",
        "Hi",
        {"wrong-type": r"warning choices\[\]\.text"},
    ),
    Case(
        "an-image-alone",
        chunk(
            {
                "content": "",
                "images": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}],
            }
        )
        + STOP
        + DONE,
        "complete",
        quiet=True,
    ),
    Case(
        "empty-counts-behind-the-counts",
        text("Hi")
        + chunk({}, "stop", usage=COUNTED)
        + chunk(choices=[], usage=dict.fromkeys(COUNTED, 0))
        + DONE,
        quiet=True,
        result={"usage": {"input": 4, "output": 2}},
    ),
]

HALVES = ("ab\ud83d", "\ude00 cd")

REPEATS = [
    Case(
        "cumulative-lines",
        ollama("Good") + ollama("Good day") + ollama("Good day to") + ollama(done=True, done_reason="stop"),
        findings={"cumulative-text": "warning 'Good day to'"},
    ),
    Case(
        "halves-of-a-character-in-lines",
        b"".join(map(ollama, HALVES)) + ollama(done=True, done_reason="stop"),
        text="ab\U0001f600 cd",
        findings={"split-surrogates": "warning half of a surrogate pair"},
    ),
    Case(
        "halves-of-a-character-whole-at-the-end",
        b"".join(
            f"event: {payload['type']}\ndata: {json.dumps(payload)}\n\n".encode()
            for payload in (
                of_response("created", "in_progress"),
                item("added", 0, id="msg_7", type="message"),
                *({"type": "response.output_text.delta", **PLACE, "delta": half} for half in HALVES),
                {"type": "response.output_text.done", **PLACE, "text": "ab\U0001f600 cd"},
                of_response("completed", "completed", spoken("ab\U0001f600 cd")),
            )
        ),
        text="ab\U0001f600 cd",
        findings={"split-surrogates": "warning"},
        silent=("final-text-mismatch",),
    ),
    Case(
        "dify-did-not-stream",
        json.dumps(
            dify("message", mode="chat", answer="Good day", metadata={"usage": {"completion_tokens": 2}})
        ).encode(),
        "complete",
        "Good day",
        silent=("truncated-stream",),
    ),
    Case(
        "a-completion-as-the-body",
        b'{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant",'
        b'"content":"Good day"},"finish_reason":"stop"}]}',
        "complete",
        "Good day",
        {"wrong-content-type": "warning"},
        silent=("missing-end-marker",),
    ),
]

CASES = [*SERVERS, *REPEATS, *CONVERTERS, *CALLS_IN_TEXT, *ENDS, *PIECES, *COUNTS]
