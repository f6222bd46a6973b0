"""Streams of events that are not a model's answers: Mercure hubs and Wikimedia's EventStreams.

They have no end: servers close them after a while and clients reconnect with ``Last-Event-ID``. The payloads
are the publishers' own and are passed on unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from sse_tui.dialects.base import Delta, Malformed, Meta, Resume
from sse_tui.dialects.error_names import announces
from sse_tui.dialects.payload import JsonError, decode, kind_of, members
from sse_tui.dialects.stray_lines import StrayLines
from sse_tui.eventstream.items import Event


class Mercure(StrayLines):
    """Reads the updates of a hub. Ids are mandatory there: without them nothing can be resumed."""

    name = "mercure"
    answers = False
    resume: ClassVar[Resume] = "last-event-id"
    _marks_end = False

    def read(self, event: Event) -> Sequence[Delta]:
        """The update as "data"; an event without an id breaks the protocol, and may be the hub's own error."""
        if not event.id and announces(event.type) and (fault := self.fault_of(event)) is not None:
            return (fault,)
        if not event.id:
            return (
                Malformed("an update without an id: a Mercure hub must send one"),
                Meta("data", event.data),
            )
        return (Meta("data", event.data),)


class Wikimedia(StrayLines):
    """Reads recent changes and the like. Ids are JSON arrays of topic, partition and offset or timestamp."""

    name = "wikimedia"
    answers = False
    resume: ClassVar[Resume] = "last-event-id"
    _marks_end = False

    def read(self, event: Event) -> Sequence[Delta]:
        """The event's payload as "data"; canary events, which only prove that a topic lives, as pings."""
        if not event.data:
            return (Meta("ping", ""),)
        if announces(event.type) and (fault := self.fault_of(event)) is not None:
            return (fault,)
        try:
            payload = decode(event.data)
        except JsonError as exc:
            return (Malformed(f"not JSON: {exc}", "json"),)
        if not isinstance(payload, dict):
            return (Malformed(f"expected an object, got {kind_of(payload)}"),)
        if members(payload.get("meta")).get("domain") == "canary":
            return (Meta("ping", event.data),)
        return (Meta("data", payload),)
