"""Smaller streams of services: assistants, transcription, watsonx.ai, Replicate, Writer, Mistral's agents."""

from __future__ import annotations

from typing import Any

import pytest

from sse_tui.dialects.base import Malformed, Meta, StreamFault, Text


def run(status: str, **members: Any) -> tuple[str, dict[str, Any]]:
    return f"thread.run.{status}", {
        "id": "run_1",
        "object": "thread.run",
        "model": "m",
        "status": status,
        **members,
    }


def step(step_id: str, *calls: Any) -> tuple[str, dict[str, Any]]:
    details = {"type": "tool_calls", "tool_calls": list(calls)}
    return "thread.run.step.delta", {
        "id": step_id,
        "object": "thread.run.step.delta",
        "delta": {"step_details": details},
    }


def words(message: str, *content: Any) -> tuple[str, dict[str, Any]]:
    return "thread.message.delta", {
        "id": message,
        "object": "thread.message.delta",
        "delta": {"content": list(content)},
    }


class TestAssistants:
    def test_a_run(self, read: Any) -> None:
        usage = {"prompt_tokens": 9, "completion_tokens": 2, "prompt_token_details": {"cached_tokens": 1}}
        told = read(
            "openai-assistants",
            run("queued"),
            words("m1", {"index": 0, "type": "text", "text": {"value": "a", "annotations": []}}),
            words("m2", {"index": 0, "type": "text", "text": {"value": "c"}}),
            words("m1", {"index": 1, "text": {"value": "b", "annotations": [{"type": "file_citation"}]}}),
            run("completed", usage=usage),
            ("done", "[DONE]"),
        )
        assert (told.answer.text, told.answer.model) == ("abc", "m")
        assert told.answer.usage == {"input": 9, "output": 2, "cached": 1}
        assert told.metas("citation") == [{"type": "file_citation"}]
        assert (told.answer.finish_reason, told.answer.done_sentinel) == ("completed", True)
        assert (told.dialect.ended, told.dialect.complete) == (True, True)

    def test_calls(self, read: Any) -> None:
        told = read(
            "openai-assistants",
            step(
                "s1",
                {"index": 0, "id": "c1", "type": "code_interpreter", "code_interpreter": {"input": "1+"}},
            ),
            step("s1", {"index": 0, "type": "code_interpreter", "code_interpreter": {"input": "1"}}),
            step("s1", {"index": 1, "id": "c2", "type": "file_search", "file_search": {}}),
            step(
                "s2",
                {"index": 0, "id": "c3", "type": "function", "function": {"name": "f", "arguments": "{"}},
            ),
            step("s2", {"index": 0, "type": "function", "function": {"arguments": "}"}}),
            run("requires_action"),
        )
        assert told.answer.tool_calls == [{"id": "c3", "name": "f", "arguments": "{}"}]
        kinds = [call["type"] for call in told.answer.server_tool_calls]
        assert (kinds, told.metas("code")) == (["code_interpreter", "file_search"], ["1+", "1"])
        assert (told.answer.finish_reason, told.dialect.complete) == ("requires_action", True)

    def test_failures(self, read: Any) -> None:
        told = read(
            "openai-assistants", run("failed", last_error={"code": "rate_limit_exceeded", "message": "x"})
        )
        assert told.answer.error == StreamFault(None, "rate_limit_exceeded", "x")
        assert told.dialect.complete is False
        told = read("openai-assistants", ("error", {"error": {"message": "gone", "type": "server_error"}}))
        assert told.answer.error == StreamFault("server_error", None, "gone")

    def test_an_incomplete_run(self, read: Any) -> None:
        told = read(
            "openai-assistants", run("incomplete", incomplete_details={"reason": "max_prompt_tokens"})
        )
        assert told.answer.incomplete_reason == "max_prompt_tokens"


class TestTranscription:
    def test_a_transcription(self, read: Any) -> None:
        told = read(
            "openai-transcription",
            {"type": "transcript.text.delta", "delta": "Hel"},
            {"type": "transcript.text.delta", "delta": "lo"},
            {"type": "transcript.text.segment", "text": " Hello", "speaker": "A"},
            {
                "type": "transcript.text.done",
                "text": "Hello",
                "usage": {"input_tokens": 3, "output_tokens": 2},
            },
        )
        assert (told.answer.text, told.answer.final_text) == ("Hello", "Hello")
        assert told.answer.usage == {"input": 3, "output": 2}
        assert (told.dialect.ended, told.dialect.complete) == (True, True)

    def test_usage_in_seconds_is_no_count_of_tokens(self, read: Any) -> None:
        done = {"type": "transcript.text.done", "text": "", "usage": {"type": "duration", "seconds": 3}}
        assert read("openai-transcription", done).answer.usage is None


class TestWatsonx:
    def test_counts_grow(self, read: Any) -> None:
        def result(text: str, tokens_in: int, tokens_out: int, reason: str) -> dict[str, Any]:
            counts = {"generated_token_count": tokens_out, "input_token_count": tokens_in}
            return {"model_id": "m", "results": [{"generated_text": text, "stop_reason": reason, **counts}]}

        told = read(
            "watsonx",
            result("", 8, 0, "not_finished"),
            result("Hi", 0, 1, "NOT_FINISHED"),
            result("", 0, 2, "eos_token"),
        )
        assert (told.answer.text, told.answer.model) == ("Hi", "m")
        assert told.answer.usage == {"input": 8, "output": 2}
        assert (told.answer.finish_reason, told.dialect.complete, told.dialect.ended) == (
            "eos_token",
            True,
            False,
        )

    def test_errors(self, read: Any) -> None:
        told = read(
            "watsonx", ("error", {"errors": [{"code": "downstream", "message": "x"}], "status_code": 500})
        )
        assert told.answer.error == StreamFault(None, "downstream", "x")
        assert told.dialect.complete is False


class TestReplicate:
    def test_text_as_it_is(self, read: Any) -> None:
        told = read(
            "replicate",
            ("output", ""),
            ("output", " a\n\nb"),
            ("output", "{}"),
            ("logs", "step 1"),
            ("done", "{}"),
        )
        assert told.answer.text == " a\n\nb{}"
        assert told.metas("log") == ["step 1"]
        assert (told.answer.finish_reason, told.dialect.ended, told.dialect.complete) == (None, True, True)

    def test_canceled(self, read: Any) -> None:
        told = read("replicate", ("output", "a"), ("done", '{"reason":"canceled"}'), ("output", "b"))
        assert (told.answer.finish_reason, told.dialect.complete, told.answer.text) == (
            "canceled",
            False,
            "a",
        )

    @pytest.mark.parametrize(
        ("data", "message"), [("out of memory", "out of memory"), ('{"detail":"gone"}', "gone"), ("", None)]
    )
    def test_errors(self, data: str, message: str | None, read: Any) -> None:
        told = read("replicate", ("error", data))
        assert told.answer.error == StreamFault(None, None, message)
        assert told.dialect.complete is False


class TestWriter:
    def test_values(self, read: Any) -> None:
        told = read("writer-completions", {"value": "a"}, {"value": "b"}, {"value": 3})
        assert told.answer.text == "ab"
        assert len(told.of(Malformed)) == 1
        assert (told.dialect.ended, told.dialect.complete) == (False, None), (
            "a cut cannot be told from the end"
        )
        assert read("writer-completions", {"error": {"message": "x"}}).dialect.complete is False


class TestMistralConversations:
    def test_a_turn(self, read: Any) -> None:
        told = read(
            "mistral-conversations",
            {"type": "conversation.response.started", "conversation_id": "conv_1"},
            {"type": "tool.execution.started", "id": "t", "name": "web_search", "arguments": '{"q"'},
            {"type": "tool.execution.delta", "id": "t", "name": "web_search", "arguments": ":1}"},
            {"type": "tool.execution.done", "id": "t", "name": "web_search", "info": {}},
            {"type": "agent.handoff.started", "previous_agent_id": "a"},
            {"type": "message.output.delta", "output_index": 1, "content_index": 0, "model": "m",
             "content": {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}},
            {"type": "message.output.delta", "output_index": 1, "content_index": 1, "content": "Hi"},
            {"type": "message.output.delta", "output_index": 1, "content_index": 2,
             "content": {"type": "tool_reference", "title": "x"}},
            {"type": "function.call.delta", "id": "fc", "tool_call_id": "c", "name": "f", "arguments": '{"x"'},
            {"type": "function.call.delta", "id": "fc", "tool_call_id": "c", "name": "f", "arguments": ":1}"},
            {"type": "conversation.response.done", "usage": {"prompt_tokens": 5, "completion_tokens": 3}},
        )  # fmt: skip
        assert (told.answer.text, told.answer.reasoning, told.answer.model) == ("Hi", "hm", "m")
        assert told.answer.tool_calls == [{"id": "c", "name": "f", "arguments": '{"x":1}'}]
        assert told.answer.server_tool_calls == [
            {"type": "tool.execution", "name": "web_search", "arguments": '{"q":1}'}
        ]
        assert told.answer.usage == {"input": 5, "output": 3}
        assert (told.dialect.ended, told.dialect.complete) == (True, True)

    def test_errors(self, read: Any) -> None:
        told = read(
            "mistral-conversations", {"type": "conversation.response.error", "message": "x", "code": 3}
        )
        assert told.answer.error == StreamFault(None, 3, "x")
        assert told.dialect.complete is False

    def test_its_chunks_are_openais(self, read: Any) -> None:
        told = read("auto", {"type": "message.output.delta", "content": "a"})
        assert (told.dialect.name, told.all) == ("mistral-conversations", [Text("a")])


def test_heartbeats_and_text_that_is_no_json(read: Any) -> None:
    told = read(
        "watsonx",
        "",
        ("ping", "x"),
        ": keep-alive",
        "nonsense",
        "[]",
        ("error", "gone"),
        ("error", ""),
        ("error", "3"),
    )
    assert told.deltas[0] == [Meta("ping", "")]
    assert isinstance(told.deltas[2][0], Meta)
    assert [type(delta) for delta in told.deltas[3]] == [Malformed]
    assert "an array" in told.deltas[4][0].reason
    assert told.deltas[5][-1] == StreamFault(None, None, "gone")
    assert told.deltas[6] == [StreamFault(None, None, None)]
    assert told.deltas[7][-1] == StreamFault(None, None, "3")
    assert told.answer.json_errors == 4
