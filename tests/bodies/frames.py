"""An encoder of AWS event stream frames, and Bedrock's streams in them."""

from __future__ import annotations

import base64
import json
import struct
import uuid
import zlib
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

_WRITERS: dict[type, Callable[[Any], bytes]] = {
    bool: lambda value: bytes([0 if value else 1]),
    int: lambda value: b"\x05" + struct.pack(">q", value),
    bytes: lambda value: b"\x06" + struct.pack(">H", len(value)) + value,
    str: lambda value: b"\x07" + struct.pack(">H", len(value.encode())) + value.encode(),
    datetime: lambda value: b"\x08" + struct.pack(">q", int(value.timestamp() * 1000)),
    uuid.UUID: lambda value: b"\x09" + value.bytes,
}


def header(name: str, value: Any) -> bytes:
    """One header; of whole numbers the largest type."""
    return raw_header(name, _WRITERS[type(value)](value))


def raw_header(name: str, value: bytes) -> bytes:
    """One header with this type and value."""
    return bytes([len(name.encode())]) + name.encode() + value


def frame(payload: bytes = b"", headers: Mapping[str, Any] | bytes = b"") -> bytes:
    """One frame with right checksums."""
    given = headers if isinstance(headers, bytes) else b"".join(header(*pair) for pair in headers.items())
    prelude = struct.pack(">II", 16 + len(given) + len(payload), len(given))
    body = prelude + struct.pack(">I", zlib.crc32(prelude)) + given + payload
    return body + struct.pack(">I", zlib.crc32(body))


def event(kind: str, payload: Any) -> bytes:
    """One event with a JSON payload."""
    headers = {":event-type": kind, ":content-type": "application/json", ":message-type": "event"}
    return frame(json.dumps(payload, ensure_ascii=False).encode(), headers)


def exception(kind: str, message: str, **more: Any) -> bytes:
    """An exception that the service's model knows."""
    headers = {":exception-type": kind, ":content-type": "application/json", ":message-type": "exception"}
    return frame(json.dumps({"message": message, **more}).encode(), headers)


def failure(code: str, message: str) -> bytes:
    """An error that the service's model does not know."""
    return frame(b"", {":message-type": "error", ":error-code": code, ":error-message": message})


def invoked(payload: Any) -> bytes:
    """A payload of a model, as InvokeModelWithResponseStream wraps it."""
    text = base64.b64encode(json.dumps(payload).encode()).decode()
    return event("chunk", {"bytes": text, "p": "abcdefgh"})


def delta(text: str, index: int = 0) -> bytes:
    """A piece of text in ConverseStream."""
    return event("contentBlockDelta", {"contentBlockIndex": index, "delta": {"text": text}, "p": "ab"})


START = event("messageStart", {"role": "assistant", "p": "abc"})
BLOCK_STOP = event("contentBlockStop", {"contentBlockIndex": 0})
STOP = event("messageStop", {"stopReason": "end_turn"})
USAGE = {"inputTokens": 3, "outputTokens": 2, "totalTokens": 5, "cacheReadInputTokens": 1}
METADATA = event("metadata", {"usage": USAGE, "metrics": {"latencyMs": 120}})
CONVERSE = START + delta("Hel") + delta("lo") + BLOCK_STOP + STOP + METADATA
"""A healthy answer."""
