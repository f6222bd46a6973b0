"""Prints entries to stdout: the text as it streams, or one JSON object per line."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from sse_tui.cli import narration
from sse_tui.cli.output import Output

if TYPE_CHECKING:
    from sse_tui.analysis.analysis import Analysis
    from sse_tui.analysis.entry import Entry

View: TypeAlias = "Callable[[Entry], bool]"


def view(form: str, analysis: Analysis, out: Output) -> View:
    """The view "json" or "text" of the entries of `analysis`: a function that returns False to stop."""
    return json_view(out) if form == "json" else TextView(analysis, out).show


def json_view(out: Output) -> View:
    """Every entry as one line of JSON."""
    from sse_tui.analysis.jsonform import entry_json

    def show(entry: Entry) -> bool:
        out.json(entry_json(entry))
        return True

    return show


class TextView:
    """The text of a stream as its dialect reads it; one line per event if it is not a model's answer."""

    def __init__(self, analysis: Analysis, out: Output) -> None:
        self._analysis = analysis
        self._out = out
        self._turn = 0

    def show(self, entry: Entry) -> bool:
        """Print what the entry adds to the text. Always returns True."""
        narrate(entry, self._out)
        if entry.turn != self._turn:
            self._out.end_line()
            self._turn = entry.turn
        if entry.kind != "event" or entry.repeat:
            return True
        turn = self._analysis.turn
        if turn is not None and not turn.dialect.answers:
            self._line(entry)
        else:
            for text in texts(entry):
                self._out.text(text)
        return True

    def _line(self, entry: Entry) -> None:
        from sse_tui.eventstream import Event

        item = entry.item
        assert isinstance(item, Event)
        data = item.data.replace("\n", "\\n")
        self._out.line(data if item.type == "message" else f"{item.type}: {data}")


class Limit:
    """A view that stops after `most` events; None means no limit."""

    def __init__(self, inner: View, most: int | None) -> None:
        self._inner = inner
        self._left = most

    def __call__(self, entry: Entry) -> bool:
        going = self._inner(entry)
        if self._left is not None and entry.kind == "event":
            self._left -= 1
            return going and self._left > 0
        return going


def texts(entry: Entry) -> list[str]:
    """The visible text that an event adds to the first choice, in pieces."""
    from sse_tui.dialects.base import Text

    return [delta.text for delta in entry.deltas if isinstance(delta, Text) and delta.index == 0]


def narrate(entry: Entry, out: Output) -> None:
    """Report reconnects and faults on stderr if it is a terminal."""
    from sse_tui.recording.records import Fault, Reconnect

    if not narration.terminal():
        return
    record = entry.record
    if isinstance(record, Reconnect | Fault) and out.terminal:
        # stdout and stderr share the screen.
        out.end_line()
    if isinstance(record, Reconnect):
        with_id = f" with Last-Event-ID {record.last_event_id}" if record.last_event_id else ""
        narration.say(
            f"sse-tui: reconnecting in {record.delay_ms:.0f} ms{with_id} (attempt {record.attempt})"
        )
    elif isinstance(record, Fault):
        narration.say(f"sse-tui: fault {record.plan} at {record.at}: {record.did}")
