"""How answers end: failed finish reasons, empty answers, marks of the end that are missing or another dialect's."""

from __future__ import annotations

import json
from typing import Any

from tests.diagnosis.cases.case import Case

DONE = b"data: [DONE]\n\n"


def event(payload: Any, name: str = "") -> bytes:
    return (f"event: {name}\n" if name else "").encode() + f"data: {json.dumps(payload)}\n\n".encode()


def chat(*deltas: dict[str, Any], finish: str | None = "stop", tokens: int | None = 9) -> bytes:
    """Chunks of one answer, its finish reason and its usage, where they are not None; without ``[DONE]``."""

    def chunk(**more: Any) -> bytes:
        return event({"id": "chat-7", "object": "chat.completion.chunk", "model": "some-model", **more})

    choices: list[dict[str, Any]] = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    if finish is not None:
        choices.append({"index": 0, "delta": {}, "finish_reason": finish})
    body = b"".join(chunk(choices=[choice]) for choice in choices)
    if tokens is not None:
        body += chunk(
            choices=[], usage={"prompt_tokens": 4, "completion_tokens": tokens, "total_tokens": 4 + tokens}
        )
    return body


def said(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def gemini(*candidates: dict[str, Any], **more: Any) -> bytes:
    return b"".join(
        event({"candidates": [candidate], "modelVersion": "g-2", **more}) for candidate in candidates
    )


def parts(text: str) -> dict[str, Any]:
    return {"content": {"role": "model", "parts": [{"text": text}]}}


def anthropic(*text: str, stop: str | None = "end_turn", end: bool = True) -> bytes:
    message = {"id": "msg_9", "type": "message", "role": "assistant", "model": "some-model", "content": []}
    payloads: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**message, "usage": {"input_tokens": 5, "output_tokens": 1}}}
    ]
    if text:
        payloads.append(
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
        )
        payloads += [
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}
            for piece in text
        ]
        payloads.append({"type": "content_block_stop", "index": 0})
    if stop is not None:
        payloads.append(
            {"type": "message_delta", "delta": {"stop_reason": stop}, "usage": {"output_tokens": 3}}
        )
    if end:
        payloads.append({"type": "message_stop"})
    return b"".join(event(payload, payload["type"]) for payload in payloads)


CASES: list[Case] = [
    Case(
        "s08-function-call-filter",
        chat(said("<thought>call the tool</thought>"), finish="function_call_filter: MALFORMED_FUNCTION_CALL")
        + DONE,
        outcome="stopped-by-provider",
    ),
    Case(
        "s09-gemini-malformed-call",
        gemini(
            {"content": {"role": "model", "parts": [{"text": "", "thoughtSignature": "YWJj"}]}, "index": 0},
            {"finishReason": "MALFORMED_FUNCTION_CALL", "index": 0},
        ),
        outcome="stopped-by-provider",
    ),
    Case(
        "s09b-gemini-finish-without-content",
        gemini(parts("H"), parts("i"))
        + gemini(
            {"finishReason": "STOP"},
            usageMetadata={"promptTokenCount": 4, "candidatesTokenCount": 6, "totalTokenCount": 10},
        ),
        outcome="complete",
        text="Hi",
        quiet=True,
        result={"finish_reason": "STOP"},
    ),
    Case(
        "s26-done-without-finish",
        chat(said("The whole"), said(" of it."), finish=None) + DONE,
        outcome="ended",
        text="The whole of it.",
        only_own=True,
    ),
    Case(
        "s64-gemini-prompt-blocked",
        event(
            {
                "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"},
                "usageMetadata": {"promptTokenCount": 3},
            }
        ),
        outcome="stopped-by-provider",
        result={"dialect": "gemini"},
    ),
    Case("t03-anthropic-done-after-stop", anthropic("Hel", "lo") + DONE, outcome="complete"),
    Case(
        "t04a-finish-insufficient_system_resource",
        chat(said("Only a"), said(" part"), finish="insufficient_system_resource") + DONE,
        outcome="stopped-by-provider",
    ),
    Case(
        "t04d-finish-content_filter",
        chat(said("Only a"), said(" part"), finish="content_filter") + DONE,
        outcome="stopped-by-provider",
    ),
    Case(
        "t05-only-reasoning",
        chat(
            {"role": "assistant", "content": ""},
            {"reasoning_content": "I think"},
            {"reasoning_content": " so."},
        )
        + DONE,
        outcome="empty",
        text="",
    ),
    Case("t21-anthropic-refusal", anthropic(stop="refusal"), outcome="stopped-by-provider"),
    Case(
        "t23-gemini-safety",
        gemini(parts("Only a part"), {"finishReason": "SAFETY"}),
        outcome="stopped-by-provider",
    ),
]
