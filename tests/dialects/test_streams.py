"""Whole provider streams, read and assembled, against what their index says they hold.

The streams under tests/data were written for this test, each a habit of some server; the shared ones, where they are
there, are recordings. A new dialect is one more name in `ASSEMBLED`; framing is checked for every file.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sse_tui import dialects
from sse_tui.dialects import Answer, Dialect, payload
from sse_tui.eventstream import Comment, Event, Ignored, Item, Parser, Retry, Tail

ASSEMBLED = ("openai-chat",)

OWN = Path(__file__).resolve().parents[1] / "data" / "streams"

_MEANING = (
    *("text", "reasoning", "tool_calls", "finish_reason", "usage", "error", "model"),
    *("done_sentinel", "json_errors"),
)
_RARE = ("refusal", "choices", "server_tool_calls", "tool_plan")

Entry = dict[str, Any]


def index(folder: Path) -> list[Entry]:
    """The entries of the folder's index, each with the items of its stream."""
    entries: list[Entry] = json.loads((folder / "index.json").read_text("utf-8"))
    for entry in entries:
        parser = Parser()
        body = (folder / entry["file"]).read_bytes()
        entry["items"] = [*parser.feed(body), *parser.close()]
        entry["last_event_id"] = parser.last_event_id
    return entries


def read(items: list[Item], dialect: str) -> tuple[dict[str, Any], Dialect]:
    reader, answer = dialects.create(dialect), Answer()
    for item in items:
        if isinstance(item, Event):
            for delta in reader.read(item):
                answer.add(delta)
    return answer.summary(), reader


def framing(entry: Entry) -> None:
    """Events, types, comments, retries, ignored fields, the tail and the last event ID are as indexed."""
    items, expected = entry["items"], entry["expected"]
    retries = [item.ms for item in items if isinstance(item, Retry)]
    ignored = Counter(item.line.split(":", 1)[0] for item in items if isinstance(item, Ignored))
    types = Counter(item.type for item in items if isinstance(item, Event))
    assert types == expected["event_types"]
    assert types.total() == expected["events"]
    assert sum(isinstance(item, Comment) for item in items) == expected["comments"]
    assert any(isinstance(item, Tail) for item in items) is expected["discarded_tail"]
    assert retries == expected.get("retry", [])
    assert ignored == expected.get("ignored_fields", {})
    assert entry["last_event_id"] == (expected["last_event_id"] or "")


def generic(entry: Entry) -> None:
    """Without its dialect a stream still ends where it ends, and nothing is read into it."""
    found, reader = read(entry["items"], "generic")
    assert found["done_sentinel"] == reader.ended == entry["expected"]["done_sentinel"]
    assert (found["text"], found["tool_calls"], found["json_errors"]) == ("", [], 0)


def detected(entry: Entry) -> None:
    """The dialect is told from the events."""
    _, reader = read(entry["items"], "auto")
    assert reader.name == (entry["dialect"] if entry["dialect"] in dialects.names() else "generic")


def assembled(entry: Entry) -> None:
    """The answer is as indexed."""
    expected = entry["expected"]
    found, _ = read(entry["items"], entry["dialect"])
    fields = [*_MEANING, *(name for name in _RARE if name in expected)]
    assert {name: found.get(name) for name in fields} == {name: expected[name] for name in fields}


def complete(entry: Entry) -> None:
    """Whether the stream was whole follows the finish reason, the sentinel and errors."""
    expected = entry["expected"]
    _, reader = read(entry["items"], entry["dialect"])
    ended = expected["done_sentinel"] or expected["finish_reason"] is not None
    assert reader.complete is (expected["error"] is None and ended)
    assert reader.ended is expected["done_sentinel"]


def detection_loses_nothing(entry: Entry) -> None:
    assert read(entry["items"], "auto")[0] == read(entry["items"], entry["dialect"])[0]


def both_json_decoders_agree(entry: Entry) -> None:
    fast, _ = read(entry["items"], entry["dialect"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(payload, "_fast", payload._lenient)
        slow, _ = read(entry["items"], entry["dialect"])
    assert slow == fast


Check = Callable[[Entry], None]
of_every_stream = pytest.mark.parametrize("check", [framing, generic, detected], ids=lambda f: f.__name__)
of_assembled_streams = pytest.mark.parametrize(
    "check",
    [assembled, complete, detection_loses_nothing, both_json_decoders_agree],
    ids=lambda f: f.__name__,
)
own_streams = pytest.mark.parametrize("entry", index(OWN), ids=lambda entry: entry["file"])


@of_every_stream
@own_streams
def test_own_streams(check: Check, entry: Entry) -> None:
    check(entry)


@of_assembled_streams
@own_streams
def test_answers_of_own_streams(check: Check, entry: Entry) -> None:
    check(entry)


@pytest.fixture(scope="module")
def recorded(shared: Path) -> list[Entry]:
    return index(shared / "streams")


def failures(check: Check, entries: list[Entry]) -> dict[str, str]:
    """What fails of `entries`, by file: one broken stream must not hide the others."""
    failed = {}
    for entry in entries:
        try:
            check(entry)
        except AssertionError as exc:
            failed[entry["file"]] = str(exc)
    return failed


@of_every_stream
def test_recorded_streams(check: Check, recorded: list[Entry]) -> None:
    assert len(recorded) > 100
    assert failures(check, recorded) == {}


@of_assembled_streams
@pytest.mark.parametrize("dialect", ASSEMBLED)
def test_answers_of_recorded_streams(check: Check, dialect: str, recorded: list[Entry]) -> None:
    entries = [entry for entry in recorded if entry["dialect"] == dialect]
    assert entries
    assert failures(check, entries) == {}
