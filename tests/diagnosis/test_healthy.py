"""No rule cries wolf: a healthy stream has no finding above info, whatever its pace."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sse_tui.analysis.analysis import Analysis
from sse_tui.eventstream import Parser
from sse_tui.recording import read_recording
from tests.diagnosis.telling import Wire, of_bytes, read
from tests.diagnosis.test_streams import is_broken
from tests.samples import DATA, folders

# What is odd on purpose in streams of our own, and is said.
ODD = {
    "same-index-tools.sse": {"tool-call-index"},
    "interrupted.sse": {"missing-finish-reason"},
    "langserve.sse": {"event-without-data"},
    "generic-clock.sse": {"id-missing"},
    "generic-odd-lines.sse": {"unterminated-tail", "unknown-field", "line-endings", "id-nul"},
}
PACES_MS = (15, 60, 700)


def alarms(analysis: Analysis) -> set[str]:
    return {finding.rule for finding in analysis.findings if finding.severity != "info"}


def at_a_pace(body: bytes, gap_ms: float) -> Wire:
    """The items of the body one by one, at this distance."""
    wire, at, start = Wire().ask().good(20), 400.0, 0
    for end in [item.end for item in Parser().feed(body)]:
        if end > start:
            wire.read(at, body[start:end])
            start, at = end, at + gap_ms
    if start < len(body):
        wire.read(at, body[start:])
    wire.close(at + 1, "eof")
    return wire


def healthy(folder: Path) -> Iterator[tuple[str, bytes]]:
    entries: list[dict[str, Any]] = json.loads((folder / "index.json").read_text("utf-8"))
    for entry in entries:
        if not is_broken(entry):
            yield entry["file"], (folder / entry["file"]).read_bytes()


@pytest.mark.parametrize("folder", folders("streams"), ids=lambda folder: folder.parent.name)
def test_a_healthy_stream_is_called_healthy(folder: Path) -> None:
    wrong = {}
    for file, body in healthy(folder):
        found = alarms(of_bytes(body)) - ODD.get(file, set())
        if found:
            wrong[file] = found
    assert wrong == {}


@pytest.mark.parametrize("gap_ms", PACES_MS)
@pytest.mark.parametrize("folder", folders("streams"), ids=lambda folder: folder.parent.name)
def test_at_any_pace(folder: Path, gap_ms: float) -> None:
    wrong = {}
    for file, body in healthy(folder):
        found = alarms(read(at_a_pace(body, gap_ms).records)) - ODD.get(file, set())
        if found:
            wrong[file] = found
    assert wrong == {}


def test_a_recording_that_was_cut_by_a_fault_and_resumed() -> None:
    recording = read_recording(DATA / "recordings" / "resumed.sse.jsonl")
    analysis = Analysis(recording.header)
    for record in recording:
        analysis.feed(record)
    analysis.finish()
    # Its server sends the reconnection time in a block of its own.
    assert alarms(analysis) == {"phantom-event-risk", "retry-alone"}
    assert [(turn.outcome, turn.error) for turn in analysis.turns] == [("complete", None)] * 2
