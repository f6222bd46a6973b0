"""The request for a streamed chat completion, and what a recorded one asked."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from sse_tui.dialects.base import Message, Prepared
from sse_tui.dialects.payload import JsonError, decode
from sse_tui.errors import UsageError

PARAMS = ("temperature", "top_p", "top_k", "min_p", "max_tokens", "seed", "stop")

_PATH = "/chat/completions"


def prepare(base_url: str, model: str, messages: Sequence[Message], params: Mapping[str, Any]) -> Prepared:
    """POST to ``{base_url}/chat/completions``; a query in `base_url` (Azure's api-version) stays where it
    belongs.

    `params` are those of `PARAMS`, where None means "not sent", and "extra": a mapping merged into the body
    last, whose values replace what is there and whose None removes it. Raises `UsageError` on any other name.
    """
    body: dict[str, Any] = {
        "model": model,
        "messages": [{"role": message.role, "content": message.content} for message in messages],
        "stream": True,
        # Without it most servers send no token counts, and speed could only be guessed from the number of
        # chunks.
        "stream_options": {"include_usage": True},
    }
    for name, value in params.items():
        if name == "extra":
            continue
        if name not in PARAMS:
            raise _unknown(name)
        if value is not None:
            body[name] = value
    for name, value in (params.get("extra") or {}).items():
        if value is None:
            body.pop(name, None)
        else:
            body[name] = value
    headers = [("content-type", "application/json"), ("accept", "text/event-stream")]
    encoded = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
    return Prepared("POST", _url(base_url), headers, encoded)


def _url(base_url: str) -> str:
    parts = urlsplit(base_url.strip())
    path = parts.path.rstrip("/")
    if not path.endswith(_PATH):
        path += _PATH
    return urlunsplit(parts._replace(path=path, fragment=""))


def _unknown(name: str) -> UsageError:
    near = difflib.get_close_matches(name, [*PARAMS, "extra"], n=1)
    return UsageError(
        "unknown-parameter",
        f"A chat request has no parameter {name!r} here.",
        f"Did you mean {near[0]!r}?" if near else f"Put it under extra, or use one of {', '.join(PARAMS)}.",
    )


def prompt_of(body: str) -> str | None:
    """The text of the last message of the user in a request body; None when there is none."""
    try:
        request = decode(body)
    except JsonError:
        return None
    messages = request.get("messages") if isinstance(request, dict) else None
    for message in reversed(messages if isinstance(messages, list) else []):
        if isinstance(message, dict) and message.get("role") == "user":
            return _text_of(message.get("content"))
    return None


def _text_of(content: Any) -> str | None:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    texts = [part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str)]
    return "".join(texts) if texts else None
