"""Event streams of an unknown dialect: shown raw, with errors, pings and the sentinel recognised."""

from __future__ import annotations

from collections.abc import Sequence

from sse_tui.dialects.base import Delta, Dialect, Meta, StreamFault
from sse_tui.dialects.heartbeats import PINGS, heartbeat_text
from sse_tui.dialects.inband import fault_in
from sse_tui.dialects.payload import JsonError, decode
from sse_tui.eventstream.items import Event

DONE = "[DONE]"


class Generic(Dialect):
    """Gives deltas only for an in-band error, a ping and OpenAI's sentinel, which many others adopted."""

    name = "generic"
    answers = False
    sentinel = "ends"

    def read(self, event: Event) -> Sequence[Delta]:
        """In-band errors, pings and ``[DONE]``; nothing else, and never a `Malformed`."""
        data = event.data
        if data.strip() == DONE:
            self._ended = True
            return (Meta("done", DONE),)
        if event.type in PINGS or (len(data) < 256 and heartbeat_text(data)):
            return (Meta("ping", data),)
        # Decoding every payload of an unknown stream would cost much and give nothing.
        if event.type == "error" or '"error"' in data:
            return self._fault(event)
        return ()

    def _fault(self, event: Event) -> Sequence[Delta]:
        announced = event.type == "error"
        try:
            payload = decode(event.data)
        except JsonError:
            payload = None
        if not isinstance(payload, dict):
            return (StreamFault(None, None, event.data or None),) if announced else ()
        fault = fault_in(payload, announced=announced)
        return (fault,) if fault else ()

    @property
    def complete(self) -> bool | None:
        """None: unknown without a dialect."""
        return None
