"""Bodies that are no event stream."""

from __future__ import annotations

import json
from typing import Any

from tests.bodies.frames import BLOCK_STOP, CONVERSE, START, STOP, delta, event, exception, invoked
from tests.diagnosis.cases.case import Case

_LINES = (
    "unknown-field",
    "invalid-utf8",
    "line-endings",
    "unterminated-tail",
    "multi-line-data",
    "phantom-event-risk",
)


def _gemini(text: str, **more: Any) -> dict[str, Any]:
    return {"candidates": [{"content": {"parts": [{"text": text}], "role": "model"}, "index": 0, **more}]}


_ARRAY = [_gemini("Hel"), _gemini("lo", finishReason="STOP") | {"usageMetadata": {"promptTokenCount": 3}}]
_OLLAMA = [
    {"model": "m", "message": {"role": "assistant", "content": "Hi"}, "done": False},
    {"model": "m", "message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop"},
]
_THOUGHT = {"content": {"parts": [{"text": "hm", "thought": True}], "role": "model"}, "index": 0}
_CALL = event(
    "contentBlockStart", {"contentBlockIndex": 1, "start": {"toolUse": {"toolUseId": "t", "name": "f"}}}
)
_INPUT = event("contentBlockDelta", {"contentBlockIndex": 1, "delta": {"toolUse": {"input": '{"x":'}}})
_TEXT_BLOCK = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi"}}

CASES: list[Case] = [
    Case(
        "ndjson-ollama",
        b"".join(json.dumps(line).encode() + b"\r\n" for line in _OLLAMA),
        outcome="complete",
        text="Hi",
        findings={"wrong-content-type": "info JSON lines"},
        silent=_LINES,
        quiet=True,
    ),
    Case(
        "json-sequence-ollama",
        b"".join(b"\x1e" + json.dumps(line).encode() + b"\n" for line in _OLLAMA),
        outcome="complete",
        text="Hi",
        silent=_LINES,
        quiet=True,
    ),
    Case(
        "gemini-array",
        json.dumps(_ARRAY, indent=2).encode(),
        outcome="complete",
        text="Hello",
        findings={"wrong-content-type": "warning alt=sse"},
        silent=_LINES,
    ),
    # flachesis/gemini-rust#29: the last element has a reason to stop and no content.
    Case(
        "gemini-array-without-content-at-the-end",
        json.dumps(
            [{"candidates": [_THOUGHT]}, {"candidates": [{"finishReason": "STOP", "index": 0}]}], indent=4
        ).encode(),
        result={"reasoning": "hm", "finish_reason": "STOP", "dialect": "gemini"},
        findings={"wrong-content-type": "warning JSON array"},
        silent=_LINES,
    ),
    Case(
        "gemini-array-cut",
        json.dumps(_ARRAY).encode()[:-70],
        outcome="truncated",
        text="Hel",
        findings={"damaged-body": "error inside a JSON value", "truncated-stream": "error"},
        silent=_LINES,
    ),
    Case(
        "bedrock-converse",
        CONVERSE,
        outcome="complete",
        text="Hello",
        findings={"wrong-content-type": "info AWS event stream frames"},
        silent=_LINES,
        quiet=True,
        result={"dialect": "bedrock-converse", "usage": {"input": 3, "output": 2, "cached": 1}},
    ),
    # floci-io/floci#3043: after the 200 the upstream broke, which is reported as an exception frame.
    Case(
        "bedrock-exception",
        START + delta("Hel") + exception("modelStreamErrorException", "The upstream ended early."),
        outcome="error",
        text="Hel",
        error="modelStreamErrorException",
        findings={"in-band-error": "error The upstream ended early"},
        silent=_LINES,
    ),
    # BerriAI/litellm#32159: the connection closed within the arguments of a tool call.
    Case(
        "bedrock-cut-in-a-call",
        START + delta("Hi") + BLOCK_STOP + _CALL + _INPUT,
        outcome="truncated",
        text="Hi",
        findings={"truncated-stream": "error messageStop"},
    ),
    Case(
        "bedrock-cut-in-a-frame",
        (START + delta("Hi") + STOP)[:-30],
        outcome="truncated",
        text="Hi",
        findings={"damaged-body": "error ends inside a frame of [0-9]+ bytes"},
        silent=_LINES,
    ),
    Case(
        "bedrock-wrong-checksum",
        START + delta("Hel") + delta("lo")[:-1] + b"\0" + STOP,
        text="Hel",
        findings={"damaged-body": "error checksum"},
        silent=_LINES,
    ),
    Case(
        "bedrock-invoke-claude-cut",
        invoked({"type": "message_start", "message": {"role": "assistant"}}) + invoked(_TEXT_BLOCK),
        outcome="truncated",
        text="Hi",
        findings={"truncated-stream": "error message_stop"},
        result={"dialect": "anthropic-messages"},
    ),
    # aws-samples/sample-OpenClaw-on-AWS-with-Bedrock#48: one JSON object instead of frames.
    Case(
        "bedrock-object-instead-of-frames",
        json.dumps(
            {
                "output": {"message": {"role": "assistant", "content": [{"text": "Hello"}]}},
                "stopReason": "end_turn",
                "usage": {"inputTokens": 3, "outputTokens": 2},
            }
        ).encode(),
        outcome="complete",
        text="Hello",
        findings={"wrong-content-type": "warning did not stream"},
        silent=_LINES,
    ),
    Case(
        "page-of-a-proxy",
        b"<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body><hr>nginx</body>\r\n</html>\r\n",
        outcome="refused",
        findings={"wrong-content-type": "error 502 Bad Gateway.*proxy"},
        silent=_LINES,
    ),
    Case(
        "plain-prose",
        b"The service is being maintained.\nPlease come back later.\n",
        findings={"wrong-content-type": "error plain text"},
        silent=_LINES,
    ),
]
