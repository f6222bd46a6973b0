"""Every stream of every provider, cut in the middle: never complete, whatever mark of an end stands behind the cut."""

from __future__ import annotations

from pathlib import Path

import pytest

from sse_tui import api
from sse_tui.analysis.turn import Turn
from sse_tui.eventstream import Event, Parser
from tests.samples import stream_files

# A mark of an end, and the dialects that have it.
MARKS: dict[str, tuple[bytes, tuple[str, ...]]] = {
    "nothing": (b"", ()),
    "[DONE]": (b"data: [DONE]\n\n", ()),
    "message_stop": (b'event: message_stop\ndata: {"type": "message_stop"}\n\n', ("anthropic-messages",)),
    "response.completed": (
        b'event: response.completed\ndata: {"type": "response.completed"}\n\n',
        ("openai-responses",),
    ),
    "end": (b"event: end\ndata: {}\n\n", ("langgraph",)),
}


def turn_of(body: bytes) -> Turn:
    turn = api.analyse(body).turn
    assert turn is not None
    return turn


def halves(path: Path) -> list[bytes]:
    """The first half of a stream's events, and half an event more; only what its own end is not a part of."""
    body, parser = path.read_bytes(), Parser()
    items = (*parser.feed(body), *parser.close())
    ends = [item.end for item in items if isinstance(item, Event)]
    if len(ends) < 2:
        return []
    at, after = ends[(len(ends) - 1) // 2 :][:2]
    both = body[:at], body[: (at + after) // 2] + b"\n\n"
    return [half for half in both if turn_of(half).dialect.complete is not True]


@pytest.fixture(scope="module")
def cut() -> list[tuple[str, bytes]]:
    found = [(path.name, half) for path in stream_files() for half in halves(path)]
    assert len(found) >= 150
    return found


@pytest.mark.parametrize("name", MARKS)
def test_half_a_stream_is_never_complete(name: str, cut: list[tuple[str, bytes]]) -> None:
    mark, own = MARKS[name]
    turns = [(file, turn_of(half + mark)) for file, half in cut]
    complete = [
        (file, turn.dialect_name)
        for file, turn in turns
        if turn.outcome == "complete" and turn.dialect_name not in own
    ]
    assert complete == []
