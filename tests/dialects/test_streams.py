"""Whole provider streams, read and assembled, against what their index says they hold.

The streams in tests/data were written for this test, each with a habit of some server; those beside the checkout, where
there are any, are recordings. The end of the run shows how many of each dialect came out right, see conftest.py.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sse_tui import dialects
from sse_tui.dialects import Answer, Dialect, payload
from sse_tui.eventstream import Comment, Event, Ignored, Item, Parser, Retry, Tail
from tests.dialects.answer_data import as_data
from tests.samples import DATA, folders

ASSEMBLED = (
    *("openai-chat", "openai-completions", "openai-responses", "openai-assistants", "openai-transcription"),
    *("anthropic-messages", "gemini", "cohere-v2", "tgi", "llamacpp-native", "watsonx", "replicate"),
    *("writer-completions", "mcp", "generic", "vercel-ui", "langgraph", "lmstudio", "mistral-conversations"),
    *("mercure", "wikimedia", "dify", "gemini-interactions", "workers-ai"),
)

# Dialects that the index has no name for.
_FINER = {"wikimedia/page-create.sse": "wikimedia"}

# Answers of these end without a marker, or nothing tells whether they are whole.
_ENDLESS = {"gemini", "watsonx", "writer-completions", "mcp", "generic"}

OWN = DATA / "streams"

_MEANING = (
    *("text", "reasoning", "tool_calls", "finish_reason", "usage", "error", "model"),
    *("done_sentinel", "json_errors"),
)
_RARE = ("refusal", "choices", "server_tool_calls", "tool_plan", "final_text", "jsonrpc", "incomplete_reason")

Entry = dict[str, Any]


def index(folder: Path) -> list[Entry]:
    """The entries of the folder's index, each with the items of its stream."""
    entries: list[Entry] = json.loads((folder / "index.json").read_text("utf-8"))
    for entry in entries:
        parser = Parser()
        body = (folder / entry["file"]).read_bytes()
        entry["body"] = body
        entry["items"] = [*parser.feed(body), *parser.close()]
        entry["last_event_id"] = parser.last_event_id
    return entries


def read(items: list[Item], dialect: str) -> tuple[dict[str, Any], Dialect]:
    reader, answer = dialects.create(dialect), Answer()
    for item in items:
        if isinstance(item, Event):
            for delta in reader.read(item):
                answer.add(delta)
    return as_data(answer), reader


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
    assert reader.name == _FINER.get(entry["file"], entry["dialect"])


def assembled(entry: Entry, dialect: str | None = None) -> None:
    """The answer is as indexed, and nothing is there that is not."""
    expected = entry["expected"]
    found, _ = read(entry["items"], dialect or entry["dialect"])
    rare = [name for name in _RARE if name in expected or found.get(name)]
    values = {name: found.get(name) for name in (*_MEANING, *rare)}
    wanted = {name: expected.get(name) for name in (*_MEANING, *rare)}
    if entry["dialect"] == "gemini":  # arguments come as an object; its white space is nobody's
        for answer in (values, wanted):
            answer["tool_calls"] = [
                {**call, "arguments": json.loads(call["arguments"])} for call in answer["tool_calls"] or []
            ]
    assert values == wanted


def assembled_by_detection(entry: Entry) -> None:
    """The same, whether the dialect is named or told from the stream."""
    assembled(entry, "auto")


def complete(entry: Entry) -> None:
    """Whether the stream was whole is as indexed, or follows the end marker, the finish reason and errors."""
    expected = entry["expected"]
    _, reader = read(entry["items"], entry["dialect"])
    finished, failed = expected["finish_reason"] is not None, expected["error"] is not None
    if "complete" in entry:
        assert (reader.ended, reader.complete) == (entry["ended"], entry["complete"])
    elif entry["dialect"] in ("openai-chat", "openai-completions"):
        unknown = expected["done_sentinel"] and not finished and not failed
        assert reader.complete is (None if unknown else finished and not failed)
        assert reader.ended is expected["done_sentinel"]
    elif entry["dialect"] in _ENDLESS:
        assert reader.complete is True if finished else reader.complete in (True, False, None)
        assert reader.ended is (entry["dialect"] == "mcp" and "endpoint" not in expected["event_types"])
    else:
        assert reader.ended is (not failed and "cut-short" not in entry["file"])
        assert reader.complete is reader.ended


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
    [assembled, assembled_by_detection, complete, both_json_decoders_agree],
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
def recorded() -> list[Entry]:
    return [entry for folder in folders("streams") for entry in index(folder)]


Counts = dict[str, tuple[int, int]]


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
    assert len(recorded) >= 85
    assert failures(check, recorded) == {}


@of_assembled_streams
@pytest.mark.parametrize("dialect", ASSEMBLED)
def test_answers_of_recorded_streams(
    check: Check, dialect: str, recorded: list[Entry], right_by_dialect: Counts
) -> None:
    entries = [entry for entry in recorded if entry["dialect"] == dialect]
    assert entries
    failed = failures(check, entries)
    if check is assembled_by_detection:
        right_by_dialect[dialect] = (len(entries) - len(failed), len(entries))
    assert failed == {}


def test_every_recorded_stream_is_among_them(recorded: list[Entry]) -> None:
    assert {entry["dialect"] for entry in recorded} == set(ASSEMBLED)


def read_in_pieces(entry: Entry, seed: int) -> dict[str, Any]:
    """The answer when the reads are cut at random places."""
    cuts, body, parser = random.Random(seed), entry["body"], Parser()
    reader, answer, at = dialects.create("auto"), Answer(), 0
    while at < len(body):
        size = cuts.randint(1, 40)
        for item in parser.feed(body[at : at + size]):
            if isinstance(item, Event):
                for delta in reader.read(item):
                    answer.add(delta)
        at += size
    return as_data(answer)


def test_reads_do_not_matter(recorded: list[Entry]) -> None:
    for entry in recorded[::7]:
        assert read_in_pieces(entry, seed=1) == read(entry["items"], "auto")[0], entry["file"]
