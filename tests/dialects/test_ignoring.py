"""Placeholders that a user leaves out: no text, no token, a heartbeat."""

from __future__ import annotations

import pickle

import pytest

from sse_tui.analysis.analysis import Analysis
from sse_tui.analysis.turn import Turn
from sse_tui.dialects import create
from sse_tui.dialects.base import Meta, Text
from sse_tui.eventstream import Event
from sse_tui.recording.records import Header
from tests.diagnosis.telling import DONE, STOP, Wire, chunk, text


def read(*ignored: str, dialect: str | None = "openai-chat") -> Turn:
    wire = Wire().ask(dialect=dialect).good(10).read(100, text("Thinking..."))
    wire.read(5100, text(": OPENROUTER PROCESSING\n\n")).read(6000, text("Paris")).read(
        6100, text(" Thinking")
    )
    analysis = Analysis(Header(), ignored=ignored)
    for record in wire.read(6200, STOP + DONE).close(6201, "eof").records:
        analysis.feed(record)
    analysis.finish()
    assert analysis.turn is not None
    return analysis.turn


@pytest.mark.parametrize("dialect", ["openai-chat", "auto"])
def test_they_are_neither_text_nor_tokens(dialect: str) -> None:
    turn = read("Thinking...", ": *", dialect=dialect)
    assert turn.answer.text == "Paris Thinking"
    assert (turn.clocks.clocks().ttft, turn.gaps.token_events, turn.dialect_name) == (6000, 2, "openai-chat")
    assert (turn.outcome, turn.dialect.ended) == ("complete", True)
    assert "placeholder-content" not in {finding.rule for finding in turn.findings}


def test_only_a_piece_that_matches_as_a_whole_is_one() -> None:
    assert read("Thinking", "PROCESSING").answer.text.startswith("Thinking...: OPEN")
    assert read().clocks.clocks().ttft == 100


def test_it_goes_on_from_a_saved_state_and_starts_afresh() -> None:
    reader = create("auto", ["Wait*"])
    event = Event("message", chunk({"content": "Waiting"}).decode()[6:-2], "", 0, 0)
    assert Meta("ping", "Waiting") in reader.read(event)
    assert reader.name == reader.chosen.name == "openai-chat"
    for again in (pickle.loads(pickle.dumps(reader)), reader.again()):
        deltas = again.read(event)
        assert Meta("ping", "Waiting") in deltas
        assert not any(isinstance(delta, Text) for delta in deltas)
    assert reader.again().name == create("auto").name


def test_what_was_detected_is_recognised_though_all_of_it_is_left_out() -> None:
    reader = create("auto", ["Wait*"])
    assert not create("openai-chat", ["Wait*"]).recognised
    reader.read(Event("message", chunk({"content": "Waiting"}).decode()[6:-2], "", 0, 0))
    assert reader.recognised
