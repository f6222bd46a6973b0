"""What an event without tokens is, in a word or two."""

from __future__ import annotations

from collections.abc import Sequence

from sse_tui.dialects.base import Delta
from sse_tui.dialects.bearing import TEXTS
from sse_tui.dialects.heartbeats import named_ping
from sse_tui.eventstream import Event


def heartbeat_form(item: Event, names: set[str], kinds: set[type]) -> str:
    """What kind of heartbeat an event is."""
    if not item.data:
        return "empty event"
    if "ping" in names or named_ping(item.type):
        return "ping event"
    return "blank chunk" if kinds & TEXTS else "empty chunk"


def label(deltas: Sequence[Delta], names: set[str]) -> str:
    """A word for an event without tokens, whose `Meta` have these names."""
    for name in ("role", "ping", "prompt_filter_results"):
        if name in names:
            return name
    return type(deltas[0]).__name__.lower() if deltas else "empty"
