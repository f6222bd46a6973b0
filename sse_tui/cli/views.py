"""Prints entries to stdout: the text as it streams, or one JSON object per line."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, cast
from urllib.parse import urlsplit

from sse_tui.cli import narration
from sse_tui.cli.answer_text import AnswerText
from sse_tui.cli.output import Output

if TYPE_CHECKING:
    from sse_tui.analysis.analysis import Analysis
    from sse_tui.analysis.entry import Entry
    from sse_tui.analysis.turn import Turn
    from sse_tui.eventstream import Event, Ignored, Tail
    from sse_tui.recording.records import Record


class View(Protocol):
    """Prints entries."""

    def show(self, entry: Entry) -> None:
        """Print what an entry adds."""

    def finish(self) -> None:
        """Nothing follows: print what was held back, and end the line."""


def view(form: str, analysis: Analysis, out: Output) -> View:
    """The view "text" of the entries of `analysis`, or "json": every entry as one line of JSON."""
    return JsonView(out) if form == "json" else TextView(analysis, out)


class JsonView:
    """Every entry as one line of JSON."""

    def __init__(self, out: Output) -> None:
        from sse_tui.analysis.jsonform import entry_json

        self._out = out
        self._json_of = entry_json

    def show(self, entry: Entry) -> None:
        """Print the entry."""
        self._out.json(self._json_of(entry))

    def finish(self) -> None:
        """Every line is ended."""


def raw_view(out: Output) -> Callable[[Record], None]:
    """A view of the bytes of the bodies, content coding removed, one connection after the other."""
    from sse_tui.recording.content import ContentDecoder
    from sse_tui.recording.records import Chunk, Response

    decoder = ContentDecoder([])

    def show(record: Record) -> None:
        nonlocal decoder
        if isinstance(record, Response):
            decoder = ContentDecoder(record.headers)
        elif isinstance(record, Chunk):
            for piece in decoder.slices(record.data):
                out.raw(piece)

    return show


class TextView:
    """The text of a stream as its dialect reads it; one line per event if it is not a model's answer."""

    def __init__(self, analysis: Analysis, out: Output) -> None:
        self._analysis = analysis
        self._out = out
        self._text = AnswerText(out)
        self._turn: Turn | None = None

    def show(self, entry: Entry) -> None:
        """Print what the entry adds to the text."""
        narrate(entry, self._out)
        turn = self._analysis.turn
        if turn is not self._turn:
            self.finish()
            self._turn = turn
        if entry.repeat:
            return
        if turn is None or turn.dialect.answers:
            self._text.add(entry)
        elif entry.kind == "event":
            item = cast("Event", entry.item)
            data = item.data.replace("\n", "\\n")
            self._out.line(data if item.type == "message" else f"{item.type}: {data}")
        elif line := json_line(entry, turn):
            self._out.line(line)

    def finish(self) -> None:
        """Print the choices of the last turn that could not stream beside the first."""
        if self._turn is not None:
            self._text.finish(self._turn)
        self._out.end_line()


def json_line(entry: Entry, turn: Turn | None) -> str:
    """The line of an entry of a body that is read as JSON lines, one of which stands for an event; "" for no line."""
    if entry.kind not in ("ignored", "tail") or turn is None or not turn.dialect.chosen.line_based:
        return ""
    line = cast("Tail", entry.item).text if entry.kind == "tail" else cast("Ignored", entry.item).line
    return line.strip(" \t\r\n\x1e")


def limited(inner: Callable[[Entry], None], analysis: Analysis, most: int | None) -> Callable[[Entry], bool]:
    """A view that returns True, to stop, after `most` events or JSON lines; None means no limit."""
    left = most

    def show(entry: Entry) -> bool:
        nonlocal left
        inner(entry)
        if left is not None and (entry.kind == "event" or json_line(entry, analysis.turn)):
            left -= 1
        return left == 0

    return show


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
        # Of the URL the host alone: its path and query may hold a secret.
        where = f" at {urlsplit(record.url).netloc}, where the redirects led" if record.url else ""
        narration.say(
            f"sse-tui: reconnecting in {record.delay_ms:.0f} ms{where}{with_id} (attempt {record.attempt})"
        )
    elif isinstance(record, Fault):
        narration.say(f"sse-tui: fault {record.plan} at {record.at}: {record.did}")
