"""Chat completion chunks that a gateway nests in an object of its own: ``{"code": 0, "data": {"choices": [...]}}``."""

from __future__ import annotations

from typing import Any

from sse_tui.dialects.payload import JsonError, decode

_MEMBERS = ("data", "chunk", "output", "result", "response", "body", "payload", "completion")


def unwrapped(payload: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """The object with ``choices`` in a payload, and the member that it stands in: "" where nothing is nested.

    What stands beside the nested object and is missing in it (usage, an error) counts as its own.
    """
    if "choices" in payload:
        return payload, ""
    for name in _MEMBERS:
        inner = payload.get(name)
        if isinstance(inner, str) and '"choices"' in inner:
            inner = _decoded(inner)
        if isinstance(inner, dict) and isinstance(inner.get("choices"), list):
            beside = {key: value for key, value in payload.items() if key != name}
            return {**beside, **inner}, name
    if "is_end" in payload and isinstance(payload.get("result"), str):
        return _of_ernie(payload), ""
    return payload, ""


def _of_ernie(payload: dict[str, Any]) -> dict[str, Any]:
    """Baidu's chunk, ``{"result": "…", "is_end": false}``, which calls itself a chat completion."""
    reason = payload.get("finish_reason") or ("length" if payload.get("is_truncated") else "normal")
    choice = {
        "index": 0,
        "delta": {"content": payload["result"]},
        "finish_reason": reason if payload["is_end"] else None,
    }
    return {**payload, "choices": [choice]}


def _decoded(text: str) -> Any:
    """The value of JSON within a string, None where it is none."""
    try:
        return decode(text)
    except JsonError:
        return None
