"""Builders of streams, event by event: chat completions, Anthropic's messages, Gemini's answers."""

from __future__ import annotations

import json
from typing import Any


def event(payload: Any, kind: str | None = None) -> bytes:
    """One event, escaped as JSON in ASCII."""
    named = f"event: {kind}\n" if kind else ""
    return f"{named}data: {payload if isinstance(payload, str) else json.dumps(payload)}\n\n".encode()


def chunk(delta: Any = None, finish: str | None = None, id: str = "r-1", **more: Any) -> bytes:
    choice = {"index": 0, "delta": {} if delta is None else delta, "finish_reason": finish}
    return event({"id": id, "object": "chat.completion.chunk", "model": "small", "choices": [choice], **more})


def said(*texts: str, id: str = "r-1") -> bytes:
    return b"".join(chunk({"content": text}, id=id) for text in texts)


def claude(*payloads: dict[str, Any]) -> bytes:
    return b"".join(event(payload, payload["type"]) for payload in payloads)


ROLE = chunk({"role": "assistant", "content": ""})
STOP = chunk({}, "stop")
COUNTS = event(
    {
        "id": "r-1",
        "object": "chat.completion.chunk",
        "choices": [],
        "usage": {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13},
    }
)
DONE = event("[DONE]")
END = STOP + COUNTS + DONE

CLAUDE_START: dict[str, Any] = {
    "type": "message_start",
    "message": {
        "id": "msg_7",
        "type": "message",
        "role": "assistant",
        "model": "small",
        "content": [],
        "usage": {"input_tokens": 25, "output_tokens": 1},
    },
}
CLAUDE_BLOCK: dict[str, Any] = {
    "type": "content_block_start",
    "index": 0,
    "content_block": {"type": "text", "text": ""},
}
CLAUDE_STOP: dict[str, Any] = {"type": "content_block_stop", "index": 0}


def claude_text(text: str) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}


def claude_end(output: int = 15) -> tuple[dict[str, Any], dict[str, Any]]:
    usage = {"output_tokens": output}
    return {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": usage}, {
        "type": "message_stop"
    }


def gemini(text: str, finish: str | None = None, **more: Any) -> bytes:
    candidate = {"index": 0, "content": {"role": "model", "parts": [{"text": text}]}}
    if finish:
        candidate["finishReason"] = finish
    return event({"candidates": [candidate], "modelVersion": "gemini-small", "responseId": "g", **more})


def odd(text: bytes, constant: str) -> bytes:
    return text.replace(b'"~"', constant.encode())


def counted(usage: dict[str, Any], **more: Any) -> bytes:
    """A chat of two tokens with this usage at its end."""
    counts = event({"id": "r-1", "object": "chat.completion.chunk", "choices": [], "usage": usage, **more})
    return ROLE + said("calm", " sea") + STOP + counts + DONE
