"""The source of a command: a URL, or what an offline command opens, and ``tail`` and ``open`` print."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sse_tui.cli import narration
from sse_tui.cli.ending import ended, tell_worst
from sse_tui.cli.options import load_config
from sse_tui.cli.output import Output
from sse_tui.cli.views import limited, raw_view, view
from sse_tui.errors import UsageError

if TYPE_CHECKING:
    from sse_tui.offline.opening import Piped
    from sse_tui.recording import Recording

_FILES = (".jsonl", ".sse", ".txt", ".har", ".log", ".yaml", ".yml")
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+)(:\d+)?(/.*|\?.*)?")


def is_url(argument: str) -> bool:
    """Whether it is a URL; else it is a file, or - for stdin. What could be a host or a file is a file if that exists.

    Raises `UsageError` if it is none of them.
    """
    from sse_tui.config import may_exist

    if not argument:
        raise UsageError("no-source", "The source is empty.", "Give a URL, a file, or - for stdin.")
    if argument == "-":
        return False
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", argument):
        return True
    if may_exist(Path(argument)):
        return False
    looks_like_path = argument.startswith((".", "/", "~")) or argument.endswith(_FILES)
    if not looks_like_path and _HOST.fullmatch(argument):
        return True
    raise UsageError("no-such-file", f"There is no file {argument}.", "Give a URL, a file, or - for stdin.")


def stdin() -> int:
    """The file descriptor of stdin. Raises `UsageError` if stdin is closed."""
    if sys.stdin is None:
        raise UsageError("no-stdin", "stdin is closed, so there is nothing to read.")
    return sys.stdin.fileno()


def open_source(source: str) -> Recording | Piped:
    """The records of a file, or of stdin for ``-``. Raises `RecordingError`, and `UsageError` without a stdin."""
    from sse_tui.offline.opening import Piped, open_path

    return Piped(stdin()) if source == "-" else open_path(Path(source))


def read_source(
    source: str,
    form: str,
    dialect: str | None,
    *,
    given: Mapping[str, Any],
    max_events: int | None = None,
) -> int:
    """Print `source` as "text", "json" or "raw"; the exit code. Raises the error of the first turn that broke.

    `given` are the parameters of the command, of which those that set a key of the configuration count.
    """
    from sse_tui.analysis.analysis import Analysis
    from sse_tui.recording import Redactor
    from sse_tui.recording.records import Request, Response

    config = load_config(given).config
    section = config.recording
    opened = open_source(source)
    analysis = Analysis(
        opened.header,
        dialect=dialect,
        max_event_bytes=section.max_event_bytes,
        rules=config.rules,
        ignored=config.ignored_content,
    )
    # A capture of another tool has its secrets, and the error of a refused request may repeat them.
    redactor = Redactor(section.redact_headers, section.redact_patterns)
    narration.mask_with(redactor.text)
    out = Output()
    raw = raw_view(out) if form == "raw" else None
    shown = view(form, analysis, out)
    show = limited(shown.show, analysis, max_events)
    stopped = False
    for record in opened:
        if isinstance(record, Request | Response):
            redactor.record(record)
        for entries in analysis.slices(record):
            if raw is None and (stopped := any(map(show, entries))):
                break
        if raw is not None:
            raw(record)
        if stopped:
            break
    if form != "raw" and not stopped:
        shown.finish()
    for note in opened.notes:
        narration.warn(note)
    problems = (turn.conclusion.problem() for turn in analysis.turns if not stopped)
    problem = next(filter(None, problems), None)
    tell_worst(analysis.findings, problem)
    return ended(analysis.findings, problem)
