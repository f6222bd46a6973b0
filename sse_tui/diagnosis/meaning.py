"""What an event's deltas amount to, for counting and naming events."""

from __future__ import annotations

from collections.abc import Sequence

from sse_tui.dialects.base import Delta, Meta, Reasoning, Refusal, Text, ToolCall
from sse_tui.eventstream import Event

PLAIN = frozenset({Text, Reasoning})
"""The deltas of the usual event in a model's answer."""


def tokens_and_kinds(deltas: Sequence[Delta]) -> tuple[bool, set[type]]:
    """Whether any of the deltas adds to the answer, and which kinds there are."""
    tokens = False
    for delta in deltas:
        if isinstance(delta, Text | Reasoning | Refusal):
            tokens = tokens or bool(delta.text)
        elif isinstance(delta, ToolCall):
            tokens = tokens or bool(delta.arguments or delta.name)
    return tokens, {type(delta) for delta in deltas}


def is_beat_or_end(item: Event, deltas: Sequence[Delta]) -> bool:
    """Whether the event is a heartbeat or the end marker: nobody resumes after those, so they need no id."""
    return item.type == "ping" or any(isinstance(d, Meta) and d.name in ("ping", "done") for d in deltas)


def label(deltas: Sequence[Delta]) -> str:
    """A word for an event without tokens."""
    names = [delta.name for delta in deltas if isinstance(delta, Meta)]
    for name in ("role", "ping", "prompt_filter_results"):
        if name in names:
            return name
    return type(deltas[0]).__name__.lower() if deltas else "empty"
