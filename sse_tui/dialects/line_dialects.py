"""Bodies that are JSON lines, not an event stream, though they came where one was expected.

A parser of event streams ignores such lines (a field named ``{"model"`` is unknown), so that none would be shown.
`sniff` says what a body is from its content type and first bytes; `LineDialect` reads such a body line by line.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from sse_tui.dialects.base import Delta, Dialect, Malformed, Meta
from sse_tui.dialects.inband import fault_in
from sse_tui.dialects.payload import JsonError, decode, kind_of
from sse_tui.eventstream.items import Event
from sse_tui.fields import EVENT_STREAM, essence

NAME = "NDJSON, not SSE"

_NDJSON_TYPES = frozenset(
    {"application/x-ndjson", "application/ndjson", "application/jsonl", "application/jsonlines",
     "application/x-jsonlines", "application/stream+json", "application/json-seq", "application/json;stream=watch"}
)  # fmt: skip

_BOM = b"\xef\xbb\xbf"


class Format(NamedTuple):
    """What a body is: `kind` is "sse", "ndjson", "json", "json-array", "html" or "unknown".

    `name` says it for the user, `reason` why, `lines` whether `AutoLines` can read it.
    """

    kind: str
    name: str
    reason: str
    lines: bool = False


def sniff(content_type: str | None, start: bytes) -> Format:
    """What the body is, by the value of its content type (None without one) and its first bytes.

    The bytes win where they say something: servers send JSON lines as ``text/event-stream`` and event streams as
    ``application/json``. To tell lines from a single JSON text, `start` must reach beyond the first line.
    """
    declared = essence(content_type)
    head = start.removeprefix(_BOM).lstrip(b" \t\r\n\x1e")
    if head.startswith(b"{"):
        return _object(declared, head)
    if head.startswith(b"["):
        return Format(
            "json-array",
            "a JSON array, not SSE",
            "the body starts with '['; Gemini streams so without ?alt=sse",
        )
    if head.startswith(b"<"):
        return Format("html", "HTML, not SSE", "the body starts with '<', as a proxy's error page does")
    if declared in _NDJSON_TYPES:
        return Format("ndjson", NAME, f"the content type is {declared}", lines=True)
    field = head.split(b"\n", 1)[0].split(b"\r", 1)[0].split(b":", 1)[0]
    if head.startswith(b":") or field in (b"data", b"event", b"id", b"retry"):
        return Format("sse", "an event stream", "the body starts with a field or a comment")
    if declared == EVENT_STREAM:
        return Format("sse", "an event stream", "the content type is text/event-stream")
    return Format("unknown", "unknown", "neither the content type nor the first bytes are known")


def _object(declared: str, head: bytes) -> Format:
    """A body that starts with an object: lines of them, or one JSON text."""
    line, newline, rest = head.partition(b"\n")
    try:
        decode(line.decode("utf-8", "replace"))
    except JsonError:
        if newline or declared == "application/json":
            # An object over several lines, as errors in the middle of a stream are printed.
            return Format(
                "json", "one JSON text, not SSE", "the body starts with '{' and continues over several lines"
            )
        return Format("ndjson", NAME, "the body starts with '{'", lines=True)
    if declared == "application/json" and not rest.strip():
        return Format(
            "json", "one JSON text, not SSE", "a single object, and the content type is application/json"
        )
    return Format("ndjson", NAME, "the first line is a JSON object", lines=True)


class LineDialect(Dialect):
    """Reads one body of JSON lines. `format` is its name for the user."""

    line_based: ClassVar[bool] = True
    format: ClassVar[str] = NAME

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
