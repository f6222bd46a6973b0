"""Lists of parts, and reasoning under its many names."""

from __future__ import annotations

from typing import Any

import pytest

from sse_tui.dialects.base import Reasoning, Refusal, Text
from sse_tui.dialects.content_parts import REASONING, pieces_of, reasoning_in


@pytest.mark.parametrize(
    ("part", "piece"),
    [
        ("a", (Text, "a")),
        ({"type": "text", "text": "a"}, (Text, "a")),
        ({"type": "output_text", "text": "a", "annotations": []}, (Text, "a")),
        ({"type": "text", "text": {"value": "a", "annotations": []}}, (Text, "a")),
        ({"type": "of a later version", "text": "a"}, (Text, "a")),
        ({"text": "a"}, (Text, "a")),
        ({"type": "thinking", "thinking": "a", "signature": "s"}, (Reasoning, "a")),
        ({"type": "thinking", "thinking": [{"type": "text", "text": "a"}], "closed": True}, (Reasoning, "a")),
        ({"type": "reasoning", "reasoning": "a"}, (Reasoning, "a")),
        ({"type": "reasoning", "text": "a"}, (Reasoning, "a")),
        ({"type": "reasoning", "summary": [{"type": "summary_text", "text": "a"}]}, (Reasoning, "a")),
        ({"type": "reasoning_text", "text": "a"}, (Reasoning, "a")),
        ({"type": "summary_text", "text": "a"}, (Reasoning, "a")),
        ({"thinking": "a"}, (Reasoning, "a")),
        ({"type": "refusal", "refusal": "a"}, (Refusal, "a")),
        ({"type": "image_url", "image_url": {"url": "data:,"}}, None),
        ({"type": "input_audio", "input_audio": {"data": ""}}, None),
        ({"type": "text", "text": ""}, None),
        ({"type": "text", "text": 5}, None),
        ({"type": 5, "text": "a"}, (Text, "a")),
        (5, None),
        (None, None),
    ],
)
def test_a_part(part: Any, piece: Any) -> None:
    assert list(pieces_of([part])) == ([] if piece is None else [piece])


@pytest.mark.parametrize("name", REASONING)
@pytest.mark.parametrize("value", ["a", {"content": "a"}, [{"type": "x", "text": "a"}], [{"summary": "a"}]])
def test_every_name_of_reasoning(name: str, value: Any) -> None:
    assert reasoning_in({"role": "assistant", name: value}) == "a"


def test_the_same_reasoning_twice_counts_once() -> None:
    assert reasoning_in({"reasoning": "a", "reasoning_content": "a", "thinking": None}) == "a"
    assert reasoning_in({"reasoning": None, "reasoning_details": [{"type": "reasoning.encrypted"}]}) == ""


def test_lists_in_lists_are_followed_for_a_while() -> None:
    deep: Any = "a"
    for _ in range(50):
        deep = [deep]
    assert reasoning_in({"reasoning": deep}) == ""
