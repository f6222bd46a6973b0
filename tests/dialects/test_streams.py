"""Whole provider streams, read and assembled, against what their index says they hold.

The streams under tests/data were written for this test, each a habit of some server; the shared ones, where
they are there, are recordings. A new dialect is one more name in `ASSEMBLED`; framing is checked for every file.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from sse_tui import dialects
from sse_tui.dialects import Answer, Auto, payload
from sse_tui.eventstream import Comment, Event, Ignored, Item, Parser, Retry, Tail

ASSEMBLED = ("openai-chat",)

_TESTS = Path(__file__).resolve().parents[1]
_FOLDERS = (_TESTS / "data" / "streams", _TESTS.parents[1] / "shared" / "streams")


def _index(folder: Path) -> list[dict[str, Any]]:
    index = folder / "index.json"
    if not index.is_file():
        return []
    return [{**entry, "path": folder / entry["file"]} for entry in json.loads(index.read_text("utf-8"))]


_INDEX = [entry for folder in _FOLDERS for entry in _index(folder)]
_MEANING = (
    *("text", "reasoning", "tool_calls", "finish_reason", "usage", "error", "model"),
    *("done_sentinel", "json_errors"),
)
_RARE = ("refusal", "choices", "server_tool_calls", "tool_plan")


def entries(*names: str) -> list[Any]:
    chosen = [entry for entry in _INDEX if not names or entry["dialect"] in names]
    return [pytest.param(entry, id=entry["file"].removesuffix(".sse")) for entry in chosen]


def items_of(entry: dict[str, Any]) -> list[Item]:
    parser = Parser()
    return [*parser.feed(entry["path"].read_bytes()), *parser.close()]


def framing(items: list[Item]) -> dict[str, Any]:
    """The fields of `expected` that describe the stream itself."""
    events = [item for item in items if isinstance(item, Event)]
    retries = [item.ms for item in items if isinstance(item, Retry)]
    ignored = Counter(item.line.split(":", 1)[0] for item in items if isinstance(item, Ignored))
    found: dict[str, Any] = {
        "events": len(events),
        "event_types": dict(Counter(event.type for event in events)),
        "comments": sum(isinstance(item, Comment) for item in items),
        "discarded_tail": any(isinstance(item, Tail) for item in items),
    }
    if retries:
        found["retry"] = retries
    if ignored:
        found["ignored_fields"] = dict(ignored)
    return found


def read(items: list[Item], dialect: str) -> dict[str, Any]:
    reader, answer = dialects.create(dialect), Answer()
    for item in items:
        if isinstance(item, Event):
            for delta in reader.read(item):
                answer.add(delta)
    return answer.summary()


def compared(found: dict[str, Any], expected: dict[str, Any]) -> dict[str, Any]:
    return {name: found.get(name) for name in (*_MEANING, *(n for n in _RARE if n in expected))}


@pytest.mark.parametrize("entry", entries())
def test_framing_is_as_indexed(entry: dict[str, Any]) -> None:
    expected = entry["expected"]
    found = framing(items_of(entry))
    assert found == {name: expected[name] for name in found}
    assert ("retry" in expected, "ignored_fields" in expected) == (
        "retry" in found,
        "ignored_fields" in found,
    )


@pytest.mark.parametrize("entry", entries())
def test_last_event_id_is_as_indexed(entry: dict[str, Any]) -> None:
    parser = Parser()
    parser.feed(entry["path"].read_bytes())
    parser.close()
    assert parser.last_event_id == (entry["expected"]["last_event_id"] or "")


@pytest.mark.parametrize("entry", entries())
def test_every_stream_can_be_read_as_generic(entry: dict[str, Any]) -> None:
    found = read(items_of(entry), "generic")
    assert found["done_sentinel"] == entry["expected"]["done_sentinel"]
    assert (found["text"], found["tool_calls"], found["json_errors"]) == ("", [], 0)


@pytest.mark.parametrize("entry", entries(*ASSEMBLED))
def test_the_answer_is_as_indexed(entry: dict[str, Any]) -> None:
    expected = entry["expected"]
    found = read(items_of(entry), entry["dialect"])
    assert compared(found, expected) == {name: expected[name] for name in compared(found, expected)}


@pytest.mark.parametrize("entry", entries(*ASSEMBLED))
def test_detection_loses_nothing(entry: dict[str, Any]) -> None:
    items = items_of(entry)
    assert read(items, "auto") == read(items, entry["dialect"])


@pytest.mark.parametrize("entry", entries(*ASSEMBLED))
def test_both_json_decoders_agree(entry: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    items = items_of(entry)
    fast = read(items, entry["dialect"])
    monkeypatch.setattr(payload, "_fast", payload._lenient)
    assert read(items, entry["dialect"]) == fast


@pytest.mark.parametrize("entry", entries())
def test_the_dialect_is_detected(entry: dict[str, Any]) -> None:
    reader = Auto()
    for item in items_of(entry):
        if isinstance(item, Event):
            reader.read(item)
    assert reader.name == (entry["dialect"] if entry["dialect"] in dialects.names() else "generic")


@pytest.mark.parametrize("entry", entries(*ASSEMBLED))
def test_completeness_follows_the_finish_reason_the_sentinel_and_errors(entry: dict[str, Any]) -> None:
    expected = entry["expected"]
    reader = dialects.create(entry["dialect"])
    for item in items_of(entry):
        if isinstance(item, Event):
            reader.read(item)
    whole = expected["error"] is None and (expected["done_sentinel"] or expected["finish_reason"] is not None)
    assert reader.complete is whole
    assert reader.ended is expected["done_sentinel"]
