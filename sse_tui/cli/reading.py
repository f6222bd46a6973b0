"""Opens the source of an offline command, and prints it for ``tail`` and ``open``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sse_tui.cli import narration
from sse_tui.cli.ending import ended
from sse_tui.cli.output import Output
from sse_tui.cli.sources import stdin
from sse_tui.cli.views import Limit, view
from sse_tui.errors import SseTuiError

if TYPE_CHECKING:
    from sse_tui.analysis.analysis import Analysis
    from sse_tui.config import Loaded
    from sse_tui.offline.opening import Piped
    from sse_tui.recording import Recording
    from sse_tui.recording.records import Record


def open_source(source: str) -> Recording | Piped:
    """The records of a file, or of stdin for ``-``. Raises `RecordingError`, and `UsageError` without a stdin."""
    from sse_tui.offline.opening import Piped, open_path

    return Piped(stdin()) if source == "-" else open_path(Path(source))


def read_source(
    source: str, form: str, loaded: Loaded, dialect: str | None, *, max_events: int | None = None
) -> int:
    """Print `source` as "text", "json" or "raw"; the exit code. Raises the error of the first turn that broke."""
    from sse_tui.analysis.analysis import Analysis

    opened = open_source(source)
    analysis = Analysis(
        opened.header, dialect=dialect, max_event_bytes=loaded.config.recording.max_event_bytes
    )
    out = Output()
    whole = (
        _print_raw(opened, analysis, out)
        if form == "raw"
        else _print(opened, analysis, form, max_events, out)
    )
    for note in opened.notes:
        narration.warn(note)
    return ended(analysis, _first_problem(analysis) if whole else None)


def _print(
    opened: Recording | Piped, analysis: Analysis, form: str, max_events: int | None, out: Output
) -> bool:
    show = Limit(view(form, analysis, out), max_events)
    for record in opened:
        for entry in analysis.feed(record):
            if not show(entry):
                return False
    out.end_line()
    return True


def _print_raw(opened: Recording | Piped, analysis: Analysis, out: Output) -> bool:
    body = BodyBytes()
    for record in opened:
        analysis.feed(record)
        out.raw(body.of(record))
    return True


class BodyBytes:
    """The bytes of the bodies, content coding removed, one connection after the other."""

    def __init__(self) -> None:
        from sse_tui.recording.content import ContentDecoder

        self._decoder_of = ContentDecoder
        self._decoder = ContentDecoder([])

    def of(self, record: Record) -> bytes:
        """The bytes that a record adds: b"" for everything but chunks."""
        from sse_tui.recording.records import Chunk, Response

        if isinstance(record, Response):
            self._decoder = self._decoder_of(record.headers)
        return self._decoder.decode(record.data) if isinstance(record, Chunk) else b""


def _first_problem(analysis: Analysis) -> SseTuiError | None:
    problems = (turn.conclusion.problem() for turn in analysis.turns)
    return next((problem for problem in problems if problem is not None), None)
