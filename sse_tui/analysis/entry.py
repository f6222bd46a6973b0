"""One line of the wire log: an item of the event stream, or a record that is not a read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sse_tui.dialects.base import (
    Delta,
    Finish,
    Malformed,
    Meta,
    Progress,
    Reasoning,
    Refusal,
    StreamFault,
    Text,
    ToolCall,
    Usage,
)
from sse_tui.dialects.bearing import Bearing
from sse_tui.eventstream import Comment, Event, Ignored, Item, NoData, Retry, Tail
from sse_tui.recording.records import Record

Span: TypeAlias = tuple[int, int]

ITEM_KINDS: dict[type, str] = {
    Event: "event",
    Comment: "comment",
    Retry: "retry",
    Ignored: "ignored",
    NoData: "no-data",
    Tail: "tail",
}

# The most telling first.
_LABELS: list[tuple[type, str]] = [
    (StreamFault, "error"),
    (Malformed, "malformed"),
    (ToolCall, "tool"),
    (Text, "token"),
    (Refusal, "refusal"),
    (Reasoning, "reasoning"),
    (Finish, "finish"),
    (Usage, "usage"),
    (Progress, "progress"),
]


@dataclass(slots=True)
class Entry:
    """What the wire log, ``tail --json`` and the panes are made of.

    `kind` is "event", "comment", "retry", "ignored", "no-data", "tail", or the kind of `record` (request, phase,
    response, fault, close, reconnect, note, end). `t` is ns since the session's start, None where the recording has
    no clock. `read` numbers the reads of the session from 1 (0 for records): entries with the same `read` share a
    stamp. `number` counts the dispatched events of the connection from 1, as a fault's ``event=N`` does. `gap_ms` is
    the time since the previous event of the connection, None for the first one and for events of one read, whose gap
    cannot be observed. `span` is the part of the turn's transcript that this event wrote. `repeat` marks an event
    that a resumed connection sent again and that was left out of the answer. `bearing` is what it does for the answer.
    """

    kind: str
    t: int | None
    turn: int
    conn: int
    item: Item | None = None
    record: Record | None = None
    deltas: Sequence[Delta] = ()
    read: int = 0
    number: int = 0
    gap_ms: float | None = None
    same_read: bool = False
    span: Span | None = None
    repeat: bool = False
    bearing: Bearing = Bearing.NONE

    @property
    def label(self) -> str:
        """What kind of event it is to a person: the most telling of its deltas by name, else its kind."""
        if self.bearing is Bearing.BEAT:
            return "ping"
        if not self.deltas:
            return self.kind
        kinds = {type(delta) for delta in self.deltas}
        for kind, label in _LABELS:
            if kind in kinds:
                return label
        names = {delta.name for delta in self.deltas if isinstance(delta, Meta)}
        return next((name for name in ("done", "role", "ping") if name in names), "event")
