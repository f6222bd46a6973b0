"""Bodies that are JSON lines, not an event stream, though they came where one was expected.

A parser of event streams ignores such lines (a field named ``{"model"`` is unknown), so that none would be shown.
`LineDialect` reads such a body line by line.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from sse_tui.dialects.base import Delta, Malformed, Meta
from sse_tui.dialects.json_events import JsonDialect
from sse_tui.dialects.payload import JsonError, decode, kind_of
from sse_tui.eventstream.items import Event

NAME = "NDJSON, not SSE"

_SPACE = " \t\r\n\x1e"  # the last is what begins the texts of a JSON text sequence (RFC 7464)


def as_event(line: str) -> Event:
    """The event whose payload a line would be."""
    return Event("message", line.strip(_SPACE), "", 0, 0)


class LineDialect(JsonDialect):
    """Reads one body of JSON lines."""

    line_based: ClassVar[bool] = True

    def read_ignored(self, line: str) -> Sequence[Delta]:
        """The meaning of one line, without its line end: a parser of event streams ignores it. Never raises."""
        event = as_event(line)
        if not event.data:
            return ()
        if self._ended:
            return (Meta("after-end", event.data),)
        try:
            payload = decode(event.data)
        except JsonError as exc:
            return (Malformed(f"not JSON: {exc}", "json"),)
        if not isinstance(payload, dict):
            return (Malformed(f"expected an object, got {kind_of(payload)}"),)
        deltas: list[Delta] = []
        self._take(event, payload, deltas)
        return deltas

    def read(self, event: Event) -> Sequence[Delta]:
        """The same lines, when a proxy has wrapped them as events."""
        return [delta for line in event.data.split("\n") for delta in self.read_ignored(line)]

    def _take(self, event: Event, payload: dict[str, Any], deltas: list[Delta]) -> None:
        """Add the deltas of one line's object: only errors where its kind is unknown."""
        self._fault(payload, deltas)


class GenericLines(LineDialect):
    """JSON lines of an unknown kind: only errors are recognised."""

    name = "ndjson"
    answers = False
    _marks_end = False


def looks_like_lines(line: str) -> bool:
    """Whether a line that the standard ignores is a whole JSON object."""
    text = line.strip(_SPACE)
    if not text.startswith("{"):
        return False
    try:
        return isinstance(decode(text), dict)
    except JsonError:
        return False
