"""A row of the wire log in words: its columns, and how wide they are."""

from __future__ import annotations

import json
from typing import NamedTuple

from sse_tui import fields
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
from sse_tui.eventstream import Comment, Event, Ignored, NoData, Retry, Tail
from sse_tui.metrics import STUTTER_MS
from sse_tui.recording.records import Close, End, Fault, Note, Reconnect, Record, Request, Response
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
        self.number, self.t_ms, self.gap, self.size, self.kind = (
            (5, 8, 7, 5, 9) if width >= 60 else (4, 7, 6, 4, 9)
        )
        # Two cells on the left for the cursor and a finding's letter, one after each column.
        used = 2 + self.number + self.t_ms + self.gap + self.size + self.kind + 5
        self.content = max(6, width - used)

    def fit(self, row: Cells) -> Cells:
        """The texts padded or cut to their columns, each but the content with the space after it."""
        return Cells(
            f"{pad(row.number, self.number, right=True)} ",
            f"{pad(row.t_ms, self.t_ms, right=True)} ",
            f"{pad(row.gap, self.gap, right=True)} ",
            f"{pad(row.size, self.size, right=True)} ",
            f"{pad(row.kind, self.kind)} ",
            pad(row.content, self.content),
            row.stutter,
        )

    def line(self, row: Cells) -> str:
        """The row as one line."""
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
    text = _record(row.record) if row.record is not None else _item(row)
    return pane_line(text[:CONTENT_LIMIT])


def milliseconds(value: float) -> str:
    """A time in ms for a column: a decimal below 10 s."""
    return f"{value:.1f}" if value < 10_000 else f"{value:.0f}"


def quoted(text: str) -> str:
    """Text in quotes, so that its spaces are seen."""
    return json.dumps(text, ensure_ascii=False)


def _item(row: Row) -> str:
    item = row.item
    if isinstance(item, Event):
        return _event(row, item)
    if isinstance(item, Comment):
        return f":{item.text}"
    if isinstance(item, Retry):
        return f"retry: {item.ms} ms"
    if isinstance(item, Ignored):
        return item.line
    if isinstance(item, NoData):
        return f"no data field: event {item.type or 'message'!r}, id {item.id!r}"
    if isinstance(item, Tail):
        return f"discarded, never dispatched: {quoted(item.text)}"
    return row.raw.decode("utf-8", "replace")


def _event(row: Row, item: Event) -> str:
    text = " ".join(part for part in map(_delta, row.deltas) if part)
    if row.label == "done":
        text = item.data
    if not text:
        text = item.data if item.type in {"", "message"} else f"{item.type}  {item.data}"
    return f"repeated, left out: {text}" if row.label == "repeat" else text


def _delta(delta: Delta) -> str:
    if isinstance(delta, Text | Reasoning | Refusal):
        return quoted(delta.text) if delta.text else ""
    if isinstance(delta, ToolCall):
        return f"{delta.name or ''}[{delta.slot}] {delta.arguments}".strip()
    if isinstance(delta, Usage):
        return f"in {_count(delta.input)} out {_count(delta.output)}"
    if isinstance(delta, Finish):
        return f"finish={delta.reason}"
    if isinstance(delta, StreamFault):
        return " ".join(str(part) for part in (delta.type, delta.code, delta.message) if part is not None)
    if isinstance(delta, Progress):
        return f"prompt {delta.done}/{delta.total}"
    if isinstance(delta, Malformed):
        return delta.reason
    if isinstance(delta, Meta) and delta.name == "role":
        return f"role={delta.value}"
    return ""


def _count(value: int | None) -> str:
    return "?" if value is None else str(value)


def _record(record: Record | None) -> str:
    if isinstance(record, Request):
        return _request(record)
    if isinstance(record, Response):
        kind = fields.first(record.headers, "content-type")
        return f"{record.status} {record.http_version}  {kind or 'no content type'}"
    if isinstance(record, Fault):
        return record.did + (f" ({record.plan})" if record.plan else "")
    if isinstance(record, Close):
        return f"{record.reason}  {record.detail}".rstrip()
    if isinstance(record, Reconnect):
        return f"{last_id(record.last_event_id)}  in {record.delay_ms:.0f} ms"
    if isinstance(record, Note):
        return record.text
    return record.reason if isinstance(record, End) else ""


def _request(record: Request) -> str:
    resumed = fields.first(record.headers, "last-event-id")
    path = "/" + record.url.split("//", 1)[-1].partition("/")[2]
    return f"{record.method} {path}" + (f"  {last_id(resumed)}" if resumed else "")


def last_id(value: str) -> str:
    """The header as sent; with an empty id there is none."""
    return f"Last-Event-ID: {value}" if value else "no Last-Event-ID"
