"""Heartbeats that are sent as events: how their types, payloads and bare words are spelled in the wild.

The standard's own heartbeat is a comment; servers whose clients reset their timers on events send one of these instead.
"""

from __future__ import annotations

from typing import Any

from sse_tui.dialects.payload import JsonError, decode

PINGS = frozenset({"ping", "keepalive", "keep-alive", "heartbeat", "heart-beat", "noop", "no-op"})
"""What an event's type, or a payload's kind, says of a heartbeat, in lower case and with hyphens."""

_LONGEST = max(map(len, PINGS))

_KINDS = ("type", "event", "kind", "object", "status", "action", "op")
_FEW_MEMBERS = 3  # a heartbeat named by a member of its own has at most a time and a number beside it
_SHORT = 256  # characters; no heartbeat is longer, so that longer payloads need no look
_ENDS = ('ing"', 'alive"', 'beat"', 'op"')  # of all names in a payload


def named_ping(name: Any) -> bool:
    """Whether an event's type, or the name of a payload's kind, is that of a heartbeat."""
    if type(name) is not str or len(name) > _LONGEST:
        return False
    return name in PINGS or name.lower().replace("_", "-") in PINGS


def is_heartbeat(payload: dict[str, Any]) -> bool:
    """Whether a payload is only a heartbeat: ``{"type": "ping"}`` and the like, or ``{"heartbeat": 17}``."""
    for kind in _KINDS:  # without a generator: this is done for every short payload
        if kind in payload and named_ping(payload[kind]):
            return True
    return 0 < len(payload) <= _FEW_MEMBERS and any(map(named_ping, payload))


def heartbeat_text(data: str) -> bool:
    """Whether the data of an event, whatever its dialect, is a heartbeat: such a payload, or a bare word."""
    if len(data) > _SHORT or not data:
        return False
    if data[0] == "{":
        lowered = data.lower()
        if not any(end in lowered for end in _ENDS):
            return False
        try:
            payload = decode(data)
        except JsonError:
            return False
        return isinstance(payload, dict) and is_heartbeat(payload)
    return named_ping(data.strip(" :\t\"'"))
