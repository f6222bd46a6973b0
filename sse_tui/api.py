"""The public interface of the package, as `sse_tui` itself offers it: parser, encoder, recordings, analysis, report."""

from __future__ import annotations

import io
import os
from pathlib import Path

from sse_tui.analysis.analysis import Analysis
from sse_tui.diagnosis import Finding
from sse_tui.errors import SseTuiError
from sse_tui.eventstream import Comment, Event, Item, Parser, encode
from sse_tui.offline.report import Report, parse_expectations, report_of
from sse_tui.offline.report.forms import render
from sse_tui.recording import Recording, open_any
from sse_tui.recording.records import Record

__all__ = [
    "Analysis", "Comment", "Event", "Finding", "Item", "Parser", "Record", "Recording", "Report", "SseTuiError",
    "analyse", "encode", "read_recording", "render", "report",
]  # fmt: skip


def read_recording(source: str | os.PathLike[str] | bytes) -> Recording:
    """The records of a recording, a raw event stream or a capture of another tool, at a path or as bytes.

    A file can be iterated any number of times, bytes once. Raises `SseTuiError` for what is none of them.
    """
    return open_any(io.BytesIO(source) if isinstance(source, bytes) else Path(source))


def analyse(source: str | os.PathLike[str] | bytes, *, dialect: str | None = None) -> Analysis:
    """The analysis of what `read_recording` reads, to its end. `dialect` None detects each turn's."""
    return report(source, dialect=dialect).analysis


def report(source: str | os.PathLike[str] | bytes, *, expect: str = "", dialect: str | None = None) -> Report:
    """The report on what `read_recording` reads.

    `expect` lists what must hold, as in ``"ttft<500ms, itl.p99<200ms, complete"``; its judgements are in the report.
    """
    name = "bytes" if isinstance(source, bytes) else Path(source).name
    expectations = parse_expectations(expect) if expect else []
    opened = read_recording(source)
    made = report_of(opened.header, opened, name, dialect=dialect, expectations=expectations)
    made.damage = opened.notes
    return made
