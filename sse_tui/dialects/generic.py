"""Event streams of an unknown dialect: shown raw, with errors, pings and the sentinel recognised."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sse_tui.dialects.base import Delta, Meta, StreamFault
from sse_tui.dialects.error_fields import EMPTY
from sse_tui.dialects.error_names import announces
from sse_tui.dialects.error_text import fault_in_text
from sse_tui.dialects.heartbeats import PINGS, heartbeat_text
from sse_tui.dialects.inband import Setting, fault_behind, fault_in_any, fault_in_unknown, may_report, named
from sse_tui.dialects.payload import JsonError, decode
from sse_tui.dialects.stray_lines import StrayLines
from sse_tui.eventstream.items import Event

DONE = "[DONE]"

_SMALL = 512
"""Characters; of what is longer only the word shows whether it can be an error: decoding it all would cost much."""


class Generic(StrayLines):
    """Gives deltas only for an in-band error, a ping and OpenAI's sentinel, which many others adopted."""

    name = "generic"
    answers = False
    sentinel = "ends"

    _begun: bool = False
    _setting: Setting = Setting.UNKNOWN

    def read(self, event: Event) -> Sequence[Delta]:
        """In-band errors, pings and ``[DONE]``; nothing else, and never a `Malformed`."""
        data = event.data
        if self._ended and data:
            return (Meta("after-end", data),)
        if len(data) < 16 and data.strip() == DONE:
            self._ended = True
            return (Meta("done", DONE),)
        if event.type in PINGS or (len(data) < 256 and heartbeat_text(data)):
            return (Meta("ping", data),)
        if event.type != "message" and announces(event.type):
            return (self._announced(event),)
        if not data:
            return ()
        if data[:1] == "{" or data.startswith('[{"error"'):
            fault = self._in_object(data)
            self.json_due = self.json_due or not self._begun
        else:
            # In a stream of texts an error may be one of them, unless it is the first and a status line.
            fault = fault_in_text(data, exact=not self.json_due) if self.json_due or not self._begun else None
            self.json_due = self.json_due and fault is not None
        self._begun = True
        return (fault,) if fault is not None else ()

    def _in_object(self, data: str) -> StreamFault | None:
        if len(data) > _SMALL and not ("rror" in data or "RROR" in data or "xception" in data):
            self._setting = Setting.OTHERS
            return None
        payload = _object(data)
        if not payload:
            return fault_behind(data) if data[:1] == "{" else _in_list(data)
        fault = fault_in_unknown(payload, self._setting) if may_report(payload) else None
        if "detail" not in payload:
            self._setting = Setting.OTHERS
        return fault

    def _announced(self, event: Event) -> StreamFault:
        payload = _object(event.data)
        fault = fault_in_unknown(payload, announced=True) if payload else None
        fault = (
            fault
            or fault_behind(event.data)
            or StreamFault(None, None, None if event.data.lower() in EMPTY else event.data)
        )
        return named(fault, event.type)

    @property
    def complete(self) -> bool | None:
        """None: unknown without a dialect."""
        return None


def _object(data: str) -> dict[str, Any]:
    try:
        payload = decode(data)
    except JsonError:
        return {}
    return payload if isinstance(payload, dict) else {}


def _in_list(data: str) -> StreamFault | None:
    try:
        return fault_in_any(decode(data))
    except JsonError:
        return None
