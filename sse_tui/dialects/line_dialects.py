"""Bodies that are JSON lines, not an event stream, though they came where one was expected.

A parser of event streams ignores such lines (a field named ``{"model"`` is unknown), so that none would be shown.
`LineDialect` reads such a body line by line.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from sse_tui.dialects.base import Delta, Dialect, Malformed, Meta
from sse_tui.dialects.inband import fault_in
from sse_tui.dialects.payload import JsonError, decode, kind_of
from sse_tui.eventstream.items import Event

NAME = "NDJSON, not SSE"


class LineDialect(Dialect):
    """Reads one body of JSON lines."""

    line_based: ClassVar[bool] = True

    def __init__(self) -> None:
        self._ended = False
        self._failed = False

    def read_line(self, line: str) -> Sequence[Delta]:
        """The meaning of one line, without its line end. Never raises."""
        text = line.strip(" \t\r\n\x1e")
        if not text:
            return ()
        if self._ended:
            return (Meta("after-end", text),)
        try:
            payload = decode(text)
        except JsonError as exc:
            return (Malformed(f"not JSON: {exc}", "json"),)
        if not isinstance(payload, dict):
            return (Malformed(f"expected an object, got {kind_of(payload)}"),)
        deltas: list[Delta] = []
        self._take(payload, deltas)
        return deltas

    def read_ignored(self, line: str) -> Sequence[Delta]:
        """A line of the body, which a parser of event streams ignores."""
        return self.read_line(line)

    def read(self, event: Event) -> Sequence[Delta]:
        """The same lines, when a proxy has wrapped them as events."""
        return [delta for line in event.data.split("\n") for delta in self.read_line(line)]

    @abstractmethod
    def _take(self, payload: dict[str, object], deltas: list[Delta]) -> None:
        """Add the deltas of one line's object."""

    def _fault(self, payload: dict[str, object], deltas: list[Delta]) -> None:
        fault = fault_in(payload)
        if fault is not None:
            self._failed = True
            deltas.append(fault)

    @property
    def ended(self) -> bool:
        """True after the line that says so."""
        return self._ended

    @property
    def complete(self) -> bool | None:
        """True after the line that says so; never after an error."""
        return self._ended and not self._failed


class GenericLines(LineDialect):
    """JSON lines of an unknown kind: only errors are recognised."""

    name = "ndjson"
    answers = False

    def _take(self, payload: dict[str, object], deltas: list[Delta]) -> None:
        self._fault(payload, deltas)

    @property
    def complete(self) -> bool | None:
        """False after an error; otherwise unknown."""
        return False if self._failed else None


def looks_like_lines(line: str) -> bool:
    """Whether a line that the standard ignores is a whole JSON object."""
    text = line.strip(" \t\r\n\x1e")
    if not text.startswith("{"):
        return False
    try:
        return isinstance(decode(text), dict)
    except JsonError:
        return False
