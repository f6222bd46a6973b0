"""The answer in the order of arrival: few strings, and readable from any character on."""

from __future__ import annotations

import random
import sys
from typing import Any

import pytest

from sse_tui.dialects import Answer
from sse_tui.dialects.base import Text
from sse_tui.dialects.pieces import LOOSE
from sse_tui.dialects.transcript import Transcript


def said(transcript: Transcript, offset: int = 0) -> list[tuple[str, str]]:
    """What stands from `offset` on, a run of one channel as one."""
    runs: list[tuple[str, str]] = []
    for channel, text, _ in transcript.since(offset):
        if runs and runs[-1][0] == channel:
            runs[-1] = (channel, runs[-1][1] + text)
        else:
            runs.append((channel, text))
    return runs


@pytest.mark.parametrize("seed", range(20))
def test_a_reader_that_comes_now_and_then_sees_every_character_once(seed: int) -> None:
    choose = random.Random(seed)
    transcript = Transcript()
    told: list[Any] = []
    read: list[Any] = []
    seen = 0
    for number in range(3_000):
        channel = choose.choices(["text", "reasoning", "tool"], [50, 1, 1])[0]
        text = f"{number} "
        transcript.append(channel, text)
        told.append((channel, text))
        if choose.random() < 0.1:
            read += transcript.since(seen)
            seen = transcript.length
    read += transcript.since(seen)
    for channel in ("text", "reasoning", "tool"):
        everything = "".join(text for said_by, text in told if said_by == channel)
        assert "".join(text for said_by, text, _ in read if said_by == channel) == everything
        assert "".join(piece.text for piece in transcript if piece.channel == channel) == everything
    assert transcript.length == sum(len(text) for _, text in told)


def test_it_is_read_from_the_middle_of_a_piece() -> None:
    transcript = Transcript()
    for channel, text in (("reasoning", "abc"), ("text", "def"), ("text", "ghi")):
        transcript.append(channel, text)
    assert said(transcript) == [("reasoning", "abc"), ("text", "defghi")]
    assert said(transcript, 2) == [("reasoning", "c"), ("text", "defghi")]
    assert said(transcript, 4) == [("text", "efghi")]
    assert said(transcript, 9) == []


@pytest.mark.parametrize("read_every", [1, 0])
def test_a_token_costs_little_more_than_its_characters(read_every: int) -> None:
    transcript = Transcript()
    for number in range(50_000):
        transcript.append("text", " word")
        if read_every:
            assert sum(len(piece.text) for piece in transcript.since(number * 5)) == 5
    pieces = list(transcript)
    assert sum(sys.getsizeof(piece.text) for piece in pieces) < 1.3 * transcript.length
    assert len(pieces) < 50_000 / LOOSE * 2


@pytest.mark.parametrize("seed", range(10))
def test_each_part_is_there_whole_whatever_came_between(seed: int) -> None:
    choose = random.Random(seed)
    transcript, arrived = Transcript(), []
    parts: dict[tuple[str, int, int], str] = {}
    for number in range(3_000):
        channel = choose.choice(["text", "reasoning"])
        index, part = choose.randrange(3), choose.randrange(2)
        text = choose.choice(["", "x", f"{number} " * 5])
        transcript.append(channel, text, index, part)
        arrived.append((channel, text))
        parts[channel, index, part] = parts.get((channel, index, part), "") + text
        if choose.random() < 0.02:
            channel = choose.choice(["text", "reasoning", "refusal"])
            expected = "".join(parts[key] for key in sorted(parts) if key[0] == channel)
            assert transcript.text(channel) == expected
            assert transcript.text(channel) is transcript.text(channel)
            assert transcript.length_of(channel) == len(expected)
    everything = "".join(text for _, text in arrived)
    assert "".join(text for _, text, _ in transcript) == everything
    for offset in range(0, len(everything), 997):
        assert "".join(text for _, text, _ in transcript.since(offset)) == everything[offset:]
    assert {(c, i) for c in ("text", "reasoning") for i in transcript.choices(c)} == {
        key[:2] for key in parts
    }


def test_a_text_that_is_read_while_it_grows_is_held_once() -> None:
    answer = Answer()
    for number in range(100_000):
        answer.add(Text(" word"))
        if number % 1_000 == 0:
            assert answer.text.endswith(" word")
            assert sum(len(text) for _, text, _ in answer.transcript.since(5 * number)) == 5
    assert answer.text is answer.text
    assert next(iter(answer.transcript)).text is answer.text
