"""Which counts a rate may be computed from: those that cover the tokens that were timed."""

from __future__ import annotations

from typing import Any

import pytest

from sse_tui.analysis.jsonform import result_json
from tests.analysis.story import Story
from tests.diagnosis.building import (
    CLAUDE_BLOCK,
    CLAUDE_START,
    CLAUDE_STOP,
    STOP,
    chunk,
    claude,
    claude_end,
    claude_text,
    event,
    gemini,
    said,
)
from tests.diagnosis.telling import read


def result_of(dialect: str, *reads: bytes) -> dict[str, Any]:
    """The result of a stream with a read every 100 ms."""
    story = Story().request(0, dialect=dialect).response(1)
    for at, data in enumerate(reads, 1):
        story.read(100 * at, data)
    analysis = read(story.close(100 * len(reads) + 1, "eof").records)
    assert analysis.turn is not None
    return result_json(analysis, analysis.turn)


TEXT = tuple(claude(claude_text(word)) for word in ("calm", " sea", " and", " sky"))


def test_the_count_at_the_start_of_a_cut_message_makes_no_rate() -> None:
    result = result_of("anthropic-messages", claude(CLAUDE_START), claude(CLAUDE_BLOCK), *TEXT)
    assert result["outcome"] == "truncated"
    assert result["usage"] == {"input": 25, "output": 1}
    gaps = result["gaps"]
    assert (gaps["tokens_from"], gaps["tpot_ms"], gaps["tokens_per_event"]) == ("events", 100, None)


def test_the_count_at_its_end_does() -> None:
    end = claude(CLAUDE_STOP, *claude_end(7))
    gaps = result_of("anthropic-messages", claude(CLAUDE_START), claude(CLAUDE_BLOCK), *TEXT, end)["gaps"]
    assert (gaps["tokens_from"], gaps["tpot_ms"]) == ("usage", 50)


def test_a_running_count_covers_the_text_before_a_cut() -> None:
    reads = [
        chunk({"content": "ab"}, usage={"prompt_tokens": 3, "completion_tokens": 2 * n}) for n in range(1, 5)
    ]
    gaps = result_of("openai-chat", *reads)["gaps"]
    assert (gaps["tokens_from"], gaps["tpot_ms"]) == ("usage", pytest.approx(300 / 7, abs=0.001))


def test_text_after_the_last_count_is_not_covered() -> None:
    usage = event({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 40}})
    gaps = result_of("openai-chat", said("a"), usage, said("b"), said("c"), STOP)["gaps"]
    assert (gaps["tokens_from"], gaps["tpot_ms"]) == ("events", 100 * 3 / 2)


@pytest.mark.parametrize("total", [112, None])
def test_reasoning_that_is_counted_beside_the_output_is_not_taken_from_it(total: int | None) -> None:
    """Gemini counts its hidden thoughts beside the candidates: 7 tokens came, not 7 less 100."""
    usage = {"promptTokenCount": 5, "candidatesTokenCount": 7, "thoughtsTokenCount": 100}
    if total is not None:
        usage["totalTokenCount"] = total
    result = result_of(
        "gemini", gemini("a"), gemini("b"), gemini("c"), gemini("d", "STOP", usageMetadata=usage)
    )
    assert result["usage"] == {"input": 5, "output": 7, "reasoning": 100}
    assert (result["gaps"]["tokens_from"], result["gaps"]["tpot_ms"]) == ("usage", 50)


def test_nor_where_the_total_shows_it() -> None:
    usage = {
        "prompt_tokens": 5,
        "completion_tokens": 4,
        "total_tokens": 29,
        "completion_tokens_details": {"reasoning_tokens": 20},
    }
    result = result_of("openai-chat", said("a"), said("b"), said("c"), event({"choices": [], "usage": usage}))
    assert result["usage"] == {"input": 5, "output": 24, "reasoning": 20}
    assert result["gaps"]["tpot_ms"] == pytest.approx(200 / 3, abs=0.001)
