"""Exceptions in Bedrock's streams: events that bear the name of an exception."""

from __future__ import annotations

from typing import Any

from sse_tui.dialects.base import StreamFault
from sse_tui.dialects.payload import count, members, string

EXCEPTIONS = (
    *("internalServerException", "modelStreamErrorException", "serviceUnavailableException"),
    *("throttlingException", "validationException", "modelTimeoutException", "modelErrorException"),
    *("modelNotReadyException", "accessDeniedException", "resourceNotFoundException"),
    *("serviceQuotaExceededException",),
)
"""The exceptions of ConverseStream and InvokeModelWithResponseStream, by their names in the API reference."""


def exception_in(name: str, payload: dict[str, Any]) -> StreamFault | None:
    """The error of an event called `name`, or of a payload that wraps it by its name; None where there is none.

    A `modelStreamErrorException` also has what the model's own server said: its status and its message.
    """
    for exception in EXCEPTIONS:
        if isinstance(payload.get(exception), dict):
            return _fault(exception, payload[exception])
    if name.lower().endswith("exception"):
        return _fault(name, payload)
    return None


def _fault(name: str, payload: dict[str, Any]) -> StreamFault:
    texts = (payload.get("message"), payload.get("Message"), payload.get("originalMessage"))
    return StreamFault(
        name, count(payload.get("originalStatusCode")), next(filter(None, map(string, texts)), None)
    )


def wrapped(payload: dict[str, Any], names: tuple[str, ...]) -> tuple[str, dict[str, Any]] | None:
    """The event that a payload wraps as its only member of these names: ``{"contentBlockDelta": {…}}``."""
    for name in names:
        if isinstance(payload.get(name), dict):
            return name, members(payload[name])
    return None
