"""Which responses are read as a stream: by their media type, and of JSON by the first bytes."""

from __future__ import annotations

import re

from sse_tui import fields

AWS_FRAMES = "application/vnd.amazon.eventstream"
LINE_TYPES = frozenset(
    (
        *("application/x-ndjson", "application/ndjson", "application/x-ldjson", "application/jsonl"),
        *(
            "application/x-jsonl",
            "application/jsonlines",
            "application/x-jsonlines",
            "application/json-lines",
        ),
        *("application/json-seq", "application/stream+json", "application/x-json-stream"),
        *("text/x-ndjson", "text/ndjson", "text/jsonl"),
    )
)
"""Media types of JSON lines and of JSON text sequences."""

_ARRAY_OF_OBJECTS = re.compile(rb"\s*\[\s*\{")
_OBJECT = re.compile(rb'\s*\{(?!\s*"(?:error|errors|detail)"\s*:)')
# Members that only answers of models, of MCP and of a Kubernetes watch have.
_ANSWER = re.compile(
    rb'"(?:choices|candidates|jsonrpc|stopReason|stop_reason|generated_text|outputText)"\s*:'
    rb'|"object"\s*:\s*"(?:chat\.completion|text_completion|response)\b'
    rb'|"role"\s*:\s*"assistant"|"done"\s*:\s*(?:true|false)'
    rb'|"type"\s*:\s*"(?:ADDED|MODIFIED|DELETED|BOOKMARK|ERROR)"'
)


def is_stream_type(content_type: str | None) -> bool:
    """Whether a body of this type is a stream that can be read here, though perhaps not an event stream."""
    kind = fields.essence(content_type)
    return kind in LINE_TYPES or kind in (fields.EVENT_STREAM, AWS_FRAMES)


def is_json_answer(first: bytes) -> bool:
    """Whether a JSON body with these first bytes is an answer that was asked for as a stream: an array, or an object.

    An object that reports an error instead is none.
    """
    if _ARRAY_OF_OBJECTS.match(first):
        return True
    return _OBJECT.match(first) is not None and _ANSWER.search(first) is not None
