"""The rule about deltas that hold all the text so far instead of what is new."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sse_tui.bounded import NAME_LENGTH
from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.growth import Growth
from sse_tui.diagnosis.registry import CLOSE, EVENT, UNDERSTOOD, Occurrence, also, rule
from sse_tui.dialects.base import Reasoning, Refusal, Text, ToolCall
from sse_tui.dialects.payload import JsonError, decode
from sse_tui.eventstream import Event, Ignored, Tail
from sse_tui.recording.records import Close
from sse_tui.text.wording import many

_SHOWN = 200  # characters of the text that is meant
_UNKNOWN = 16  # events of an unknown dialect that are looked at
_UNMISTAKABLE = 12  # characters; what grows in fewer may be a number
_DEPTH = 3
_MEMBERS = 32


@rule(
    "warning",
    *UNDERSTOOD,
    advice="In the server, send only what is new in each delta (DashScope: incremental_output=true); in the client, "
    "replace the text instead of appending to it.",
    reference="QwenLM/qwen-code#3896; swuecho/chat#687; tashfeenahmed/freellmapi#1007",
)
def cumulative_text(_: Event | Ignored | Tail, facts: Facts) -> Occurrence | None:
    """Each delta begins with all the text before it: clients that append deltas show the text many times over."""
    turn = facts.turn
    for delta in facts.entry.deltas:
        if isinstance(delta, Text | Reasoning | Refusal):
            key, piece = (type(delta).__name__, delta.index, delta.part), delta.text
        elif isinstance(delta, ToolCall):
            key, piece = ("ToolCall", delta.index, delta.slot), delta.arguments
        else:
            continue
        growth = turn.growths.get(key)
        if growth is None:
            growth = Growth("delta")
            turn.growths.put(key, growth)
        if growth.add(piece) and turn.cumulative is None:
            turn.cumulative = growth
            return _said(growth)
    return None


@also("cumulative-text", EVENT)
def cumulative_members(event: Event, facts: Facts) -> Occurrence | None:
    """The same in streams of an unknown dialect: the data, or a member of its JSON, grows by what is new."""
    turn = facts.turn
    if turn.known or not event.data or (turn.cumulative is None and facts.conn.events >= _UNKNOWN):
        return None
    for path, piece in _strings(event.data):
        key = path, 0, 0
        growth = turn.growths.get(key)
        if growth is None:
            if facts.conn.events:
                continue  # what was not there from the beginning
            growth = Growth(f"event's {path!r}" if path else "event's data", _UNMISTAKABLE)
            turn.growths.put(key, growth)
        if growth.add(piece) and turn.cumulative is None:
            turn.cumulative = growth
            return _said(growth)._replace(severity="info")
    return None


def _strings(data: str) -> Iterator[tuple[str, str]]:
    """The strings in a payload by path, or the payload itself where it is not JSON."""
    try:
        payload = decode(data)
    except JsonError:
        payload = data
    members = 0
    nodes: list[tuple[str, Any, int]] = [("", payload, 0)]
    while nodes and members < _MEMBERS:
        path, value, depth = nodes.pop()
        if isinstance(value, str):
            members += 1
            yield path[:NAME_LENGTH], value
        elif isinstance(value, dict) and depth < _DEPTH:
            nodes += [(f"{path}.{name}" if path else name, inner, depth + 1) for name, inner in value.items()]


@also("cumulative-text", CLOSE)
def all_of_it(_: Close, facts: Facts) -> Occurrence | None:
    """The whole text is known by then."""
    growth = facts.turn.cumulative
    return _said(growth)._replace(amend=True) if growth is not None and growth.text else None


def _said(growth: Growth) -> Occurrence:
    more = "..." if len(growth.text) > _SHOWN else ""
    return Occurrence(
        f"Each {growth.what} begins with all the text before it: it is cumulative. Read so, the text is "
        f"{growth.text[:_SHOWN]!r}{more}, {many(len(growth.text), 'character')}; a client that appends the "
        f"{growth.pieces:,} pieces shows {many(growth.appended, 'character')}.",
        evidence={"text": growth.text, "pieces": growth.pieces, "appended": growth.appended},
    )
