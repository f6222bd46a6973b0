"""Memory stays bounded whatever a server puts into names, ids, indices and fields."""

from __future__ import annotations

import gc
import json
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sse_tui import bounded
from sse_tui.analysis.analysis import NOTE_LENGTH, TURNS, Analysis
from sse_tui.analysis.jsonform import result_json
from sse_tui.analysis.turn import CONNECTIONS_KEPT
from sse_tui.dialects import pieces
from sse_tui.dialects.base import Delta, Reasoning, Refusal, Text, ToolCall
from sse_tui.dialects.providers.gemini import gemini_args
from sse_tui.eventstream import Event, Parser
from sse_tui.recording.records import Close, Note, Record, Request, Response, chunk
from sse_tui.resume import continuity
from tests.samples import DATA

_CODE = (
    type,
    types.ModuleType,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.CodeType,
)

# How often a delta may turn to another part of the transcript.
_RUNS = {Text: 1, Reasoning: 1, Refusal: 1, ToolCall: 2}

Make = Callable[[int], bytes]


def request(turn: int = 1, conn: int = 1, dialect: str | None = None) -> Request:
    return Request(t=0, turn=turn, conn=conn, method="GET", url="http://x/", headers=[], dialect=dialect)


def response(conn: int = 1) -> Response:
    headers = [("content-type", "text/event-stream")]
    return Response(t=1, turn=1, conn=conn, status=200, http_version="1.1", headers=headers)


def started(dialect: str | None = None) -> Analysis:
    analysis = Analysis(dialect=dialect)
    analysis.feed(request(dialect=dialect))
    analysis.feed(response())
    return analysis


def send(analysis: Analysis, make: Make, numbers: range, at_once: int = 25) -> list[Delta]:
    deltas: list[Delta] = []
    for first in range(numbers.start, numbers.stop, at_once):
        data = b"".join(map(make, range(first, first + at_once)))
        for entry in analysis.feed(chunk(first * 1_000_000, data, turn=1, conn=1)):
            deltas += entry.deltas
    return deltas


def held(root: object) -> int:
    """Bytes of everything that is reachable from an object, code left out."""
    seen: dict[int, Any] = {}
    waiting: list[Any] = [root]
    while waiting:
        found = waiting.pop()
        if id(found) not in seen and not isinstance(found, _CODE):
            seen[id(found)] = found
            waiting += gc.get_referents(found)
    return sum(map(sys.getsizeof, seen.values()))


def growth(analysis: Analysis, make: Make, before: int, after: int) -> float:
    """Bytes that an event adds, once `before` events have come."""
    send(analysis, make, range(before))
    start = held(analysis)
    send(analysis, make, range(before, after))
    return (held(analysis) - start) / (after - before)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small limits, so that few events reach them."""
    for name, value in (("RECENT", 8), ("NAMES", 8), ("FIRST", 8)):
        monkeypatch.setattr(bounded, name, value)
    monkeypatch.setattr(pieces, "LOOSE", 8)
    monkeypatch.setattr(gemini_args, "STEPS_KEPT", 50)
    monkeypatch.setattr(continuity, "REMEMBERED", 8)


FRAMES: dict[str, Make] = {
    "event names": lambda n: b"event: name-%d\ndata: x\n\n" % n,
    "long event names": lambda n: b"event: %d%s\ndata: x\n\n" % (n, b"z" * 2_000),
    "field names": lambda n: b"field-%d: x\n" % n,
    "lines without a field": lambda n: b"%d %s\n" % (n, b"z" * 500),
    "ids": lambda n: b"id: number-%d\ndata: x\n\n" % n,
    "long ids": lambda n: b"id: %d%s\ndata: x\n\n" % (n, b"z" * 2_000),
    "ids without data": lambda n: b"id: number-%d\n\n" % n,
    "retry fields": lambda n: b"retry: %d\n\n" % (100_000 + n),
    "comments": lambda n: b": comment %d\n\n" % n,
    "blank lines": lambda n: b"\n",
}


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_what_a_frame_holds_does_not_pile_up(make: Make) -> None:
    assert growth(started("generic"), make, 500, 1_500) < 8


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], type]]:
    """The places of strings, numbers and nulls in a JSON value, and the type to put there."""
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(item, (*path, key))
    elif value is None:
        yield from ((path, int), (path, str))
    elif not isinstance(value, bool):
        yield path, str if isinstance(value, str) else int


def put(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    if isinstance(value, dict):
        return {**value, path[0]: put(value[path[0]], path[1:], new)}
    return [put(item, path[1:], new) if place == path[0] else item for place, item in enumerate(value)]


def payloads(path: Path) -> tuple[str, list[Event]]:
    """The dialect of a stream of the test data, and its events."""
    data = path.read_bytes()
    analysis = Analysis()
    analysis.feed(chunk(0, data, turn=1, conn=1))
    return analysis.turns[0].dialect_name, [item for item in Parser().feed(data) if isinstance(item, Event)]


def repeated(event: Event, payload: Any, path: tuple[Any, ...], kind: type) -> Make:
    """The event again and again, with another value at one place of its payload."""
    name = b"" if event.type == "message" else b"event: %s\n" % event.type.encode()

    def make(number: int) -> bytes:
        new = number if kind is int else f"value-{number}"
        return name + b"data: " + json.dumps(put(payload, path, new)).encode() + b"\n\n"

    return make


@pytest.mark.usefixtures("small")
def test_no_value_of_a_payload_piles_up_in_any_dialect() -> None:
    """Every place of every kind of event of the test data, filled with ever new values."""
    tried = set()
    grown = []
    for path in sorted((DATA / "streams").glob("*.sse")):
        dialect, events = payloads(path)
        for event in events:
            try:
                payload = json.loads(event.data)
            except ValueError:
                continue
            kind = payload.get("type") if isinstance(payload, dict) else None
            for place, type_ in leaves(payload):
                case = dialect, event.type, str(kind), place, type_
                if case in tried:
                    continue
                tried.add(case)
                analysis = started(dialect)
                send(analysis, repeated(event, payload, place, type_), range(100))
                turn = analysis.turns[0]
                before, text = held((turn.dialect, turn.answer)), turn.transcript.length
                deltas = send(analysis, repeated(event, payload, place, type_), range(100, 200))
                added = held((turn.dialect, turn.answer)) - before
                # The text of the answer grows, and with it the order of its pieces: 24 bytes for each change of part.
                runs = sum(_RUNS.get(type(delta), 0) for delta in deltas)
                if added > 3_200 + 24 * runs + 2 * (turn.transcript.length - text):
                    grown.append((added // 100, *case))
    assert len(tried) > 500
    assert grown == []


def test_of_too_many_names_the_others_are_counted() -> None:
    analysis = started("generic")
    send(analysis, FRAMES["event names"], range(1_000))
    send(analysis, FRAMES["retry fields"], range(2_000))
    send(analysis, FRAMES["field names"], range(500))
    result = result_json(analysis, analysis.turns[0])
    assert len(result["event_types"]) == bounded.NAMES
    assert len(result["retry"]) == bounded.FIRST
    assert result["others"] == {
        "event_types": 1_000 - bounded.NAMES,
        "ignored_fields": 500 - bounded.NAMES,
        "retry": 2_000 - bounded.FIRST,
    }


def test_a_usual_result_names_no_others() -> None:
    analysis = started("generic")
    send(analysis, FRAMES["ids"], range(100))
    assert "others" not in result_json(analysis, analysis.turns[0])


@pytest.mark.usefixtures("small")
def test_calls_beyond_those_kept_are_counted_and_their_text_is_shown() -> None:
    analysis = started("openai-chat")

    def call(number: int) -> bytes:
        piece = {"index": number, "id": f"c{number}", "function": {"name": "f", "arguments": f"<{number}>"}}
        choices = [{"index": 0, "delta": {"tool_calls": [piece]}}]
        return (
            b"data: " + json.dumps({"object": "chat.completion.chunk", "choices": choices}).encode() + b"\n\n"
        )

    send(analysis, call, range(20), at_once=1)
    turn = analysis.turns[0]
    result = result_json(analysis, turn)
    assert [one["arguments"] for one in result["tool_calls"]] == [f"<{number}>" for number in range(8)]
    assert result["others"] == {"tool_calls": 12}
    assert "".join(passage.text for passage in turn.transcript).count(">") == 20


@pytest.mark.usefixtures("small")
def test_an_answer_with_more_choices_than_are_followed_is_not_taken_for_whole() -> None:
    analysis = started("openai-chat")

    def choices(number: int) -> bytes:
        found = [
            {"index": number, "delta": {"content": "x"}, "finish_reason": "stop" if number < 8 else None}
        ]
        return (
            b"data: " + json.dumps({"object": "chat.completion.chunk", "choices": found}).encode() + b"\n\n"
        )

    send(analysis, choices, range(9), at_once=1)
    turn = analysis.turns[0]
    assert turn.dialect.complete is False
    assert turn.answer.text == "x"
    assert [choice.index for choice in turn.answer.by_choice] == list(range(9))
    send(analysis, lambda number: b"data: [DONE]\n\n", range(1), at_once=1)
    assert turn.dialect.complete is None


def test_reconnects_without_end_keep_the_first_and_the_last_connections() -> None:
    analysis = Analysis()
    count = CONNECTIONS_KEPT + 500
    for conn in range(1, count + 1):
        analysis.feed(request(conn=conn))
        analysis.feed(response(conn))
        analysis.feed(chunk(2, b"data: x\n\n", turn=1, conn=conn))
        analysis.feed(Close(t=3, turn=1, conn=conn, reason="eof"))
    turn = analysis.turns[0]
    assert turn.connection_count == count
    assert len(turn.connections) == CONNECTIONS_KEPT
    assert (turn.connections[0].number, turn.connections[-1].number) == (1, count)
    assert sum(conn.reads for conn in (*turn.connections, turn.left_out)) == count
    assert turn.others == {"connections": 500}


def test_turns_and_notes_without_end_are_not_kept() -> None:
    analysis = Analysis()
    records: list[Record] = [
        Note(t=0, text="n" * (NOTE_LENGTH + number)) for number in range(bounded.FIRST + 3)
    ]
    records += [request(turn=number, conn=number) for number in range(1, TURNS + 10)]
    for record in records:
        analysis.feed(record)
    assert analysis.notes.others == 3
    assert {len(note) for note in analysis.notes} == {NOTE_LENGTH}
    assert len(analysis.turns) == TURNS
    assert list(analysis.problems) == ["The recording has more than 10,000 turns; the others were not read."]
