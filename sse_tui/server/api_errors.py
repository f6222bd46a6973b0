"""Errors in the form of the OpenAI API: ``{"error": {"message", "type", "param", "code"}}``."""

from __future__ import annotations

from typing import Any

import msgspec
from starlette.responses import Response

SHOWN = 80
"""How many characters of what a client sent a message repeats."""


class ApiError(Exception):
    """A request that cannot be served, or a stream that cannot continue. `extra` is added to the error object."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        kind: str = "invalid_request_error",
        param: str | None = None,
        headers: dict[str, str] | None = None,
        extra: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.kind = kind
        self.param = param
        self.headers = headers or {}
        self.extra = extra or {}

    def document(self) -> dict[str, Any]:
        """The JSON object, the same in a response's body as in a stream."""
        error = {"message": self.message, "type": self.kind, "param": self.param, "code": self.code}
        return {"error": error | self.extra}

    def response(self) -> Response:
        """The HTTP response."""
        body = msgspec.json.encode(self.document())
        return Response(body, self.status, headers=self.headers, media_type="application/json")


def unavailable(code: str, message: str, retry_after_s: int = 1) -> ApiError:
    """503, for a while: loading, shutting down, overloaded."""
    headers = {"Retry-After": str(retry_after_s)}
    return ApiError(503, code, message, kind="unavailable_error", headers=headers)


def invalid(param: str | None, message: str, code: str = "invalid_value") -> ApiError:
    """400 for the field `param` of the request."""
    return ApiError(400, code, message, param=param)


def quoted(text: str) -> str:
    """What a client sent, for a message: in quotes, and not all of a long text."""
    return repr(text if len(text) <= SHOWN else text[:SHOWN] + "...")


def from_engine(code: str, message: str) -> ApiError:
    """The API error for an engine's error."""
    if code == "prompt-too-long":
        return invalid("messages", message or "The prompt is too long.", "context_length_exceeded")
    if code == "busy":
        return unavailable("overloaded", message or "The engine is busy.")
    name = code.replace("-", "_") or "engine_error"
    if code in ("template-failed", "prompt-empty", "content-unsupported"):
        return invalid("messages", message, name)
    if code in ("engine-down", "engine-crashed"):
        return unavailable(name, message or "The engine is down.", 5)
    return ApiError(500, name, message or "The engine failed.", kind="server_error")
