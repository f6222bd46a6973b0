"""Reasoning between tags, and control tokens, told from the text however the deltas are cut."""

from __future__ import annotations

import pickle
import random
from collections.abc import Sequence

import pytest

from sse_tui import dialects
from sse_tui.analysis.analysis import Analysis
from sse_tui.dialects import Answer
from sse_tui.dialects.base import Delta, Finish, Meta, Reasoning, Text, ToolCall
from sse_tui.dialects.markup import PAIRS, Markup, control_tokens, deltas_of, rest_of
from sse_tui.eventstream import Event
from tests.diagnosis.telling import DONE, STOP, Wire, text


def answer(pieces: Sequence[str], *after: Delta) -> Answer:
    markup, read = Markup(), Answer()
    for piece in pieces:
        for delta in markup.split([Text(piece)]):
            read.add(delta)
    for delta in (*markup.split(after), *markup.rest()):
        read.add(delta)
    return read


def cut(whole: str, seed: int) -> list[str]:
    cuts, pieces, at = random.Random(seed), list[str](), 0
    while at < len(whole):
        size = cuts.randint(1, 5)
        pieces.append(whole[at : at + size])
        at += size
    return pieces


@pytest.mark.parametrize("opening", PAIRS)
@pytest.mark.parametrize("seed", range(6))
def test_every_pair_of_tags_however_it_is_cut(opening: str, seed: int) -> None:
    pieces = cut(f"{opening}so\n{PAIRS[opening]}\n\nGood day.", seed)
    read = answer(pieces)
    assert (read.reasoning, read.text) == ("so\n", "\n\nGood day.")


@pytest.mark.parametrize(
    "whole",
    [
        "<thinking about it> is no tag",
        "<html><body>[1] a < b, x <- y</body></html>",
        '["a", "b"]',
        "[/INST] [THIN",
        "<|im_start|>hello<|im_end|>",
        "\n \n",
        "<",
        "see `</think>` there",
        "it ends in </think>",
        "it ends in </think>\n",
        "of <think> and </think> and <think>",
    ],
)
@pytest.mark.parametrize("seed", range(6))
def test_nothing_is_lost_of_other_text(whole: str, seed: int) -> None:
    read = answer(cut(whole, seed))
    assert (read.text, read.reasoning) == (whole, "")


@pytest.mark.parametrize("seed", range(12))
def test_a_closing_tag_alone_makes_the_text_before_it_reasoning(seed: int) -> None:
    pieces = ["so ", "then\n", *cut("</think>", seed), "\n\n", "Good day."]
    read = answer(pieces)
    assert read.text == "\n\nGood day."
    assert read.reasoning.rstrip("<") == "so then\n"  # a lone "<" was given before what follows it was known


def test_each_choice_has_its_own_tags() -> None:
    markup, read = Markup(), Answer()
    for piece in ("<think>", "a", "</think>"):
        for delta in markup.split([Text(piece, 0), Text(piece.strip("</>"), 1)]):
            read.add(delta)
    assert [(choice.reasoning, choice.text) for choice in read.by_choice] == [("a", ""), ("", "thinkathink")]


def test_what_is_held_back_comes_before_what_ends_the_text() -> None:
    for ends in (Finish("stop"), ToolCall(0, "a", "f", "{}"), Meta("done", "[DONE]")):
        markup = Markup()
        assert markup.split([Text("<thi")]) == [Meta("tag", "<thi")]
        assert markup.split([ends]) == [Text("<thi"), ends]
        assert markup.rest() == []


def test_an_unfinished_tag_within_reasoning_is_reasoning() -> None:
    read = answer(["<think>so</th"])
    assert (read.reasoning, read.text) == ("so</th", "")


def test_the_state_can_be_saved_between_two_pieces() -> None:
    dialect = dialects.create("auto")
    found: list[Delta] = []
    for piece in ("<th", "ink>so</thi", "nk>Good", " day"):
        dialect = pickle.loads(pickle.dumps(dialect))
        data = text(piece).decode().removeprefix("data: ").strip()
        found += deltas_of(dialect, Event("message", data, "", 0, 0))
    found += rest_of(dialect)
    assert [delta for delta in found if not isinstance(delta, Meta)] == [
        Reasoning("so"),
        Text("Good"),
        Text(" day"),
    ]


def timed(*pieces: str) -> Analysis:
    story = Wire().ask().good()
    for number, piece in enumerate(pieces, 1):
        story.read(100 * number, text(piece))
    analysis = Analysis()
    for record in story.read(100 * len(pieces) + 100, STOP + DONE).close(9_000, "eof").records:
        analysis.feed(record)
    return analysis


@pytest.mark.parametrize(
    ("pieces", "first", "visible"),
    [
        (("<think>", "so", "</think>", "Good day"), 100, 400),
        (("so", "</think>", "Good", " day"), 100, 300),
        (("Good", " day"), 100, 100),
        (("<", "b>Good</b>"), 100, 200),
    ],
)
def test_the_first_output_is_the_first_text_after_the_reasoning(
    pieces: tuple[str, ...], first: int, visible: int
) -> None:
    turn = timed(*pieces).turn
    assert turn is not None
    clocks = turn.clocks.clocks()
    assert clocks.ttft is not None
    assert clocks.ttfo is not None
    assert clocks.ttfo - clocks.ttft == visible - first
    assert turn.gaps.token_events == len(pieces)


def test_the_transcript_says_what_is_reasoning_in_the_order_of_arrival() -> None:
    turn = timed("so", " then", "</think>", "Good day").turn
    assert turn is not None
    passages = [(passage.channel, passage.text) for passage in turn.transcript]
    assert passages == [("reasoning", "so then"), ("text", "Good day")]


@pytest.mark.parametrize(
    ("whole", "tokens"),
    [
        ("a<|im_end|>b", ["<|im_end|>"]),
        ("<|start_header_id|>user<|end_header_id|>", ["<|start_header_id|>", "<|end_header_id|>"]),
        ("a<\uff5cend\u2581of\u2581sentence\uff5c>", ["<\uff5cend\u2581of\u2581sentence\uff5c>"]),
        ("<start_of_turn>model", ["<start_of_turn>"]),
        ("[INST] a [/INST]", ["[INST]", "[/INST]"]),
        ("a</s>", ["</s>"]),
        ("<s>a</s> b", []),
        ("a | b <|> c || d", []),
        ("x <| y |> z", []),
    ],
)
def test_control_tokens(whole: str, tokens: list[str]) -> None:
    assert [token for _, token in control_tokens(whole)] == tokens
