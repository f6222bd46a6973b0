"""What an event does for the answer: the one place that decides which deltas are tokens.

A token is text, reasoning, a refusal or a piece of a tool call that is not empty. Text of nothing but invisible
characters is no token: servers send it to keep a connection alive.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import Any

from sse_tui.dialects.base import Delta, Meta, Progress, Reasoning, Refusal, Text, ToolCall


class Bearing(IntEnum):
    """What an event does for the answer, the least first. From `REASONING` on it has tokens."""

    NONE = 0  # names, usage, a finish reason
    BEAT = 1  # a heartbeat: it only keeps the connection alive
    WORK = 2  # the server gets on, but not with the answer's own text: its prompt, a tool that it runs itself
    BLANK = 3  # white space alone: text or heartbeat, which the pace shows
    REASONING = 4
    VISIBLE = 5


ZERO_WIDTH = "\u00ad\u180e\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\ufeff"
_UNSEEN = frozenset(ZERO_WIDTH + " \t\n\r\v\f\u0085\u00a0\u2028\u2029\u3000")
nothing_seen = _UNSEEN.issuperset
"""Whether a text is only white space and invisible characters; it looks no further than the first other one."""

TEXTS = frozenset({Text, Reasoning, Refusal})
"""The deltas that hold text."""

# What a server that runs tools itself, or gets on otherwise, reports beside the text.
_WORK = frozenset(
    (
        *("server_tool_call", "server_tool_result", "tool_status", "executed_tools", "code", "citation"),
        *("progress", "log", "data", "file", "grounding", "redacted_thinking", "signature", "compaction"),
        *("tool_plan", "jsonrpc", "watch", "endpoint", "fallback"),
    )
)

_NONE, _BEAT, _WORKS = Bearing.NONE, Bearing.BEAT, Bearing.WORK
_BLANK, _REASONING, _VISIBLE = Bearing.BLANK, Bearing.REASONING, Bearing.VISIBLE


def _of_text(text: str, seen: Bearing) -> Bearing:
    if not nothing_seen(text):
        return seen
    return _BLANK if text.strip(ZERO_WIDTH) else _NONE


def _of_call(call: ToolCall) -> Bearing:
    return _VISIBLE if call.arguments or call.name else _NONE


# What is part of the answer's own output, though not text: sound, and the tags around reasoning.
_OUTPUT = {"audio": _VISIBLE, "tag": _REASONING}


def _of_meta(meta: Meta) -> Bearing:
    if meta.name in _OUTPUT:
        return _OUTPUT[meta.name]
    return _BEAT if meta.name == "ping" else _WORKS if meta.name in _WORK else _NONE


_BY_KIND: dict[type, Callable[[Any], Bearing]] = {
    Text: lambda delta: _of_text(delta.text, _VISIBLE),
    Refusal: lambda delta: _of_text(delta.text, _VISIBLE),
    Reasoning: lambda delta: _of_text(delta.text, _REASONING),
    ToolCall: _of_call,
    Progress: lambda delta: _WORKS,
    Meta: _of_meta,
}


def bearing_of(deltas: Sequence[Delta]) -> Bearing:
    """What an event with these deltas does for the answer: the most that any of them does."""
    most = _NONE
    for delta in deltas:
        weigh = _BY_KIND.get(type(delta))
        if weigh is not None:
            bearing = weigh(delta)
            if bearing > most:
                most = bearing
    return most


def is_empty(deltas: Sequence[Delta]) -> bool:
    """Whether these are the deltas of a chunk without content: none, or text that nobody sees."""
    return all(type(delta) in TEXTS and nothing_seen(delta.text) for delta in deltas)  # type: ignore[union-attr]
