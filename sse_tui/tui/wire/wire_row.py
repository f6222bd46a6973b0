"""A row of the wire log in words: its columns, and how wide they are."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from sse_tui import fields
from sse_tui.dialects.base import (
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
from sse_tui.eventstream import Comment, Event, Ignored, NoData, Retry, Tail
from sse_tui.metrics import STUTTER_MS
from sse_tui.recording.records import Close, End, Fault, Note, Reconnect, Request, Response
from sse_tui.text.safety import pane_line
from sse_tui.tui.drawing.fit import pad
from sse_tui.wirelog.rows import Row

CONTENT_LIMIT = 400
"""Characters of a row's content that are laid out at most: a row is one line."""

SAME_READ = '"'
MARKS = {
    "fault": "✗", "reconnect": "~", "request": "→", "response": "←", "close": "■", "note": "*", "end": "=",
    "comment": "·", "retry": "·", "ignored": "?", "no-data": "?", "tail": "?",
}  # fmt: skip
KINDS = {"fault": "FAULT", "reconnect": "RETRY", "no-data": "no data"}


class Cells(NamedTuple):
    """The text of a row, by column; `stutter` marks a gap that a reader notices."""

    number: str
    t_ms: str
    gap: str
    size: str
    kind: str
    content: str
    stutter: bool = False


HEADINGS = Cells("#", "t+ms", "gap", "B", "kind", "content")


class Columns:
    """The widths of the columns for a pane's width; the content gets what is left."""

    def __init__(self, width: int) -> None:
        fixed = (5, 8, 7, 5, 9) if width >= 60 else (4, 7, 6, 4, 9)
        # Two cells on the left for the cursor and a finding's letter, one after each column.
        self._widths = (*fixed, max(6, width - 2 - sum(fixed) - len(fixed)))

    def fit(self, row: Cells) -> Cells:
        """The texts padded or cut to their columns, each but the content with the space after it."""
        *numbers, kind, content = self._widths
        fitted = [f"{pad(text, width, right=True)} " for text, width in zip(row[:4], numbers, strict=True)]
        return Cells._make((*fitted, f"{pad(row.kind, kind)} ", pad(row.content, content), row.stutter))

    def line(self, row: Cells) -> str:
        return "  " + "".join(self.fit(row)[:6])


def cells(row: Row, turn_t0: int | None) -> Cells:
    """The columns of a row; `turn_t0` is the session time of its turn's request, in ns."""
    t_ms = "-"
    if row.t_ns is not None and turn_t0 is not None:
        t_ms = milliseconds((row.t_ns - turn_t0) / 1e6)
    gap = SAME_READ if row.same_read else "-" if row.gap_ms is None else milliseconds(row.gap_ms)
    size = "-" if row.record is not None else f"{row.end - row.start}"
    number = str(row.number) if row.number else MARKS.get(row.label, "·")
    stutter = row.gap_ms is not None and not row.same_read and row.gap_ms > STUTTER_MS
    return Cells(number, t_ms, gap, size, kind(row), content(row), stutter)


def kind(row: Row) -> str:
    """The row's kind as shown; retries with the number of the attempt."""
    if isinstance(row.record, Reconnect):
        return f"RETRY {row.record.attempt}"
    return KINDS.get(row.label, row.label)


def content(row: Row) -> str:
    """The row's content on one line, safe to show."""
    if row.record is not None:
        text = _RECORDS.get(type(row.record), _nothing)(row.record)
    elif isinstance(row.item, Event):
        text = _event(row, row.item)
    elif row.item is not None:
        text = _ITEMS[type(row.item)](row.item)
    else:
        text = row.raw.decode("utf-8", "replace")
    return pane_line(text[:CONTENT_LIMIT])


def milliseconds(value: float) -> str:
    """A time in ms for a column: a decimal below 10 s."""
    return f"{value:.1f}" if value < 10_000 else f"{value:.0f}"


def quoted(text: str) -> str:
    """Text in quotes, so that its spaces are seen."""
    return json.dumps(text, ensure_ascii=False)


def last_id(value: str) -> str:
    """The header as sent; with an empty id there is none."""
    return f"Last-Event-ID: {value}" if value else "no Last-Event-ID"


def _event(row: Row, item: Event) -> str:
    text = " ".join(filter(None, (_DELTAS.get(type(delta), _nothing)(delta) for delta in row.deltas)))
    if row.label == "done":
        text = item.data
    if not text:
        text = item.data if item.type in {"", "message"} else f"{item.type}  {item.data}"
    return f"repeated, left out: {text}" if row.label == "repeat" else text


def _request(record: Request) -> str:
    resumed = fields.first(record.headers, "last-event-id")
    path = "/" + record.url.split("//", 1)[-1].partition("/")[2]
    return f"{record.method} {path}" + (f"  {last_id(resumed)}" if resumed else "")


def _response(record: Response) -> str:
    kind = fields.first(record.headers, "content-type")
    return f"{record.status} {record.http_version}  {kind or 'no content type'}"


def _reconnect(record: Reconnect) -> str:
    there = f"  to {record.url}, where the redirects led" if record.url else ""
    return f"{last_id(record.last_event_id)}  in {record.delay_ms:.0f} ms{there}"


def _written(delta: Text | Reasoning | Refusal) -> str:
    return quoted(delta.text) if delta.text else ""


def _usage(delta: Usage) -> str:
    counts = ("?" if count is None else count for count in (delta.input, delta.output))
    return "in {} out {}".format(*counts)


def _stream_fault(delta: StreamFault) -> str:
    return " ".join(str(part) for part in (delta.type, delta.code, delta.message) if part is not None)


def _nothing(_: object) -> str:
    return ""


# The text of each kind of item, delta and record; a kind that is not here has none.
_ITEMS: Mapping[type, Callable[[Any], str]] = {
    Comment: lambda item: f":{item.text}",
    Retry: lambda item: f"retry: {item.digits} ms",
    Ignored: lambda item: str(item.line),
    NoData: lambda item: f"no data field: event {item.type or 'message'!r}, id {item.id!r}",
    Tail: lambda item: f"discarded, never dispatched: {quoted(item.text)}",
}
_DELTAS: Mapping[type, Callable[[Any], str]] = {
    Text: _written,
    Reasoning: _written,
    Refusal: _written,
    ToolCall: lambda delta: f"{delta.name or ''}[{delta.slot}] {delta.arguments}".strip(),
    Usage: _usage,
    Finish: lambda delta: f"finish={delta.reason}",
    StreamFault: _stream_fault,
    Progress: lambda delta: f"prompt {delta.done}/{delta.total}",
    Malformed: lambda delta: str(delta.reason),
    Meta: lambda delta: f"role={delta.value}" if delta.name == "role" else "",
}
_RECORDS: Mapping[type, Callable[[Any], str]] = {
    Request: _request,
    Response: _response,
    Fault: lambda record: record.did + (f" ({record.plan})" if record.plan else ""),
    Close: lambda record: str(record.words),
    Reconnect: _reconnect,
    Note: lambda record: str(record.text),
    End: lambda record: str(record.reason),
}
