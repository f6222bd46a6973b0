"""Recorded streams of many providers: an error-level finding only where the stream is broken, and none that fails."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.diagnosis.telling import of_bytes
from tests.samples import folders

# What notes of the index say where a stream is not complete.
BROKEN = ("cut", "the failure is reported", "never dispatched", "no finish, no")


def alarms(folder: Path) -> tuple[dict[str, set[str]], list[dict[str, Any]]]:
    """The error-level findings by file, read in one piece and in small ones."""
    entries: list[dict[str, Any]] = json.loads((folder / "index.json").read_text("utf-8"))
    found: dict[str, set[str]] = {}
    for entry in entries:
        body = (folder / entry["file"]).read_bytes()
        whole, pieces = (
            {f.rule for f in of_bytes(*reads).findings if f.severity == "error"}
            for reads in ([body], [body[at : at + 61] for at in range(0, len(body), 61)])
        )
        assert whole == pieces, entry["file"]
        if whole:
            found[entry["file"]] = whole
    return found, entries


def is_broken(entry: dict[str, Any]) -> bool:
    if "broken" in entry:
        return bool(entry["broken"])
    note = entry.get("note") or ""
    return entry["expected"]["error"] is not None or any(words in note for words in BROKEN)


@pytest.fixture(scope="module", params=folders("streams"), ids=lambda folder: folder.parent.name)
def recorded(request: pytest.FixtureRequest) -> tuple[dict[str, set[str]], list[dict[str, Any]]]:
    return alarms(request.param)


def test_no_false_alarm(recorded: tuple[dict[str, set[str]], list[dict[str, Any]]]) -> None:
    found, entries = recorded
    assert len(entries) >= 85
    healthy = {entry["file"] for entry in entries if not is_broken(entry)}
    assert {file: rules for file, rules in found.items() if file in healthy} == {}


def test_every_broken_stream_is_named(
    recorded: tuple[dict[str, set[str]], list[dict[str, Any]]],
) -> None:
    found, entries = recorded
    assert {entry["file"] for entry in entries if is_broken(entry)} == set(found)
    for entry in entries:
        if entry["expected"]["error"] is not None:
            assert "in-band-error" in found[entry["file"]]


def test_a_finished_answer_is_not_truncated(
    recorded: tuple[dict[str, set[str]], list[dict[str, Any]]],
) -> None:
    found, entries = recorded
    finished = [
        entry["file"]
        for entry in entries
        if entry["expected"]["error"] is None and entry["expected"]["finish_reason"] is not None
    ]
    assert finished
    assert [file for file in finished if "truncated-stream" in found.get(file, set())] == []
