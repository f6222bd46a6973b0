"""Errors that servers report inside a stream whose status was already 200, in the forms that are in use.

- ``{"error": {"type", "code", "message"}}``: OpenAI and most others, also as an ``event: error`` (Anthropic,
  Groq)
- ``{"error": "text", "error_type": "kind"}``: Text Generation Inference; only "error" with Ollama
- ``{"object": "error", "type", "code", "message"}``: older vLLM
- ``event: error`` with the fields at the top, or with plain text
"""

from __future__ import annotations

from typing import Any

from sse_tui.dialects.base import StreamFault
from sse_tui.dialects.payload import compact, string


def fault_in(payload: dict[str, Any], *, announced: bool = False) -> StreamFault | None:
    """The error that `payload` reports, or None. `announced`: its event's type was ``error``.

    Fields that the payload does not give are None; an empty `error` (null, "", {}) reports nothing, as in the
    SDKs.
    """
    error = payload.get("error")
    if isinstance(error, dict) and error:
        return _from_fields(error)
    if isinstance(error, str) and error:
        return _from_text(error, payload)
    if error:
        return StreamFault(None, None, compact(error))
    if payload.get("object") == "error":
        return _from_fields(payload)
    if announced:
        return _from_announced(payload)
    return None


def _from_fields(fields: dict[str, Any]) -> StreamFault:
    message = fields.get("message")
    return StreamFault(
        string(fields.get("type")),
        _code(fields.get("code")),
        message if message is None or isinstance(message, str) else compact(message),
    )


def _from_text(error: str, payload: dict[str, Any]) -> StreamFault:
    kind = string(payload.get("error_type"))
    message = string(payload.get("message"))
    if message is None:
        return StreamFault(kind, _code(payload.get("code")), error)
    return StreamFault(kind, error, message)  # {"error": "rate_limited", "message": "slow down"}


def _from_announced(payload: dict[str, Any]) -> StreamFault:
    fault = _from_fields(payload)
    if fault.type == "error":  # the event's own name, not the kind of error
        fault = fault._replace(type=None)
    if fault.message is not None:
        return fault
    said = string(payload.get("detail")) or string(payload.get("errorText")) or compact(payload)
    return fault._replace(message=said)


def _code(value: Any) -> str | int | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return compact(value)
