"""Errors that a stream reports in-band, in every form, and what only looks like one."""

from __future__ import annotations

import json
from typing import Any

from sse_tui import dialects
from tests.diagnosis.cases.case import Case
from tests.diagnosis.telling import DONE, STOP, text

ERROR = "in-band-error"


def _data(*payloads: Any, event: str = "") -> bytes:
    name = f"event: {event}\n" if event else ""
    bodies = (payload if isinstance(payload, str) else json.dumps(payload) for payload in payloads)
    return "".join(f"{name}data: {body}\n\n" for body in bodies).encode()


def _error(name: str, stream: bytes, error: str, words: str = "", dialect: str | None = None) -> Case:
    """A stream whose outcome is an error, found in its `error`, and which is told once."""
    return Case(
        name, stream, "error", findings={ERROR: f"error {words}".strip()}, error=error, dialect=dialect
    )


def _fine(name: str, stream: bytes, outcome: str | None = None, dialect: str | None = None) -> Case:
    return Case(name, stream, outcome, silent=(ERROR,), result={"error": None}, dialect=dialect)


TOKENS = _data({"token": "The"}, {"token": " sky"})

REPORTED = [
    _error(
        "s25-responses-error-then-done",
        _data(
            {
                "type": "response.created",
                "sequence_number": 0,
                "response": {"id": "r", "status": "in_progress"},
            },
            event="response.created",
        )
        + _data(
            {
                "type": "error",
                "sequence_number": 1,
                "error": {
                    "type": "service_unavailable_error",
                    "code": "server_is_overloaded",
                    "message": "Overloaded, wait a little.",
                },
            },
            event="error",
        )
        + DONE,
        "server_is_overloaded",
        "server_is_overloaded: Overloaded.*may succeed",
    ),
    _error(
        "s38-dify-error",
        _data(
            {"event": "message", "task_id": "1", "answer": "Wor"},
            {
                "event": "error",
                "task_id": "1",
                "status": 400,
                "code": "completion_request_error",
                "message": "full",
            },
        ),
        "completion_request_error",
    ),
    _error(
        "s68-kubernetes-gone",
        b'{"type":"ADDED","object":{"kind":"Job","metadata":{"name":"x","resourceVersion":"3"}}}\n'
        b'{"type":"ERROR","object":{"kind":"Status","status":"Failure","message":"too old resource version: 3 (9)",'
        b'"reason":"Expired","code":410}}\n',
        "too old resource version",
        "Expired 410.*unlikely to help",
    ),
    Case(
        "t02-data-plain-text-error",
        text("Wor") + _data("Rate limit exceeded, try later") + DONE,
        "error",
        findings={
            "invalid-json-event": "error reads like an error",
            ERROR: "error Rate limit exceeded.*may succeed",
        },
        error="Rate limit exceeded",
    ),
    _error(
        "v03a-generic-error",
        TOKENS + _data({"event": "error", "status": 400, "code": "x", "message": "boom"}),
        "boom",
        "unlikely to help",
    ),
    _error("v03b-generic-error", TOKENS + _data({"type": "error", "message": "boom"}), "boom"),
    _error("v03c-generic-error", TOKENS + _data({"error": "boom"}), "boom"),
    _error("v03d-generic-error", TOKENS + _data({"status": "error", "detail": "boom"}), "boom"),
    _error("v03e-generic-error", TOKENS + _data({"message": "boom"}, event="error"), "boom"),
    _error(
        "v03f-generic-error",
        TOKENS + _data({"code": 500, "msg": "boom"}, event="exception"),
        "boom",
        "500.*may succeed",
    ),
    _error("v03g-generic-error", TOKENS + _data({"type": "ERROR", "content": "boom"}), "boom"),
]

# By a name: what a payload must look like in a stream of an unknown kind, after tokens.
PAYLOADS: dict[str, Any] = {
    "fastapi-detail": {"detail": "boom"},
    "fastapi-validation": {"detail": [{"loc": ["body"], "msg": "boom", "type": "missing"}]},
    "graphql": {
        "errors": [{"message": "boom", "extensions": {"code": "INTERNAL_SERVER_ERROR"}}],
        "data": None,
    },
    "http-code": {"code": 429, "message": "boom"},
    "http-code-in-digits": {"code": "429", "msg": "boom", "request_id": "1"},
    "http-status": {"statusCode": 503, "message": "boom"},
    "problem-details": {
        "type": "about:blank",
        "title": "Gone",
        "status": 410,
        "detail": "boom",
        "instance": "/x",
    },
    "spring-boot": {"timestamp": "1", "status": 500, "error": "boom", "path": "/x"},
    "status-failed": {"status": "failed", "message": "boom"},
    "no-success": {"success": False, "message": "boom"},
    "not-ok": {"ok": False, "error_code": 420, "description": "x", "error": "boom"},
    "dashscope": {"code": "Throttling.RateQuota", "message": "boom", "request_id": "1"},
    "error-message": {"error_code": 336000, "error_msg": "boom"},
    "kind-exception": {"type": "exception", "data": "boom"},
    "run-error": {"type": "RUN_ERROR", "message": "boom", "code": "x"},
    "event-with-data": {"event": "error", "data": {"message": "boom"}},
    "bedrock-member": {"internalServerException": {"message": "boom"}},
    "aws-json": {"__type": "com.amazon#ThrottlingException", "message": "boom"},
    "apigee": {"fault": {"faultstring": "boom", "detail": {"errorcode": "x"}}},
    "minimax": {"choices": None, "base_resp": {"status_code": 1004, "status_msg": "boom"}},
    "tencent": {"Response": {"Error": {"Code": "x", "Message": "boom"}, "RequestId": "1"}},
    "error-true": {"error": True, "message": "boom"},
    "error-list": {"error": ["boom"]},
    "error-number": {"error": 500, "message": "boom"},
    "wrapped-error": {"error": {"details": "boom"}},
}
GENERIC = [_error(f"payload-{name}", TOKENS + _data(payload), "boom") for name, payload in PAYLOADS.items()]
CHAT = [
    _error(f"chat-{name}", text("a") + _data(payload) + DONE, "boom") for name, payload in PAYLOADS.items()
]

EVENTS = [
    _error(f"event-{name}", TOKENS + _data(data, event=name), "boom")
    for name, data in {
        "exception": {"detail": "boom"},
        "failure": "boom",
        "stream_error": {"code": 1, "message": "boom"},
        "run-error": '"boom"',
        "serverError": {"error": {"message": "boom"}},
        "fatal": {"text": "boom"},
        "throttlingException": {"message": "boom"},
        "modelStreamErrorException": {"originalStatusCode": 500, "message": "boom"},
    }.items()
] + [
    Case(
        "event-without-data", text("a") + b"event: error\n\n", "error", findings={ERROR: "error never see it"}
    ),
    _error(
        "event-of-anthropic",
        _data({"type": "error", "error": {"type": "overloaded_error", "message": "x"}}, event="error"),
        "overloaded_error",
        "may succeed",
        "anthropic-messages",
    ),
    _error(
        "event-of-vercel",
        _data({"type": "start", "messageId": "1"}, {"type": "error", "errorText": "boom"}) + DONE,
        "boom",
    ),
    _error(
        "event-of-replicate",
        b"event: output\nid: 1:0\ndata: Hi\n\n" + _data("boom", event="error") + _data({}, event="done"),
        "boom",
    ),
    _error(
        "event-of-langserve",
        _data({"content": "a"}, event="data")
        + _data({"status_code": 500, "message": "Internal Server Error"}, event="error"),
        "500",
    ),
    _error(
        "event-of-cohere",
        _data(
            {"type": "message-start", "id": "1"}, {"type": "message-end", "delta": {"finish_reason": "ERROR"}}
        ),
        "ERROR",
    ),
    _error(
        "event-after-the-finish-reason",
        text("a") + STOP + _data({"error": {"message": "boom"}}) + DONE,
        "boom",
        "after the finish reason",
    ),
    _error(
        "event-of-responses-twice",
        _data(
            {"type": "response.created", "response": {"id": "r"}},
            {"type": "error", "code": "server_error", "message": "boom", "sequence_number": 1},
            {
                "type": "response.failed",
                "response": {"status": "failed", "error": {"code": "server_error", "message": "boom"}},
            },
        ),
        "boom",
    ),
]

OLLAMA = b'{"model":"m","message":{"content":"a"},"done":false}\n'

LINES = [
    Case(f"line-{name}", stream, "error", findings={ERROR: "error never see it"}, error="boom")
    for name, stream in {
        "error-field": text("a") + b'error: {"code":500,"message":"boom"}\n\n' + DONE,
        "error-field-of-text": text("a") + b"error: boom\n\n" + DONE,
        "raw-json": text("a") + b'{"error":{"message":"boom"}}\n\n',
        "raw-detail": text("a") + b'{"detail":"boom"}\n\n',
        "pretty-json": text("a") + b'{\n  "error": {\n    "code": 503,\n    "message": "boom"\n  }\n}\n\n',
        "pretty-json-behind-data": b'data: {\n  "error": {\n    "message": "boom"\n  }\n}\n\n',
        "pretty-json-cut": text("a") + b'{\n  "error": "boom",\n',
        "upstream": text("a") + b"upstream error: boom\n\n" + DONE,
        "python": text("a") + b"openai.APIError: boom\n\n",
        "http-status": text("a") + b"502 Bad Gateway: boom\n",
        "grpc": text("a") + b"grpc-status: 14\ngrpc-message: boom%20now\n\n",
        "tail": text("a") + b'data: {"error":{"message":"boom"}}\n',
        "tail-of-a-named-event": text("a") + b"event: error\ndata: boom",
    }.items()
] + [
    _error("line-of-ollama", OLLAMA + b'{"error":"boom"}\n', "boom"),
    _error("line-of-ollama-plain", OLLAMA + b"Internal Server Error\n", "Internal Server Error"),
    _error("line-of-ndjson", b'{"token":"a"}\n{"type":"error","message":"boom"}\n', "boom"),
    _error(
        "line-of-a-watch-status",
        b'{"type":"ADDED","object":{"metadata":{}}}\n{"kind":"Status","apiVersion":"v1","metadata":{},'
        b'"status":"Failure","message":"boom","reason":"Expired","code":410}\n',
        "boom",
    ),
]

TEXTS = [
    _error(f"text-{number}", text("a") + _data(said), said.strip('"')[:12])
    for number, said in enumerate(
        (
            "Internal Server Error",
            "502 Bad Gateway",
            "Error: boom",
            "upstream error: connection reset by peer",
            "Service Unavailable",
            "[ERROR] the model crashed",
            "An error occurred while streaming",
            "openai.RateLimitError: slow down",
            "upstream connect error or disconnect/reset before headers",
            "You exceeded your current quota, please check your plan",
            "Failed to reach the model",
            "request timed out",
            '"Internal Server Error"',
        )
    )
] + [
    _error("text-in-a-stream-of-json", TOKENS + _data("Internal Server Error"), "Internal Server Error"),
    _error("text-alone", _data("Too Many Requests"), "429"),
    _error("text-before-the-dialect", _data("Error: boom") + text("a") + DONE, "boom"),
]

# Whole streams in which no error of the stream is.
HEALTHY: dict[str, bytes] = {
    "error-null": _data({"error": None, "token": "a"}) + _data({"error": "", "token": "b"}, {"error": {}}),
    "error-measured": _data({"epoch": 1, "loss": 0.5, "error": 0.02}),
    "status-ok": _data({"status": "ok"}, {"success": True, "message": "done"}, {"code": 0, "message": "ok"}),
    "code-200": _data({"code": 200, "message": "Internal notes", "errcode": 0, "errmsg": "ok"}),
    "log-lines": _data(
        {"level": "error", "msg": "boom", "error": "refused"}, {"severity": "ERROR", "message": "Bad Gateway"}
    ),
    "log-ndjson": b'{"level":"error","error":"refused","msg":"x"}\n{"level":"info","msg":"y"}\n',
    "notifications": _data(
        *(
            {"code": code, "message": "Parcel on its way", "detail": "Failed once"}
            for code in ("P1", "SHIPPED")
        )
    ),
    "details-only": _data({"detail": "Order 5 failed"}, {"detail": "Order 6 shipped"}),
    "jobs": _data({"job": 7, "status": "failed", "message": "exit 1"}, {"event": "failed", "job": 8}),
    "sensors": _data({"device": "pump", "status": "error"}, event="sensor_error"),
    "lint-results": _data({"file": "a.py", "errors": ["E501"]}),
    "graphql-partial": _data({"data": {"a": 1}, "errors": [{"message": "b is hidden"}]}),
    "tool-result": _data({"type": "tool_result", "is_error": True, "content": "Error: no such file"}),
    "tool-error": _data({"tool": "x", "message": "no such file"}, event="tool_error"),
    "text-about-errors": _data("Hello", "Error: this is what the log says", "Internal Server Error"),
    "tokens-about-errors": text("Error") + text(': {"error": "boom"}') + STOP + DONE,
    "code-lines": b"data: try:\n    raise ValueError('x')\nerrors = [1]\n\n",
    "mcp-tool-error": _data(
        {
            "jsonrpc": "2.0",
            "id": 1,
            "result": {"isError": True, "content": [{"type": "text", "text": "Error: boom"}]},
        }
    ),
    "mcp-log": _data(
        {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "error", "data": "x"}},
        {"jsonrpc": "2.0", "id": 1, "result": {}},
    ),
    "exception-null": _data({"internalServerException": None, "chunk": {"bytes": "x"}}),
    "base-resp-ok": text("a")
    + _data({"choices": [], "base_resp": {"status_code": 0, "status_msg": ""}})
    + STOP
    + DONE,
    "grpc-ok": TOKENS + b"grpc-status: 0\ngrpc-message: \n\n",
    "tool-of-vercel": _data(
        {"type": "start", "messageId": "1"},
        {"type": "tool-output-error", "toolCallId": "t", "errorText": "boom"},
        {"type": "finish"},
    )
    + DONE,
    "raw-null": text("a") + b'{\n  "error": null,\n  "token": "x"\n}\n\n' + STOP + DONE,
}
HEALTHY |= {
    "graph-state": _data({"messages": [], "error": "no tool", "status": "failed"}, event="values")
    + _data({}, event="end"),
    "mercure-update": b"id: urn:uuid:1\n" + _data({"message": "boom"}, event="error"),
    "step-results": _data({"step": 3, "status": "failed", "message": "retrying"}, event="step_failed"),
    "trading": _data({"code": "LIMIT_ORDER_FILLED", "message": "Order 5"}, {"type": "limit", "message": "x"}),
    "health-checks": _data({"service": "db", "status": "error", "detail": "timeout"}),
    "weather": _data({"code": 500, "temp": 3}, {"status": 404, "rooms": 2}),
    "sentences": _data("An error of judgement", "Failed states in history", "Not Found, the band"),
    "prose": b"data: # Notes\nError handling is hard.\n  Error: see below\nfailed to start? read on\n\n",
}
SILENT = [_fine(f"no-error-{name}", stream) for name, stream in HEALTHY.items()]

AFTER = [
    Case(
        "error-after-the-end-marker",
        text("a") + STOP + DONE + _data({"error": {"message": "cannot log usage", "code": 500}}),
        "complete",
        findings={ERROR: "warning after the end marker"},
        result={"error": None},
    ),
    Case(
        "error-after-message-stop",
        _data({"type": "message_start", "message": {"id": "m"}}, event="message_start")
        + _data(
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "a"}},
            event="content_block_delta",
        )
        + _data({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}, event="message_delta")
        + _data({"type": "message_stop"}, event="message_stop")
        + _data({"type": "error", "error": {"type": "api_error", "message": "boom"}}, event="error"),
        "complete",
        findings={ERROR: "warning after the end marker"},
        result={"error": None},
    ),
    _error(
        "text-after-the-error",
        text("a") + _data({"error": {"message": "boom"}}) + text("b") + text("c") + STOP + DONE,
        "boom",
        "after 1 token event.*2 token events followed",
    ),
]

# Rebuilt from public reports.
PUBLIC = [
    # dativo-io/talon#393: the terminal error event was written behind an event that had not ended.
    _error(
        "error-event-merged-into-a-chunk",
        text("a")
        + text("b")[:-20]
        + b"\nevent: error\n"
        + _data({"type": "error", "error": {"message": "boom"}}),
        "'message': 'boom'",
    ),
    # Wei-Shaw/sub2api#1471: likewise, without a name.
    _error(
        "error-data-merged-into-a-chunk",
        text("a")
        + text("b")[:-20]
        + b"\n"
        + _data({"type": "error", "error": {"type": "upstream_error", "message": "boom"}}),
        "upstream_error",
        "upstream_error: boom.*may succeed",
    ),
    _error(
        "error-glued-to-a-chunk",
        text("a") + text("b")[:-2] + b'{"error": {"message": "boom"}}\n\n' + DONE,
        "boom",
    ),
    # stacklok/toolhive#6037: a proxy's JSON-RPC error, without a field name.
    _error(
        "json-rpc-error-line",
        _data({"jsonrpc": "2.0", "method": "notifications/progress", "params": {}})
        + b'{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"boom"}}\n',
        "-32603",
        "without 'data:'",
    ),
    # lucasjinreal/Crane#121: the engine's error as text in data.
    _error("error-label-in-data", text("a") + _data("error: boom") + DONE, "boom"),
    # caidaoli/ccLoad#69: Anthropic's error without its name, behind pings.
    _error(
        "error-without-its-name",
        _data({"type": "ping"}, {"type": "ping"})
        + _data(
            {
                "type": "error",
                "error": {"type": "rate_limit_error", "message": "Concurrency limit, retry later"},
            }
        ),
        "rate_limit_error",
        "may succeed",
    ),
    # liaohch3/claude-tap#43, farzaa/clicky#132: an answer that is nothing but the error.
    _error(
        "error-alone",
        _data(
            {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, event="error"
        ),
        "overloaded_error",
        "after 0 token events.*may succeed",
    ),
]

# In every dialect by its name: whatever stands where its own payloads are due.
FORMS: dict[str, bytes] = {
    "member": _data({"error": {"message": "boom"}}),
    "text-member": _data({"error": "boom"}),
    "detail": _data({"detail": "boom"}),
    "errors": _data({"errors": [{"message": "boom"}]}),
    "code": _data({"code": 429, "message": "boom"}),
    "kind": _data({"type": "error", "message": "boom"}),
    "event-member": _data({"event": "error", "message": "boom"}),
    "status": _data({"status": "error", "message": "boom"}),
    "success": _data({"success": False, "message": "boom"}),
    "exception-frame": _data({"message": "boom"}, event="throttlingException"),
    "named-text": _data("boom", event="error"),
    "text": _data("upstream error: boom"),
    "field": b'error: {"message": "boom"}\n\n',
    "raw": b'{"error": {"message": "boom"}}\n\n',
    "bare": b"upstream error: boom\n\n",
    "rest": b'data: {"error": {"message": "boom"}}\n',
    "grpc": b"grpc-status: 14\ngrpc-message: boom\n\n",
}
# In a feed the payloads are the publishers' own: only the event's name, or what is no event, is an error of the stream.
_FEEDS = {"mercure", "wikimedia"}
_OF_FEEDS = {"exception-frame", "named-text", "field", "raw", "bare", "rest", "grpc"}
# Of an unknown stream that form must come behind others.
_NEEDS_OTHERS = {("generic", "detail"), ("ndjson", "detail")}
EVERYWHERE = [
    _error(f"{dialect}-{name}", stream, "boom", dialect=dialect)
    for dialect in dialects.names()
    for name, stream in FORMS.items()
    if (dialect not in _FEEDS or name in _OF_FEEDS) and (dialect, name) not in _NEEDS_OTHERS
]

CASES: list[Case] = [
    *EVERYWHERE,
    *PUBLIC,
    *REPORTED,
    *GENERIC,
    *CHAT,
    *EVENTS,
    *LINES,
    *TEXTS,
    *SILENT,
    *AFTER,
]
