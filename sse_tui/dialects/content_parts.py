"""Content that is a list of typed parts, and reasoning under its many names: what of it is text, and of which kind.

OpenAI's and its followers' ``{"type": "text" | "output_text" | "refusal" | "image_url" ...}``, Mistral's ``thinking``
with a list of its own, Anthropic's ``thinking`` blocks, LangChain's parts, ``summary`` lists, ``reasoning_details``.
What has no text (images, files, references) gives nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from sse_tui.dialects.base import Reasoning, Refusal, Text

Kind: TypeAlias = type[Text] | type[Reasoning] | type[Refusal]

_DEPTH = 4  # lists in lists that are followed

_KINDS: dict[str, Kind] = {
    **dict.fromkeys(("text", "output_text", "text_delta", "string", "markdown"), Text),
    **dict.fromkeys(
        (
            *("thinking", "thinking_delta", "thought", "thought_summary", "reasoning", "reasoning_content"),
            *("reasoning_text", "reasoning_summary", "summary_text", "reasoning.text", "reasoning.summary"),
        ),
        Reasoning,
    ),
    "refusal": Refusal,
}

_MEMBERS: dict[Kind, tuple[str, ...]] = {
    Text: ("text", "output_text", "content"),
    Reasoning: ("text", "thinking", "reasoning", "reasoning_content", "summary", "content"),
    Refusal: ("refusal", "text"),
}

# Parts without a type, as LangChain passes some on, are told by their member.
_UNTYPED: tuple[tuple[str, Kind], ...] = (("text", Text), ("thinking", Reasoning), ("reasoning", Reasoning))

REASONING = (
    *("reasoning_content", "reasoning", "reasoning_details", "thinking", "thinking_blocks", "reasoning_text"),
    *("reasoning_summary", "thought"),
)
"""The members under which a message or a delta has its reasoning; servers repeat the same text under several."""


def pieces_of(content: list[Any]) -> Iterator[tuple[Kind, str]]:
    """The texts of a list of parts, in order."""
    for part in content:
        if isinstance(part, str):
            if part:
                yield Text, part
            continue
        if not isinstance(part, dict):
            continue
        name = part.get("type")
        kind = _KINDS.get(name) if isinstance(name, str) else None
        if kind is None:
            members = _UNTYPED if name is None or isinstance(part.get("text"), str) else ()
            kind = next((kind for member, kind in members if part.get(member)), None)
        if kind is not None and (text := _first(part, _MEMBERS[kind], 0)):
            yield kind, text


def reasoning_in(fields: Mapping[str, Any]) -> str:
    """The reasoning of a delta or a message, from the first member that has any."""
    return next((text for name in REASONING if (text := _flat(fields.get(name), 0))), "")


def _first(part: Mapping[str, Any], names: tuple[str, ...], depth: int) -> str:
    return next((text for name in names if (text := _flat(part.get(name), depth))), "")


def _flat(value: Any, depth: int) -> str:
    """The text in a string, in an object, or in a list of either."""
    if isinstance(value, str):
        return value
    if depth >= _DEPTH:
        return ""
    if isinstance(value, dict):
        return _first(value, ("value", *_MEMBERS[Reasoning]), depth + 1)
    if isinstance(value, list):
        return "".join(_flat(item, depth + 1) for item in value)
    return ""
