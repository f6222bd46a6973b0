"""Pieces of tool calls find their call, however a server numbers, names and identifies them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from sse_tui.dialects import Answer
from sse_tui.dialects.base import ToolCall

Piece = dict[str, Any]
Calls = list[tuple[str | None, str | None, str]]


def piece(arguments: str = "", *, name: str | None = None, **members: Any) -> Piece:
    """A piece as chat completions have it; members that are not given are absent."""
    function = {"arguments": arguments} if name is None else {"name": name, "arguments": arguments}
    return {**members, "function": function}


A, B = '{"a":1}', '{"b":2}'

JOINED: dict[str, tuple[Sequence[Piece], Calls]] = {
    "the usual form": (
        [piece(index=0, id="x", name="f"), piece('{"a":', index=0), piece("1}", index=0)],
        [("x", "f", A)],
    ),
    "a name in pieces": (
        [piece(index=0, id="x", name="get_"), piece(index=0, name="weather"), piece(A, index=0)],
        [("x", "get_weather", A)],
    ),
    "a name in three pieces beside the arguments' first": (
        [
            piece(index=0, id="x", name="a"),
            piece(index=0, name="b"),
            piece("{", index=0, name="c"),
            piece("}", index=0),
        ],
        [("x", "abc", "{}")],
    ),
    "a name in every piece": (
        [
            piece(index=0, id="x", name="f"),
            piece('{"a":', index=0, id="x", name="f"),
            piece("1}", index=0, id="x", name="f"),
        ],
        [("x", "f", A)],
    ),
    "a name that grows": (
        [
            piece(index=0, id="x", name="get"),
            piece(index=0, name="get_wea"),
            piece(A, index=0, name="get_weather"),
        ],
        [("x", "get_weather", A)],
    ),
    "a name in pieces and then whole": (
        [
            piece(index=0, id="x", name="get_"),
            piece(index=0, name="time"),
            piece(A, index=0, name="get_time"),
        ],
        [("x", "get_time", A)],
    ),
    "a name that begins with what came": (
        [piece(index=0, id="x", name="_"), piece("{}", index=0, name="_init")],
        [("x", "__init", "{}")],
    ),
    "the name last": (
        [piece('{"a":', index=0, id="x"), piece("1}", index=0), piece(index=0, name="f")],
        [("x", "f", A)],
    ),
    "the id last": ([piece(index=0, name="f"), piece(A, index=0), piece(index=0, id="x")], [("x", "f", A)]),
    "an empty id later": (
        [piece('{"a":', index=0, id="x", name="f"), piece("1}", index=0, id="", name="")],
        [("x", "f", A)],
    ),
    "an id made anew for every piece": (
        [
            piece('{"a":', index=0, id="x1", name="f"),
            piece("1", index=0, id="x2"),
            piece("}", index=0, id="x3"),
        ],
        [("x1", "f", A)],
    ),
    "no index, ids on every piece": (
        [
            piece('{"a":', id="x", name="f"),
            piece('{"b":', id="y", name="g"),
            piece("1}", id="x"),
            piece("2}", id="y"),
        ],
        [("x", "f", A), ("y", "g", B)],
    ),
    "neither index nor id later": (
        [piece('{"a":', id="x", name="f"), piece("1}"), piece('{"b":', id="y", name="g"), piece("2}")],
        [("x", "f", A), ("y", "g", B)],
    ),
    "an index at first only": (
        [piece(index=0, id="x", name="f"), piece('{"a":', id="x"), piece("1}")],
        [("x", "f", A)],
    ),
    "interleaved by index": (
        [
            piece('{"a":', index=0, id="x", name="f"),
            piece('{"b":', index=1, id="y", name="g"),
            piece("1}", index=0),
            piece("2}", index=1),
        ],
        [("x", "f", A), ("y", "g", B)],
    ),
    "interleaved at one index": (
        [
            piece('{"a":', index=0, id="x", name="f"),
            piece('{"b":', index=0, id="y", name="g"),
            piece("1}", index=0, id="x"),
            piece("2}", index=0, id="y"),
        ],
        [("x", "f", A), ("y", "g", B)],
    ),
    "one index and ids of their own": (
        [piece(A, index=0, id="x", name="f"), piece(B, index=0, id="y", name="f")],
        [("x", "f", A), ("y", "f", B)],
    ),
    "one index and no ids": (
        [piece(A, index=0, name="f"), piece(B, index=0, name="g")],
        [(None, "f", A), (None, "g", B)],
    ),
    "whole calls without index and id": (
        [piece(A, name="f"), piece(B, name="f")],
        [(None, "f", A), (None, "f", B)],
    ),
    "no index, no ids, names": (
        [piece('{"a":', name="f"), piece("1}"), piece('{"b":', name="g"), piece("2}")],
        [(None, "f", A), (None, "g", B)],
    ),
    "one id and indices of their own": (
        [
            piece('{"a":', index=0, id="x", name="f"),
            piece(B, index=1, id="x", name="g"),
            piece("1}", index=0, id="x"),
        ],
        [("x", "f", A), ("x", "g", B)],
    ),
    "an index as a string": (
        [
            piece('{"a":', index="0", id="x", name="f"),
            piece(B, index="1", id="y", name="g"),
            piece("1}", index="0"),
        ],
        [("x", "f", A), ("y", "g", B)],
    ),
    "an index as a string, then as a number": (
        [piece('{"a":', index="0", id="x", name="f"), piece("1}", index=0)],
        [("x", "f", A)],
    ),
    "an index of null": (
        [piece('{"a":', index=None, id="x", name="f"), piece("1}", index=None)],
        [("x", "f", A)],
    ),
    "an index of true": (
        [piece('{"a":', index=True, id="x", name="f"), piece("1}", index=True)],
        [("x", "f", A)],
    ),
    "arguments as an object": (
        [{"index": 0, "id": "x", "function": {"name": "f", "arguments": {"a": 1}}}],
        [("x", "f", A)],
    ),
    "no object around name and arguments": (
        [{"index": 0, "id": "x", "name": "f", "arguments": A}],
        [("x", "f", A)],
    ),
    "whole calls in one chunk": (
        [piece(A, id="x", name="f"), piece(B, id="y", name="g")],
        [("x", "f", A), ("y", "g", B)],
    ),
}


def chunk(*pieces: Piece, index: int = 0) -> dict[str, Any]:
    return {"choices": [{"index": index, "delta": {"tool_calls": list(pieces)}, "finish_reason": None}]}


def called(answer: Answer) -> Calls:
    return [(call["id"], call["name"], call["arguments"]) for call in answer.calls]


@pytest.mark.parametrize("name", JOINED)
def test_chat_completions(name: str, read: Any) -> None:
    pieces, expected = JOINED[name]
    assert called(read("openai-chat", *map(chunk, pieces)).answer) == expected
    assert called(read("openai-chat", chunk(*pieces)).answer) == expected


@pytest.mark.parametrize("name", JOINED)
def test_each_choice_has_its_own_calls(name: str, read: Any) -> None:
    pieces, expected = JOINED[name]
    both = [chunk(one, index=index) for one in pieces for index in (0, 1)]
    answer = read("openai-chat", *both).answer
    for choice in answer.by_choice:
        assert [(call["id"], call["name"], call["arguments"]) for call in choice.tool_calls] == expected


def test_a_name_in_pieces_is_one_word_where_it_is_shown_as_it_came(read: Any) -> None:
    pieces, _ = JOINED["a name in pieces"]
    answer = read("openai-chat", *map(chunk, pieces)).answer
    assert "".join(passage.text for passage in answer.transcript) == '\nget_weather {"a":1}'
    assert [delta.name for delta in read("openai-chat", *map(chunk, pieces)).of(ToolCall)] == [
        "get_",
        "weather",
        None,
    ]


def test_the_older_function_call_in_pieces(read: Any) -> None:
    functions = [{"name": "get_", "arguments": ""}, {"name": "weather", "arguments": ""}, {"arguments": A}]
    chunks = [{"choices": [{"index": 0, "delta": {"function_call": one}}]} for one in functions]
    assert called(read("openai-chat", *chunks).answer) == [(None, "get_weather", A)]


def anthropic(*blocks: tuple[int, str, str, str], numbered: bool = True) -> list[dict[str, Any]]:
    """Tool blocks one after another: index, id, name, input."""
    events: list[dict[str, Any]] = [{"type": "message_start", "message": {"model": "m"}}]
    for index, ident, name, text in blocks:
        block = {"type": "tool_use", "id": ident, "name": name, "input": {}}
        at = {"index": index} if numbered else {}
        delta = {"type": "input_json_delta", "partial_json": text}
        events += [
            {"type": "content_block_start", "index": index, "content_block": block},
            {"type": "content_block_delta", **at, "delta": delta},
            {"type": "content_block_stop", "index": index},
        ]
    return events


@pytest.mark.parametrize("numbered", [True, False])
@pytest.mark.parametrize("indices", [(0, 1), (0, 0)])
def test_anthropic_blocks(indices: tuple[int, int], numbered: bool, read: Any) -> None:
    events = anthropic((indices[0], "x", "f", A), (indices[1], "y", "g", B), numbered=numbered)
    assert called(read("anthropic-messages", *events).answer) == [("x", "f", A), ("y", "g", B)]


def responses(
    *calls: tuple[int | None, str, str, str], later_index: bool = True, item_id: bool = True
) -> list[dict[str, Any]]:
    """Function calls, of which the deltas are interleaved: output_index, id, name, arguments."""
    events: list[dict[str, Any]] = []

    def event(kind: str, index: int | None, ident: str, first: bool = False, **members: Any) -> None:
        at = {"output_index": index} if index is not None and (first or later_index) else {}
        of = {"item_id": f"i{ident}"} if item_id and not first else {}
        events.append({"type": f"response.{kind}", **at, **of, **members})

    for index, ident, name, _ in calls:
        item = {"type": "function_call", "id": f"i{ident}", "call_id": ident, "name": name, "arguments": ""}
        event("output_item.added", index, ident, first=True, item=item)
    for cut in (slice(0, 3), slice(3, None)):
        for index, ident, _, arguments in calls:
            event("function_call_arguments.delta", index, ident, delta=arguments[cut])
    for index, ident, name, arguments in calls:
        event("function_call_arguments.done", index, ident, name=f"functions.{name}", arguments=arguments)
    return events


@pytest.mark.parametrize(
    ("indices", "later_index", "item_id"),
    [
        ((0, 1), True, True),
        ((0, 1), True, False),
        ((0, 1), False, True),
        ((None, None), False, True),
        ((0, 0), True, True),
        ((1, 3), False, True),
    ],
)
def test_responses_items(
    indices: tuple[int | None, int | None], later_index: bool, item_id: bool, read: Any
) -> None:
    events = responses(
        (indices[0], "x", "f", A), (indices[1], "y", "g", B), later_index=later_index, item_id=item_id
    )
    assert called(read("openai-responses", *events).answer) == [("x", "f", A), ("y", "g", B)]


@pytest.mark.parametrize("pieces", [True, False])
def test_arguments_of_responses_that_name_no_item(pieces: bool, read: Any) -> None:
    """can1357/oh-my-pi#1971: llama.cpp opens all calls, and then sends their arguments without saying whose."""
    calls = ((None, "x", "f", A), (None, "y", "g", B))
    if pieces:  # of calls one after another
        events = [event for call in calls for event in responses(call, later_index=False, item_id=False)]
    else:
        told = responses(*calls, later_index=False, item_id=False)
        events = [event for event in told if not event["type"].endswith(".delta")]
    assert called(read("openai-responses", *events).answer) == [("x", "f", A), ("y", "g", B)]


def cohere(
    kind: str, index: int | None, function: dict[str, Any], ident: str | None = None
) -> dict[str, Any]:
    call: dict[str, Any] = {"function": function}
    if ident is not None:
        call |= {"id": ident, "type": "function"}
    at = {} if index is None else {"index": index}
    return {"type": kind, **at, "delta": {"message": {"tool_calls": call}}}


@pytest.mark.parametrize("indices", [(0, 1), (None, None), (0, 0)])
def test_cohere_calls(indices: tuple[int | None, int | None], read: Any) -> None:
    events = []
    for index, ident, name, arguments in zip(indices, "xy", "fg", (A, B), strict=True):
        events += [
            cohere("tool-call-start", index, {"name": name, "arguments": ""}, ident),
            cohere("tool-call-delta", index, {"arguments": arguments[:4]}),
            cohere("tool-call-delta", index, {"arguments": arguments[4:]}),
        ]
    assert called(read("cohere-v2", *events).answer) == [("x", "f", A), ("y", "g", B)]


def test_gemini_and_ollama_take_arguments_of_either_type(read: Any) -> None:
    for args in ({"a": 1}, A):
        part = {"functionCall": {"name": "f", "args": args}}
        gemini = read("gemini", {"candidates": [{"content": {"parts": [part]}}]})
        assert called(gemini.answer) == [(None, "f", A)]
        call = {"function": {"name": "f", "arguments": args}}
        ollama = read("ollama", {"message": {"role": "assistant", "tool_calls": [call]}, "done": False})
        assert called(ollama.answer) == [(None, "f", A)]


COUNTED = ["Once", " upon", " a", " time", "."]


def counted(start: int = 0, **last: Any) -> list[dict[str, Any]]:
    chunks = [
        {"choices": [{"index": start + at, "delta": {"content": text}, "finish_reason": None}]}
        for at, text in enumerate(COUNTED)
    ]
    chunks[-1]["choices"][0].update(last)
    return chunks


def test_an_index_that_counts_the_chunks_is_one_choice(read: Any) -> None:
    for start in (0, 1):
        told = read("openai-chat", *counted(start, finish_reason="stop"))
        (choice,) = told.answer.by_choice
        assert (choice.index, choice.text, choice.finish_reason) == (start, "Once upon a time.", "stop")
        assert (told.answer.text, told.answer.choices) == (choice.text, 1)
        assert told.dialect.complete is True
    assert read("openai-chat", *counted()).dialect.complete is False


def test_the_finish_reason_of_counted_chunks_may_be_at_the_first_index(read: Any) -> None:
    ends = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    chunks = [*counted(), *counted(len(COUNTED))]
    told = read("openai-chat", *chunks, ends)
    (choice,) = told.answer.by_choice
    assert (choice.text, choice.finish_reason) == ("".join(COUNTED * 2), "stop")
    assert told.dialect.complete is True
    more = {"choices": [{"index": 1, "delta": {}, "finish_reason": "stop"}]}
    assert read("openai-chat", *chunks, ends, more).answer.choices == len(chunks)
    few = read("openai-chat", *counted(), ends)
    assert (few.answer.choices, few.dialect.complete) == (len(COUNTED), False)


def test_a_call_whose_choice_counts_the_chunks_is_one(read: Any) -> None:
    pieces = [piece(index=0, id="x", name="f"), *(piece(text, index=0) for text in ('{"a"', ":", "1}"))]
    answer = read("openai-chat", *(chunk(one, index=at) for at, one in enumerate(pieces))).answer
    assert called(answer) == [("x", "f", A)]
    assert [choice.tool_calls for choice in answer.by_choice] == [answer.tool_calls]


@pytest.mark.parametrize(
    ("indices", "finish"),
    [
        pytest.param([0, 1, 2, 0, 1, 2], {}, id="in turns"),
        pytest.param([0, 1, 2], {0: "stop", 1: "stop", 2: "stop"}, id="each whole in one chunk"),
        pytest.param([0, 0, 1, 1, 2, 2], {1: "stop", 3: "stop", 5: "stop"}, id="one after another"),
        pytest.param([0, 1], {1: "stop"}, id="too few to tell"),
        pytest.param([2, 1, 0], {}, id="backwards"),
    ],
)
def test_real_choices_are_kept_apart(indices: list[int], finish: dict[int, str], read: Any) -> None:
    chunks = [
        {"choices": [{"index": index, "delta": {"content": f"{index}"}, "finish_reason": finish.get(at)}]}
        for at, index in enumerate(indices)
    ]
    answer = read("openai-chat", *chunks).answer
    assert answer.index_counts is False
    assert {choice.index for choice in answer.by_choice} == set(indices)
    assert all(set(choice.text) == {str(choice.index)} for choice in answer.by_choice)
    several = [{"choices": [{"index": index, "text": str(index)} for index in (0, 1, 2)]}]
    assert read("openai-completions", *several).answer.choices == 3
