from __future__ import annotations

import pytest

from sse_tui.analysis.turn import Connection, Turn
from sse_tui.recording.records import Close
from sse_tui.tui.answer.conversation import Document, highlight


def turn(*pieces: tuple[str, str]) -> Turn:
    made = Turn(1)
    made.connections.append(Connection(1))
    for channel, text in pieces:
        made.transcript.append(channel, text)
    return made


def end(made: Turn, reason: str) -> None:
    made.connections[-1].close = Close(t=0, reason=reason)


def texts(document: Document) -> list[str]:
    return [document.line(index).text for index in range(len(document))]


def document(width: int = 20) -> Document:
    return Document(width, lambda _turn: "ask")


def test_text_grows_at_its_end_while_it_streams() -> None:
    made, doc = turn(("text", "one two")), document()
    doc.sync([made])
    assert texts(doc) == ["you", "ask", "", "assistant", "one two"]
    made.transcript.append("text", " three four five")
    assert doc.sync([made])
    assert texts(doc)[4:] == ["one two three four ", "five"]
    assert not doc.sync([made])


@pytest.mark.parametrize("reason", ["eof", "incomplete", "reset", "timeout", "client", "fault", "error"])
def test_no_character_is_held_back_however_the_stream_ends(reason: str) -> None:
    made, doc = turn(("text", "all of it and the last wor")), document(60)
    doc.sync([made])
    made.transcript.append("text", "d")
    end(made, reason)
    doc.sync([made])
    assert "all of it and the last word" in texts(doc)


def test_reasoning_and_tool_calls_are_set_apart() -> None:
    made, doc = turn(("reasoning", "hm"), ("text", "answer"), ("tool", "\nf {}")), document()
    doc.sync([made])
    kinds = [doc.line(index).kind for index in range(len(doc))]
    assert [kind for kind in kinds if kind in {"reasoning", "text", "tool"}] == [
        "reasoning",
        "text",
        "tool",
        "tool",
    ]
    assert "reasoning" in texts(doc)
    assert "tool call" in texts(doc)


def test_a_finished_answer_is_markdown_once_and_can_be_shown_as_sent() -> None:
    made, doc = turn(("text", "# Head\n\n**bold**")), document()
    doc.sync([made])
    assert "# Head" in texts(doc)
    end(made, "eof")
    doc.sync([made])
    assert "# Head" not in texts(doc)
    assert "Head" in texts(doc)
    doc.as_markdown = False
    doc.rebuild([made])
    assert "# Head" in texts(doc)


@pytest.mark.parametrize("finished", [False, True])
def test_a_span_is_found_on_screen(finished: bool) -> None:
    source = "some words and **more** of them, over several lines"
    made, doc = turn(("reasoning", "first"), ("text", source)), document()
    if finished:
        end(made, "eof")
    doc.sync([made])
    start = len("first") + source.index("several")
    index = doc.line_of(0, start)
    assert index is not None
    line = doc.line(index)
    ((first, last),) = highlight(line, 0, (start, start + 7))
    assert line.text[first:last] == "several"
    assert highlight(line, 1, (start, start + 7)) == []


def test_a_second_turn_comes_below_the_first() -> None:
    first, second, doc = turn(("text", "one")), turn(("text", "two")), document()
    end(first, "eof")
    doc.sync([first])
    doc.sync([first, second])
    assert texts(doc).index("two") > texts(doc).index("one")
    assert doc.line_of(1, 0) == texts(doc).index("two")


def test_another_width_shows_the_same_text() -> None:
    made, doc = turn(("text", "one two three four five six")), document(40)
    doc.sync([made])
    doc.rebuild([made], width=10)
    assert "".join(texts(doc)[4:]).replace(" ", "") == "onetwothreefourfivesix"
    assert all(len(text.rstrip()) <= 10 for text in texts(doc))


def test_a_very_long_answer_stays_plain() -> None:
    made, doc = turn(("text", "**x** " * 50_000)), document(80)
    end(made, "eof")
    doc.sync([made])
    assert "**x**" in texts(doc)[5]
