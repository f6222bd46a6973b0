"""Text Generation Inference, llama.cpp's own endpoint and the older text completions."""

from __future__ import annotations

from typing import Any

import pytest

from sse_tui.dialects.base import Malformed, Progress, StreamFault, Text


def token(text: str, special: bool = False, **members: Any) -> dict[str, Any]:
    return {
        "token": {"id": 1, "text": text, "logprob": -0.1, "special": special},
        "generated_text": None,
        **members,
    }


class TestTGI:
    def test_special_tokens_are_no_text(self, read: Any) -> None:
        details = {"finish_reason": "eos_token", "generated_tokens": 2, "input_length": 4}
        told = read("tgi", token("Hi"), token("</s>", special=True, generated_text="Hi", details=details))
        assert told.answer.text == "Hi"
        assert (told.answer.finish_reason, told.answer.usage) == ("eos_token", {"input": 4, "output": 2})
        assert (told.dialect.ended, told.dialect.complete) == (True, True)

    def test_generated_text_ends_it_even_when_empty(self, read: Any) -> None:
        assert read("tgi", token("", generated_text="")).dialect.complete is True
        assert read("tgi", token("a")).dialect.complete is False

    def test_errors(self, read: Any) -> None:
        told = read("tgi", token("a"), {"error": "Model is overloaded", "error_type": "overloaded"})
        assert told.answer.error == StreamFault("overloaded", None, "Model is overloaded")
        assert (told.dialect.ended, told.dialect.complete) == (False, False)

    def test_a_broken_token(self, read: Any) -> None:
        assert len(read("tgi", {"token": 3}).of(Malformed)) == 1


class TestLlamaCpp:
    def test_a_completion(self, read: Any) -> None:
        timings = {"prompt_ms": 100.0, "predicted_ms": 20.0}
        told = read(
            "llamacpp-native",
            {"content": "", "stop": False, "prompt_progress": {"total": 100, "processed": 50}},
            {"content": "Hi", "tokens": [5], "stop": False},
            {"content": "", "stop": True, "stop_type": "eos", "tokens_predicted": 1, "tokens_evaluated": 9,
             "model": "m", "timings": timings},
        )  # fmt: skip
        assert told.of(Progress) == [Progress(50, 100)]
        assert (told.answer.text, told.answer.finish_reason, told.answer.model) == ("Hi", "eos", "m")
        assert told.answer.usage == {"input": 9, "output": 1}
        assert told.metas("timings") == [timings]
        assert (told.dialect.ended, told.dialect.complete) == (True, True)

    @pytest.mark.parametrize(
        ("flag", "reason"), [("stopped_eos", "eos"), ("stopped_limit", "limit"), ("stopped_word", "word")]
    )
    def test_the_reasons_of_older_builds(self, flag: str, reason: str, read: Any) -> None:
        assert (
            read("llamacpp-native", {"content": "", "stop": True, flag: True}).answer.finish_reason == reason
        )

    def test_prompts_sent_together(self, read: Any) -> None:
        told = read(
            "llamacpp-native",
            {"index": 1, "content": "b", "stop": False},
            {"index": 0, "content": "a", "stop": False},
            {"index": 0, "content": "", "stop": True, "stop_type": "eos"},
        )
        assert [(choice.index, choice.text) for choice in told.answer.by_choice] == [(0, "a"), (1, "b")]
        assert (told.answer.text, told.answer.choices, told.dialect.ended) == ("a", 2, False)

    def test_errors(self, read: Any) -> None:
        told = read("llamacpp-native", {"error": {"code": 500, "message": "x", "type": "server_error"}})
        assert told.answer.error == StreamFault("server_error", 500, "x")
        assert told.dialect.complete is False


class TestCompletions:
    def test_a_completion(self, read: Any) -> None:
        usage = {"prompt_tokens": 3, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 2}}
        told = read(
            "openai-completions",
            {"object": "text_completion", "model": "m", "choices": [{"text": "Hi", "index": 0, "finish_reason": None}]},
            {"choices": [{"text": "", "index": 0, "finish_reason": "stop"}]},
            {"choices": [], "usage": usage},
            "[DONE]",
        )  # fmt: skip
        assert (told.answer.text, told.answer.finish_reason, told.answer.model) == ("Hi", "stop", "m")
        assert told.answer.usage == {"input": 3, "output": 1, "cached": 2}
        assert (told.dialect.ended, told.dialect.complete) == (True, True)

    def test_choices_without_an_index(self, read: Any) -> None:
        told = read("openai-completions", {"choices": [{"text": "a", "index": None}, {"text": "b"}]})
        assert told.all == [Text("a", 0), Text("b", 1)]
        assert told.dialect.complete is False

    def test_errors(self, read: Any) -> None:
        told = read(
            "openai-completions", {"error": {"message": "x", "type": "server_error", "code": None}}, "[DONE]"
        )
        assert told.answer.error == StreamFault("server_error", None, "x")
        assert (told.dialect.ended, told.dialect.complete) == (True, False)

    @pytest.mark.parametrize("payload", [{"choices": 3}, {"choices": [3]}, {"choices": [{"text": 3}]}])
    def test_what_breaks_the_shape(self, payload: Any, read: Any) -> None:
        assert len(read("openai-completions", payload).of(Malformed)) == 1
