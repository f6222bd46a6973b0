"""The chunks are OpenAI's, whatever the text."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from sse_tui.engine.interface import Final, Timings
from sse_tui.server.chunks import ChatChunks

FINAL = Final(
    finish="stop",
    prompt_tokens=3,
    completion_tokens=2,
    timings=Timings(queue_ms=1, cache_n=1, prompt_n=2, prompt_ms=10, predicted_n=2, predicted_ms=40),
)


def chunks(**fields: bool) -> ChatChunks:
    return ChatChunks(id="chatcmpl-1", model='m"1', fingerprint="f", created=7, **fields)


@given(st.text())
def test_any_text_comes_back_and_keeps_to_one_line(text: str) -> None:
    chunk = chunks().content(text)
    assert json.loads(chunk)["choices"][0]["delta"] == {"content": text}
    assert chunk.splitlines() == [chunk], "not even where Unicode would end a line"


def test_the_parts_of_a_stream() -> None:
    made = chunks()
    head = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 7,
        "model": 'm"1',
        "system_fingerprint": "f",
    }
    for text, delta, reason in (
        (made.role(), {"role": "assistant", "content": "", "refusal": None}, None),
        (made.content("x"), {"content": "x"}, None),
        (made.finish(FINAL), {}, "stop"),
    ):
        chunk = json.loads(text)
        timings = chunk.pop("timings", None)
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        assert chunk == head | {"choices": [choice]}
        assert (timings is None) == (reason is None)
    timings = json.loads(made.finish(FINAL))["timings"]
    assert (timings["prompt_per_second"], timings["predicted_per_second"]) == (200, 50)
    assert (timings["cache_n"], timings["predicted_per_token_ms"]) == (1, 20)


def test_with_usage_every_chunk_says_so() -> None:
    made = chunks(include_usage=True)
    for text in (made.role(), made.content("x"), made.finish(FINAL)):
        assert json.loads(text)["usage"] is None
    usage = json.loads(made.usage(FINAL))
    assert usage["choices"] == []
    assert usage["usage"] == {
        "prompt_tokens": 3,
        "completion_tokens": 2,
        "total_tokens": 5,
        "prompt_tokens_details": {"cached_tokens": 1},
    }


def test_timings_of_nothing_are_unknown_and_not_infinite() -> None:
    timings = json.loads(chunks().finish(Final(finish="stop")))["timings"]
    assert timings["predicted_per_second"] is None
    assert timings["predicted_per_token_ms"] is None
