"""What gateways pass on in a form of their own: errors inside errors, pages, payloads encoded twice, line ends."""

from __future__ import annotations

import json

from tests.diagnosis.answering import anthropic, event
from tests.diagnosis.cases.case import Case
from tests.diagnosis.telling import DONE, STOP, chunk, text

ERROR = "in-band-error"
_INNER = json.dumps({"error": {"type": "rate_limit_error", "code": 429, "message": "slow down"}})
_PAGE = b"<html>\n<head><title>504 Gateway Time-out</title></head>\n<h1>504 Gateway Time-out</h1>\n</html>\n"
_CHUNKS = [text("Good"), text(" day"), STOP]


def _again(payload: bytes) -> bytes:
    return event(payload.decode().removeprefix("data: ").strip())


CASES = [
    Case(
        "an error whose text is the JSON of another",
        text("Wor") + event({"error": _INNER}),
        "error",
        findings={ERROR: "error rate_limit_error 429: slow down.*may succeed"},
        error="429",
    ),
    Case(
        "an error whose message is the JSON of another, with a code of its own",
        text("Wor") + event({"error": {"code": 502, "message": _INNER}}),
        "error",
        findings={ERROR: "error rate_limit_error 502: slow down"},
        error="slow down",
    ),
    Case(
        "an error of Anthropic's inside a message of a gateway",
        anthropic("Wor", stop=None, end=False)
        + event(
            {
                "type": "error",
                "message": '{"type":"error","error":{"type":"overloaded_error","message":"Over"}}',
            },
            "error",
        ),
        "error",
        findings={ERROR: "error overloaded_error: Over.*may succeed"},
        error="overloaded_error",
    ),
    Case(
        "a page of a proxy behind half an answer",
        text("Wor") + _PAGE,
        "error",
        "Wor",
        {ERROR: "error 504: Gateway Time-out.*may succeed.*HTML page"},
        error="504",
    ),
    Case(
        "a page of a proxy as data",
        text("Wor") + b"data: " + _PAGE.replace(b"\n", b"") + b"\n\n",
        "error",
        "Wor",
        {ERROR: "error 504: Gateway", "invalid-json-event": "error HTML"},
    ),
    Case(
        "a page of Cloudflare's as data",
        text("Wor") + b"data: <!DOCTYPE html><title>some.example | 522: Connection timed out</title>\n\n",
        "error",
        findings={ERROR: "error 522: Connection timed out"},
    ),
    Case(
        "a page as the words of the model",
        text("<title>504 Gateway Time-out</title>") + text(" is a title") + STOP + DONE,
        "complete",
        silent=(ERROR,),
    ),
    Case(
        "an error in plain text as the whole body",
        b"upstream connect error or disconnect/reset before headers. reset reason: connection termination",
        "error",
        findings={ERROR: "error upstream connect error.*sent as plain text"},
    ),
    Case(
        "an answer that is an error message",
        text("Error: Rate limit exceeded. Please try again in 20s.") + STOP + DONE,
        "complete",
        findings={ERROR: "info whole answer reads like an error message"},
    ),
    Case(
        "payloads encoded twice",
        b"".join(map(_again, _CHUNKS)) + DONE,
        findings={"wrapped-twice": 'error encoded twice.*3 chunks: "Good day"'},
    ),
    Case(
        "raw JSON with a line feed inside a string (lemonade-sdk/lemonade#2975)",
        text("Wor")
        + b'{"error":{"code":400,"message":"9 tokens exceed the context,\n try more","type":"too_large"}}',
        "error",
        findings={ERROR: "error too_large 400: 9 tokens exceed"},
        error="400",
    ),
    Case(
        "Cloudflare's envelope with all its members",
        event({"response": "Wor"})
        + event(
            {"errors": [{"message": "boom", "code": 3040}], "success": False, "result": {}, "messages": []}
        ),
        "error",
        findings={ERROR: "error 3040: boom"},
        error="3040",
    ),
    Case(
        "Baidu's code beside an id",
        event({"error_code": 336003, "error_msg": "messages too long", "id": "as-1"}),
        "error",
        findings={ERROR: "error 336003: messages too long"},
    ),
    Case(
        "Baidu's events, whose text is in result",
        event({"id": "as-1", "object": "chat.completion", "is_end": False, "result": "Good"})
        + event({"id": "as-1", "object": "chat.completion", "is_end": True, "result": " day"}),
        "complete",
        "Good day",
        quiet=True,
    ),
    Case(
        "an error code that says that there is none",
        event({"error_code": 0, "error_msg": "success", "id": 1, "text": "a"}),
        silent=(ERROR,),
    ),
    Case(
        "Coze's last_error",
        event(
            {"id": "1", "status": "created", "last_error": {"code": 0, "msg": ""}},
            "conversation.chat.created",
        )
        + event(
            {"id": "1", "status": "failed", "last_error": {"code": 5000, "msg": "boom"}},
            "conversation.chat.failed",
        ),
        "error",
        findings={ERROR: "error 5000: boom"},
    ),
    Case(
        "a task of A2A that failed",
        event(
            {
                "jsonrpc": "2.0",
                "id": 1,
                "result": {
                    "kind": "status-update",
                    "status": {"state": "failed", "message": {"parts": [{"kind": "text", "text": "boom"}]}},
                    "final": True,
                },
            }
        ),
        "error",
        findings={ERROR: "error failed: boom"},
    ),
    Case(
        "a task of A2A that was done",
        event({"jsonrpc": "2.0", "id": 1, "result": {"status": {"state": "completed"}, "final": True}}),
        "complete",
        silent=(ERROR,),
    ),
    Case(
        "a filter's verdict after the finish reason",
        text("Wor") + STOP + chunk({}, "content_filter") + DONE,
        "stopped-by-provider",
        findings={"provider-stop": "error content_filter", "repeated-finish": "warning"},
    ),
    Case(
        "an error in Ollama's lines",
        b'{"model":"m","message":{"role":"assistant","content":"Wor"},"done":false}\n{"error":"boom"}\n',
        "error",
        "Wor",
        {ERROR: "error in the stream: boom"},
    ),
    Case(
        "lines of Vercel's old data stream protocol",
        b'f:{"messageId":"m"}\n0:"Good"\n0:" day"\nd:{"finishReason":"stop"}\n',
        findings={"unknown-field": "info data stream protocol"},
    ),
    Case(
        "text in UTF-8 that was read as Latin-1",
        text("caf\u00c3\u00a9 tr\u00c3\u00a8s bon") + STOP + DONE,
        "complete",
        findings={"replacement-characters": "warning 2 characters that were encoded twice"},
    ),
    Case(
        "French with a space that does not break",
        text("\u00e0\u00a0\u00ab Paris \u00bb, \u00c0\u00a0Lyon, 5\u00a0\u20ac") + STOP + DONE,
        "complete",
        silent=("replacement-characters",),
    ),
    *(
        Case(
            f"a notice as data: {notice}",
            text("Wor") + f"data: {notice}\n\n".encode(),
            "error",
            "Wor",
            {ERROR: "error"},
            error=notice,
        )
        for notice in (
            "Server is busy, please try again later.",
            "ECONNRESET",
            "timeout",
            "socket hang up",
            "TypeError: fetch failed",
            "系统繁忙，请稍后再试",
        )
    ),
    *(
        Case(
            f"no error as data: {word}",
            text("Wor") + f"data: {word}\n\n".encode() + STOP + DONE,
            "complete",
            silent=(ERROR,),
        )
        for word in ("thinking...", "processing", "pong", "42 users online")
    ),
    Case(
        "one choice of two without a finish reason",
        event({"choices": [{"index": 0, "delta": {"content": "A"}, "finish_reason": None}]})
        + event({"choices": [{"index": 1, "delta": {"content": "B"}, "finish_reason": None}]})
        + event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        + DONE,
        "ended",
        findings={"missing-finish-reason": "warning only 1 of 2 choices has one"},
    ),
    Case(
        "an empty stop_reason is none",
        anthropic("Good", stop=""),
        "ended",
        findings={"missing-finish-reason": "warning"},
        silent=("wrong-type",),
    ),
    Case(
        "one string of JSON among other strings",
        event("a") + event(json.dumps({"a": 1})) + event("b") + event("c"),
        silent=("wrapped-twice",),
    ),
    Case(
        "line ends translated twice",
        (b"".join(_CHUNKS) + DONE).replace(b"\n", b"\r\r\n"),
        "complete",
        "Good day",
        {"line-endings": "warning CR CR LF"},
    ),
]
