"""What all dialects share in building a streaming request, and in reading the prompt back from one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from sse_tui.dialects.base import Message, Prepared
from sse_tui.dialects.payload import JsonError, decode
from sse_tui.errors import UsageError
from sse_tui.text.nearest import did_you_mean

PARAMS = ("temperature", "top_p", "top_k", "min_p", "max_tokens", "seed", "stop")


def mapped(params: Mapping[str, Any], names: Mapping[str, str], dialect: str) -> dict[str, Any]:
    """The parameters that are set, under the provider's `names` for them; "extra" is left out.

    Raises `UsageError` for a parameter that does not exist, or that this provider has no name for: dropping
    it silently would send another request than the one that was asked for.
    """
    sent: dict[str, Any] = {}
    for name, value in params.items():
        if name == "extra":
            continue
        if name not in PARAMS:
            raise _unknown(name)
        if value is None:
            continue
        if name not in names:
            raise UsageError(
                "unsupported-parameter",
                f"{dialect} does not support the parameter {name!r}.",
                f"Remove it; {dialect} takes {', '.join(sorted(names))}.",
            )
        sent[names[name]] = value
    return sent


def _unknown(name: str) -> UsageError:
    return UsageError(
        "unknown-parameter",
        f"unknown parameter {name!r}",
        did_you_mean(name, [*PARAMS, "extra"], f"Put it under extra, or use one of {', '.join(PARAMS)}."),
    )


def post(
    url: str,
    body: dict[str, Any],
    params: Mapping[str, Any],
    *,
    headers: Sequence[tuple[str, str]] = (),
    accept: str = "text/event-stream",
) -> Prepared:
    """POST `body` as JSON after merging "extra" into it: a value replaces what is there, None removes it."""
    for name, value in (params.get("extra") or {}).items():
        if value is None:
            body.pop(name, None)
        else:
            body[name] = value
    encoded = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
    return Prepared(
        "POST", url, [("content-type", "application/json"), ("accept", accept), *headers], encoded
    )


def endpoint(base_url: str, path: str, *, drop: str = "", query: Mapping[str, str] | None = None) -> str:
    """The URL of `path` under `base_url`.

    Of a path that `base_url` already ends with, wholly or in its first segments, nothing is repeated. `drop`
    is a last segment that users give from habit and that does not belong there, such as OpenAI's ``/v1``. A
    query in `base_url` stays where it belongs; `query` is added to it.
    """
    parts = urlsplit(base_url.strip())
    base = parts.path.rstrip("/")
    if drop and base.endswith(drop):
        base = base.removesuffix(drop)
    segments = path.strip("/").split("/")
    for count in range(len(segments), 0, -1):
        shared = "/" + "/".join(segments[:count])
        if base.endswith(shared):
            base = base.removesuffix(shared)
            break
    terms = parts.query
    if query:
        terms = urlencode([*parse_qsl(parts.query, keep_blank_values=True), *query.items()])
    full = base + "/" + "/".join(quote(segment, safe=":@$-_.+!*'(),~") for segment in segments)
    return urlunsplit(parts._replace(path=full, query=terms, fragment=""))


def turns(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """The conversation as OpenAI and most others spell it."""
    return [{"role": message.role, "content": message.content} for message in messages]


def split_system(messages: Iterable[Message]) -> tuple[str | None, list[Message]]:
    """The system prompts, joined by blank lines (None without any), and the rest of the conversation."""
    system, rest = [], []
    for message in messages:
        if message.role == "system":
            system.append(message.content)
        else:
            rest.append(message)
    return ("\n\n".join(system) if system else None), rest


def plain_prompt(messages: Sequence[Message]) -> str:
    """The conversation as one text, for servers that only continue text.

    A lone user message is sent as it is, so that plain completion stays possible; a conversation becomes lines
    that start with their speaker, and ends where the assistant is to speak.
    """
    system, rest = split_system(messages)
    if len(rest) == 1 and system is None:
        return rest[0].content
    lines = [] if system is None else [system]
    lines += [f"{message.role.capitalize()}: {message.content}" for message in rest]
    return "\n\n".join([*lines, "Assistant:"])


def speaker_stop(messages: Sequence[Message]) -> dict[str, list[str]]:
    """The stop sequence for a conversation sent as plain text; without it the model continues with the user's part.

    Empty for a lone message. What the user sets goes before it.
    """
    system, rest = split_system(messages)
    return {} if len(rest) == 1 and system is None else {"stop": ["\n\nUser:"]}


def last_user(text: str) -> str:
    """The user's last words in a prompt that `plain_prompt` made; any other prompt is all theirs."""
    body, marker, _ = text.rpartition("\n\nAssistant:")
    head, user, last = body.rpartition("User: ")
    return last if marker and user and (not head or head.endswith("\n\n")) else text


def members_of(body: str) -> dict[str, Any]:
    """The members of a request body; empty when it is not a JSON object."""
    try:
        decoded = decode(body)
    except JsonError:
        return {}
    return decoded if isinstance(decoded, dict) else {}


def last_of_role(messages: Any, *, role: str = "user", content: str = "content") -> str | None:
    """The text of the last message of `role` in a decoded list of messages; None when there is none."""
    for message in reversed(messages if isinstance(messages, list) else []):
        if isinstance(message, dict) and message.get("role") == role:
            return text_of(message.get(content))
    return None


def text_of(content: Any) -> str | None:
    """The text of a message's content: a string, or the texts among a list of parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    texts = [part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str)]
    return "".join(texts) if texts else None
