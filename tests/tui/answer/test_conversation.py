from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from sse_tui.analysis.analysis import Analysis
from sse_tui.analysis.turn import Turn
from sse_tui.recording.records import Close, Request, chunk
from sse_tui.tui.answer.conversation import Document, highlight

FIELDS = {"text": "content", "reasoning": "reasoning_content", "tool": "tool_calls"}


class Stream:
    """A chat that streams: `say` adds to `turns`, `end` closes the connection."""

    def __init__(self, *pieces: tuple[str, str], number: int = 1, before: Stream | None = None) -> None:
        analysis = before._analysis if before is not None else Analysis(dialect="openai-chat")
        self._analysis: Analysis = analysis
        self._at: dict[str, Any] = {"turn": number, "conn": number}
        self._analysis.feed(Request(t=0, method="GET", url="http://h/", headers=[], **self._at))
        self.turns: Sequence[Turn] = self._analysis.turns
        for channel, text in pieces:
            self.say(channel, text)

    def say(self, channel: str, text: str, choice: int = 0) -> None:
        delta: dict[str, object] = {FIELDS[channel]: text}
        if channel == "tool":
            delta = {"tool_calls": [{"index": 0, "id": "a", "function": {"name": text, "arguments": "{}"}}]}
        data = json.dumps({"object": "chat.completion.chunk", "choices": [{"index": choice, "delta": delta}]})
        self._analysis.feed(chunk(0, f"data: {data}\n\n".encode(), **self._at))

    def end(self, reason: str) -> None:
        self._analysis.feed(Close(t=0, reason=reason, **self._at))


def texts(document: Document) -> list[str]:
    return [document.line(index).text for index in range(len(document))]


def document(width: int = 20) -> Document:
    return Document(width, lambda _turn: "ask")


def test_text_grows_at_its_end_while_it_streams() -> None:
    made, doc = Stream(("text", "one two")), document()
    doc.sync(made.turns)
    assert texts(doc) == ["you", "ask", "", "assistant", "one two"]
    made.say("text", " three four five")
    assert doc.sync(made.turns)
    assert texts(doc)[4:] == ["one two three four ", "five"]
    assert not doc.sync(made.turns)


@pytest.mark.parametrize("reason", ["eof", "incomplete", "reset", "timeout", "client", "fault", "error"])
def test_no_character_is_held_back_however_the_stream_ends(reason: str) -> None:
    made, doc = Stream(("text", "all of it and the last wor")), document(60)
    doc.sync(made.turns)
    made.say("text", "d")
    made.end(reason)
    doc.sync(made.turns)
    assert "all of it and the last word" in texts(doc)


def test_reasoning_and_tool_calls_are_set_apart() -> None:
    made, doc = Stream(("reasoning", "hm"), ("text", "answer"), ("tool", "f")), document()
    doc.sync(made.turns)
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
    made, doc = Stream(("text", "# Head\n\n**bold**")), document()
    doc.sync(made.turns)
    assert "# Head" in texts(doc)
    made.end("eof")
    doc.sync(made.turns)
    assert "# Head" not in texts(doc)
    assert "Head" in texts(doc)
    doc.as_markdown = False
    doc.rebuild(made.turns)
    assert "# Head" in texts(doc)


@pytest.mark.parametrize("finished", [False, True])
def test_a_span_is_found_on_screen(finished: bool) -> None:
    source = "some words and **more** of them, over several lines"
    made, doc = Stream(("reasoning", "first"), ("text", source)), document()
    if finished:
        made.end("eof")
    doc.sync(made.turns)
    start = len("first") + source.index("several")
    index = doc.line_of(0, start)
    assert index is not None
    line = doc.line(index)
    ((first, last),) = highlight(line, 0, (start, start + 7))
    assert line.text[first:last] == "several"
    assert highlight(line, 1, (start, start + 7)) == []


def test_a_second_turn_comes_below_the_first() -> None:
    first, doc = Stream(("text", "one")), document()
    first.end("eof")
    doc.sync(first.turns)
    second = Stream(("text", "two"), number=2, before=first)
    doc.sync(second.turns)
    assert texts(doc).index("two") > texts(doc).index("one")
    assert doc.line_of(1, 0) == texts(doc).index("two")


def test_another_width_shows_the_same_text() -> None:
    made, doc = Stream(("text", "one two three four five six")), document(40)
    doc.sync(made.turns)
    doc.rebuild(made.turns, width=10)
    assert "".join(texts(doc)[4:]).replace(" ", "") == "onetwothreefourfivesix"
    assert all(len(text.rstrip()) <= 10 for text in texts(doc))


def test_a_very_long_answer_stays_plain() -> None:
    made, doc = Stream(("text", "**x** " * 50_000)), document(80)
    made.end("eof")
    doc.sync(made.turns)
    assert "**x**" in texts(doc)[5]


TURNS = [(0, "AAA "), (1, "BBB "), (0, "aaa"), (1, "bbb"), (0, " **a**"), (1, " **b**")]


def of_choices(finished: bool) -> tuple[Stream, Document]:
    """Two choices that take turns, taken in piece by piece."""
    made, doc = Stream(), document(40)
    for choice, text in TURNS:
        made.say("text", text, choice)
        doc.sync(made.turns)
    if finished:
        made.end("eof")
        doc.sync(made.turns)
    return made, doc


@pytest.mark.parametrize("finished", [False, True])
def test_choices_are_shown_apart_each_growing_at_its_own_end(finished: bool) -> None:
    made, doc = of_choices(finished)
    shown = texts(doc)[4:10]
    bold = ("a", "b") if finished else ("**a**", "**b**")
    assert shown[:5] == ["choice 0", f"AAA aaa {bold[0]}", "", "choice 1", f"BBB bbb {bold[1]}"]
    at_once = document(40)
    at_once.sync(made.turns)
    assert texts(at_once) == texts(doc)


@pytest.mark.parametrize("finished", [False, True])
def test_a_span_is_found_in_the_choice_that_it_belongs_to(finished: bool) -> None:
    _, doc = of_choices(finished)
    start = 0
    for choice, text in TURNS:
        index = doc.line_of(0, start)
        assert index is not None
        line = doc.line(index)
        assert line.text.startswith("AB"[choice] * 3)
        marked = "".join(
            line.text[first:last] for first, last in highlight(line, 0, (start, start + len(text)))
        )
        assert marked.strip("* ") == text.strip("* ")
        start += len(text)
    assert doc.line_of(0, start) is None


def test_reasoning_and_text_of_choices_stay_in_order() -> None:
    made, doc = Stream(), document(40)
    for channel, text, choice in (
        ("reasoning", "r0", 0),
        ("text", "t1", 1),
        ("text", "t0", 0),
        ("text", "u1", 1),
    ):
        made.say(channel, text, choice)
        doc.sync(made.turns)
    assert texts(doc)[4:] == ["choice 0", "reasoning", "r0", "", "t0", "", "choice 1", "t1u1"]


def test_chunks_that_an_index_counts_are_one_text() -> None:
    made, doc = Stream(), document(40)
    seen = []
    for choice, text in enumerate(["one ", "two ", "three ", "four"]):
        made.say("text", text, choice)
        doc.sync(made.turns)
        seen.append(texts(doc)[4:])
    assert seen[1] == ["choice 0", "one ", "", "choice 1", "two "]
    assert seen[-1] == ["one two three four"]


def test_one_choice_has_no_caption() -> None:
    made, doc = Stream(("text", "one "), ("text", "two")), document(40)
    doc.sync(made.turns)
    assert not [text for text in texts(doc) if "choice" in text]
