"""Replicate's streams: ``output`` events of plain text, ``error`` events, and ``done``.

The data of ``output`` is text as it is, several lines or none included; ids are ``timestamp:number``. ``done``
carries ``{}``, or a reason when the prediction was canceled or failed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from sse_tui.dialects.base import Delta, Finish, Malformed, Meta, Resume, StreamFault, Text
from sse_tui.dialects.error_names import announces
from sse_tui.dialects.error_text import fault_in_text
from sse_tui.dialects.inband import fault_in, named
from sse_tui.dialects.payload import JsonError, decode, members, string
from sse_tui.dialects.stray_lines import StrayLines
from sse_tui.eventstream.items import Event


class Replicate(StrayLines):
    """Reads the output of one prediction."""

    name = "replicate"
    resume: ClassVar[Resume] = "last-event-id"

    def read(self, event: Event) -> Sequence[Delta]:
        """The deltas of one event."""
        if self._ended:
            return (Meta("after-end", event.data),)
        if event.type == "output":
            return (Text(event.data),) if event.data else ()
        if event.type == "done":
            return self._done(event.data)
        if announces(event.type):
            self._failed = True
            return (named(_fault(event.data), event.type),)
        if event.type == "logs":
            return (Meta("log", event.data),)
        # No event of this protocol: what a proxy put in its place.
        fault = self.fault_of(event) or fault_in_text(event.data)
        self._failed = self._failed or fault is not None
        return (fault,) if fault is not None else ()

    def _done(self, data: str) -> Sequence[Delta]:
        try:
            result = members(decode(data)) if data else {}
        except JsonError as exc:  # cut short: whether it was canceled is not known
            return (Malformed(f"not JSON: {exc}", "json"),)
        self._ended = True
        reason = string(result.get("reason"))
        if reason is None:
            return ()
        self._failed = True
        return (Finish(reason),)


def _members(data: str) -> dict[str, object]:
    try:
        return members(decode(data))
    except JsonError:
        return {}


def _fault(data: str) -> StreamFault:
    """Errors are text, or JSON with a detail."""
    fields = _members(data)
    fault = fault_in(fields, announced=True) if fields else None
    return fault or StreamFault(None, None, data or None)
