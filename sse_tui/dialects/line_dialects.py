"""Bodies that are JSON lines, not an event stream, though they came where one was expected.

A parser of event streams ignores such lines (a field named ``{"model"`` is unknown), so that none would be shown.
`LineDialect` reads such a body line by line.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from sse_tui.dialects.base import Delta, Malformed, Meta, StreamFault
from sse_tui.dialects.error_names import announces
from sse_tui.dialects.inband import Setting, fault_in_unknown
from sse_tui.dialects.json_events import DONE, JsonDialect
from sse_tui.dialects.payload import JsonError, decode, kind_of
from sse_tui.eventstream.items import Event

NAME = "NDJSON, not SSE"

SPACE = " \t\r\n\x1e"  # the last is what begins the texts of a JSON text sequence (RFC 7464)


# What `_take` is given as its event: nothing of a line but its payload matters.
_LINE = Event("message", "", "", 0, 0)


class LineDialect(JsonDialect):
    """Reads one body of JSON lines."""

    line_based: ClassVar[bool] = True

    def read_ignored(self, line: str) -> Sequence[Delta]:
        """The meaning of one line, without its line end: a parser of event streams ignores it. Never raises."""
        text = line.strip(SPACE)
        if not text:
            return ()
        if text == DONE:
            return self._sentinel(text)
        if self._ended:
            return (Meta("after-end", text),)
        try:
            payload, broken = self._decoded(text)
        except JsonError as exc:
            return (Malformed(f"not JSON: {exc}", "json"), *super().read_ignored(line))
        if not isinstance(payload, dict):
            return (Malformed(f"expected an object, got {kind_of(payload)}"), *super().read_ignored(line))
        return self._payload(_LINE, payload, broken)

    def read(self, event: Event) -> Sequence[Delta]:
        """The same lines, when a proxy has wrapped them as events."""
        if announces(event.type) and (fault := self.fault_of(event)) is not None:
            return (fault,)
        return [delta for line in event.data.split("\n") for delta in self.read_ignored(line)]


class GenericLines(LineDialect):
    """JSON lines of an unknown kind: only errors are recognised."""

    name = "ndjson"
    answers = False
    _marks_end = False
    _setting: Setting = Setting.UNKNOWN

    def _take(self, event: Event, payload: dict[str, Any], deltas: list[Delta]) -> None:
        fault = fault_in_unknown(payload, self._setting)
        if "detail" not in payload:
            self._setting = Setting.OTHERS
        if fault is not None:
            self._failed = True
            deltas.append(fault)

    def _alone(self, payload: dict[str, Any]) -> StreamFault | None:
        return None


def looks_like_lines(line: str) -> bool:
    """Whether a line that the standard ignores is a whole JSON object."""
    text = line.strip(SPACE)
    if not text.startswith("{"):
        return False
    try:
        return isinstance(decode(text), dict)
    except JsonError:
        return False
