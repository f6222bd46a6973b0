"""Streams of answers as the providers send them, for tests of how they end."""

from __future__ import annotations

import json
from typing import Any

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


def responses(*pieces: str, status: str | None = "completed", **more: Any) -> bytes:
    """A response with its text, and its terminal event where `status` is not None."""
    created = {
        "type": "response.created",
        "response": {"id": "resp_5", "model": "some-model", "status": "in_progress"},
    }
    payloads: list[dict[str, Any]] = [created]
    payloads += [
        {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": piece}
        for piece in pieces
    ]
    if status is not None:
        payloads.append(
            {"type": f"response.{status}", "response": {"id": "resp_5", "status": status, **more}}
        )
    return b"".join(
        event({**payload, "sequence_number": number}, payload["type"])
        for number, payload in enumerate(payloads)
    )


def cohere(*pieces: str, reason: str | None = "COMPLETE") -> bytes:
    payloads: list[dict[str, Any]] = [
        {"type": "message-start", "id": "co-1", "delta": {"message": {"role": "assistant"}}}
    ]
    payloads += [
        {"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": piece}}}}
        for piece in pieces
    ]
    if reason is not None:
        payloads.append({"type": "message-end", "delta": {"finish_reason": reason}})
    return b"".join(event(payload, payload["type"]) for payload in payloads)


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
