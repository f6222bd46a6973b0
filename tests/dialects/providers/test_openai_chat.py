"""Chat completion chunks, one quirk at a time; the payloads are such as servers are known to send."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sse_tui.dialects import Answer, OpenAIChat
from sse_tui.dialects.base import (
    Delta,
    Finish,
    Malformed,
    Meta,
    Progress,
    Reasoning,
    Refusal,
    StreamFault,
    Text,
    ToolCall,
    Usage,
)
from sse_tui.eventstream import Event


def event(data: Any, type: str = "message") -> Event:
    return Event(type, data if isinstance(data, str) else json.dumps(data), "", 0, 0)


def choice(delta: Any = None, finish: Any = None, index: Any = 0, **more: Any) -> dict[str, Any]:
    return {"index": index, "delta": {} if delta is None else delta, "finish_reason": finish, **more}


def chunk(delta: Any = None, finish: Any = None, index: Any = 0, **more: Any) -> dict[str, Any]:
    return {"object": "chat.completion.chunk", "choices": [choice(delta, finish, index)], **more}


def read(*payloads: Any) -> list[Delta]:
    dialect = OpenAIChat()
    return [delta for payload in payloads for delta in dialect.read(as_event(payload))]


def as_event(payload: Any) -> Event:
    return payload if isinstance(payload, Event) else event(payload)


def answer(*payloads: Any) -> Answer:
    assembled = Answer()
    for delta in read(*payloads):
        assembled.add(delta)
    return assembled


def reader(*payloads: Any) -> OpenAIChat:
    dialect = OpenAIChat()
    for payload in payloads:
        dialect.read(as_event(payload))
    return dialect


def same(found: list[Delta], *expected: Delta) -> bool:
    """Equality with types: as tuples a Text and a Reasoning with the same fields are equal."""
    return found == list(expected) and [type(d) for d in found] == [type(d) for d in expected]


class TestContent:
    def test_a_whole_stream_with_usage(self) -> None:
        deltas = read(
            {"id": "c1", "model": "m", **chunk({"role": "assistant", "content": ""}), "usage": None},
            {"id": "c1", "model": "m", **chunk({"content": "Hi"}), "usage": None},
            {"id": "c1", "model": "m", **chunk({}, "stop"), "usage": None},
            {"id": "c1", "model": "m", "choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 1}},
            "[DONE]",
        )
        assert same(
            deltas,
            Meta("model", "m"),
            Meta("id", "c1"),
            Meta("role", "assistant"),
            Text("Hi"),
            Finish("stop"),
            Usage(3, 1),
            Meta("done", "[DONE]"),
        )

    @pytest.mark.parametrize("content", ["", None, []])
    def test_empty_content_is_no_delta(self, content: Any) -> None:
        assert read(chunk({"content": content})) == []

    def test_spaces_belong_to_the_text(self) -> None:
        assert same(read(chunk({"content": "  a \n"})), Text("  a \n"))

    def test_null_everywhere_is_the_same_as_absent(self) -> None:
        nulls = {"role": None, "content": None, "tool_calls": None, "function_call": None, "refusal": None}
        assert read(chunk({**nulls, "reasoning": None, "reasoning_content": None, "audio": None})) == []
        assert read({"choices": None, "usage": None, "error": None, "model": None, "id": None}) == []
        assert read({"choices": [None, {"index": None, "delta": None, "finish_reason": None}]}) == []

    def test_usage_beside_null_choices(self) -> None:
        assert same(read({"choices": None, "usage": {"completion_tokens": 1}}), Usage(None, 1))

    def test_choices_without_an_index_go_by_position(self) -> None:
        payload = {"choices": [{"delta": {"content": "a"}}, {"delta": {"content": "b"}}]}
        assert same(read(payload), Text("a", 0), Text("b", 1))

    def test_several_choices_are_kept_apart_in_the_order_of_their_index(self) -> None:
        assembled = answer(
            chunk({"content": "b1"}, index=1), chunk({"content": "a"}), chunk({"content": "b2"}, index=1)
        )
        assert [(choice.index, choice.text) for choice in assembled.by_choice] == [(0, "a"), (1, "b1b2")]
        assert (assembled.text, assembled.choices) == ("a", 2)

    def test_a_message_beside_a_delta_is_ignored(self) -> None:
        both = choice({"content": "b"}, message={"role": "assistant", "content": "ab"})
        assert same(read({"choices": [both]}), Text("b"))

    def test_refusals_are_not_text(self) -> None:
        assembled = answer(chunk({"refusal": "I can"}), chunk({"refusal": "not."}))
        assert (assembled.text, assembled.refusal) == ("", "I cannot.")

    def test_content_in_parts(self) -> None:
        parts = [
            {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}, {"type": "text", "text": "m"}]},
            {"type": "thinking", "thinking": "plain"},
            {"type": "text", "text": "Hi"},
            {"type": "reference", "reference_ids": [1]},
            {"type": "refusal", "refusal": "no"},
            "bare",
            None,
        ]
        assert same(
            read(chunk({"content": parts})),
            Reasoning("hmm"),
            Reasoning("plain"),
            Text("Hi"),
            Refusal("no"),
            Text("bare"),
        )

    def test_the_role_is_told_once(self) -> None:
        deltas = read(*[chunk({"role": "assistant", "content": "a"})] * 3)
        assert same(deltas, Meta("role", "assistant"), Text("a"), Text("a"), Text("a"))

    def test_the_model_is_told_when_it_changes_and_empty_names_do_not_count(self) -> None:
        deltas = read({"model": ""}, {"model": "a"}, {"model": "a"}, {"model": ""}, {"model": "b"})
        assert same(deltas, Meta("model", "a"), Meta("model", "b"))

    def test_half_a_surrogate_pair_becomes_a_replacement_character(self) -> None:
        half = '{"choices":[{"index":0,"delta":{"content":"a\\ud83d"}}]}'
        assert answer(half, chunk({"content": "b"})).text == answer(half, half.replace("a\\ud83d", "b")).text
        assert answer(half, chunk({"content": "b"})).text == "a\ufffdb"
        assert answer(half, chunk({}, "stop")).text == "a\ufffd"
        assert read('{"choices":[{"index":0,"delta":{"content":"\\ud83d\\ude00"}}]}') == [Text("😀")]

    def test_audio_transcript(self) -> None:
        assert read(chunk({"audio": {"transcript": "hey"}})) == [Text("hey"), Meta("audio", 0)]
        assert same(read(chunk({"audio": {"data": "AAAA"}})), Meta("audio", 3))


class TestReasoning:
    @pytest.mark.parametrize("name", ["reasoning", "reasoning_content"])
    def test_both_spellings(self, name: str) -> None:
        assert same(read(chunk({name: "hm", "content": None})), Reasoning("hm"))

    def test_the_same_reasoning_in_three_members_counts_once(self) -> None:
        delta = {
            "reasoning_content": "hm",
            "reasoning": "hm",
            "reasoning_details": [{"type": "reasoning.text", "text": "hm"}],
        }
        assert same(read(chunk(delta)), Reasoning("hm"))

    def test_details_alone(self) -> None:
        details = [
            {"type": "reasoning.summary", "summary": "In short"},
            {"type": "reasoning.text", "text": "hm", "signature": None},
            {"type": "reasoning.encrypted", "data": "c2VjcmV0"},
            None,
        ]
        assert same(read(chunk({"reasoning": None, "reasoning_details": details})), Reasoning("In shorthm"))

    def test_an_empty_spelling_gives_way_to_the_next(self) -> None:
        assert same(read(chunk({"reasoning_content": "", "reasoning": "hm"})), Reasoning("hm"))

    def test_reasoning_comes_before_the_text_of_the_same_chunk(self) -> None:
        assert same(read(chunk({"content": "Hi", "reasoning": "hm"})), Reasoning("hm"), Text("Hi"))


def call(
    index: Any = 0, id: Any = None, name: Any = None, arguments: Any = None, **more: Any
) -> dict[str, Any]:
    """A chunk with one piece of a tool call; what is None is left out."""
    piece: dict[str, Any] = {"index": index, "id": id, **more}
    function = {"name": name, "arguments": arguments}
    piece["function"] = {key: value for key, value in function.items() if value is not None}
    return chunk({"tool_calls": [{key: value for key, value in piece.items() if value is not None}]})


class TestToolCalls:
    def test_parallel_calls_interleave_by_index(self) -> None:
        assembled = answer(
            call(0, "a", "f", ""),
            call(0, arguments='{"x":'),
            call(1, "b", "g", "{}"),
            call(0, arguments="1}"),
        )
        assert assembled.tool_calls == [
            {"id": "a", "name": "f", "arguments": '{"x":1}'},
            {"id": "b", "name": "g", "arguments": "{}"},
        ]

    def test_the_first_piece_is_a_delta_without_arguments(self) -> None:
        assert same(read(call(0, "a", "f", "")), ToolCall(0, "a", "f", ""))

    def test_a_new_id_at_the_same_index_is_a_new_call(self) -> None:
        assembled = answer(call(0, "a", "f", "{}"), call(0, "b", "g", "{}"), call(0, arguments=" "))
        assert [(c["id"], c["arguments"]) for c in assembled.tool_calls] == [("a", "{}"), ("b", "{} ")]

    def test_an_id_or_a_name_sent_again_is_the_same_call(self) -> None:
        assembled = answer(call(0, "a", "f", "{"), call(0, "a", "f", "}"), call(0, "", "", ""))
        assert assembled.tool_calls == [{"id": "a", "name": "f", "arguments": "{}"}]

    def test_an_id_that_comes_late_belongs_to_the_running_call(self) -> None:
        assembled = answer(call(0, None, "f", "{"), call(0, "a", None, "}"), call(0, "b", "g", ""))
        assert [(c["id"], c["arguments"]) for c in assembled.tool_calls] == [("a", "{}"), ("b", "")]

    def test_a_missing_index_is_an_index_of_its_own(self) -> None:
        assembled = answer(call(None, "a", "f", "{"), call(0, "b", "g", "[]"), call(None, arguments="}"))
        assert [(c["id"], c["arguments"]) for c in assembled.tool_calls] == [("a", "{}"), ("b", "[]")]

    def test_the_first_index_need_not_be_zero(self) -> None:
        assert [c["id"] for c in answer(call(1, "a", "f", "{}")).tool_calls] == ["a"]

    def test_two_calls_in_one_chunk(self) -> None:
        pieces = [
            {"index": 0, "id": "a", "function": {"name": "f", "arguments": "{}"}},
            {"index": 1, "id": "b", "function": {"name": "g", "arguments": "{}"}},
        ]
        assert same(
            read(chunk({"tool_calls": pieces})), ToolCall(0, "a", "f", "{}"), ToolCall(1, "b", "g", "{}")
        )

    def test_calls_are_ordered_by_choice_first(self) -> None:
        def piece(choice_index: int, id: str) -> dict[str, Any]:
            function = {"name": "f", "arguments": ""}
            return chunk({"tool_calls": [{"index": 0, "id": id, "function": function}]}, index=choice_index)

        assembled = answer(piece(1, "b"), piece(0, "a"))
        assert [c["id"] for c in assembled.calls] == ["a", "b"]
        assert [c["id"] for c in assembled.tool_calls] == ["a"]

    def test_null_arguments_are_none_and_an_object_is_written_compactly(self) -> None:
        null = {"index": 0, "id": "a", "function": {"name": "f", "arguments": None}}
        whole = {"index": 1, "id": "b", "function": {"name": "g", "arguments": {"city": "Köln", "n": 1}}}
        assembled = answer(chunk({"tool_calls": [null, whole]}))
        assert [c["arguments"] for c in assembled.tool_calls] == ["", '{"city":"Köln","n":1}']

    def test_the_older_function_call(self) -> None:
        first = chunk({"function_call": {"name": "f", "arguments": ""}})
        assembled = answer(first, chunk({"function_call": {"arguments": "{}"}}), chunk({}, "function_call"))
        assert assembled.tool_calls == [{"id": None, "name": "f", "arguments": "{}"}]

    def test_custom_tools(self) -> None:
        piece = {"index": 0, "id": "a", "type": "custom", "custom": {"name": "sql", "input": "select 1"}}
        assert answer(chunk({"tool_calls": [piece]})).tool_calls == [
            {"id": "a", "name": "sql", "arguments": "select 1"}
        ]

    def test_a_numeric_id(self) -> None:
        assert answer(call(0, 7, "f", "")).tool_calls[0]["id"] == "7"

    def test_a_piece_that_brings_nothing_is_no_delta(self) -> None:
        assert same(read(call(0, "a", "f", ""), call(0, arguments="")), ToolCall(0, "a", "f", ""))


class TestUsage:
    def test_details(self) -> None:
        usage = {
            "prompt_tokens": 10,
            "completion_tokens": 20,
            "prompt_tokens_details": {"cached_tokens": 4},
            "completion_tokens_details": {"reasoning_tokens": 15},
        }
        assert same(read({"choices": [], "usage": usage}), Usage(10, 20, 15, 4))
        assert answer({"usage": usage}).usage == {"input": 10, "output": 20, "reasoning": 15, "cached": 4}

    def test_details_of_null(self) -> None:
        usage = {"prompt_tokens": 1, "completion_tokens": 2, "completion_tokens_details": None}
        assert answer({"usage": usage}).usage == {"input": 1, "output": 2}

    def test_continuous_usage_the_last_counts(self) -> None:
        counts = [{"prompt_tokens": 3, "completion_tokens": n} for n in (1, 4)]
        assembled = answer(*[{**chunk({"content": "a"}), "usage": usage} for usage in counts])
        assert assembled.usage == {"input": 3, "output": 4}

    def test_groqs_usage_where_there_is_no_other(self) -> None:
        groq = {"id": "r", "usage": {"prompt_tokens": 3, "completion_tokens": 1, "total_time": 0.01}}
        assert same(read({"choices": [], "x_groq": groq}), Meta("x_groq", groq), Usage(3, 1))
        own = {"prompt_tokens": 5, "completion_tokens": 6}
        assert answer({"usage": own, "x_groq": groq}).usage == {"input": 5, "output": 6}
        assert answer({"x_groq": groq}, {"usage": own}).usage == {"input": 5, "output": 6}
        assert answer({"usage": own}, {"x_groq": groq}).usage == {"input": 5, "output": 6}

    def test_usage_inside_a_choice(self) -> None:
        payload = {"choices": [choice({}, "stop", usage={"prompt_tokens": 1, "completion_tokens": 2})]}
        assert answer(payload).usage == {"input": 1, "output": 2}

    @pytest.mark.parametrize("usage", [{}, {"cost": 1}, {"prompt_tokens": None}, {"prompt_tokens": True}])
    def test_usage_without_counts_is_none(self, usage: Any) -> None:
        assert answer({"choices": [], "usage": usage}).usage is None

    def test_never_reported(self) -> None:
        assert answer(chunk({"content": "a"}), "[DONE]").usage is None


class TestServerFacts:
    def test_prompt_progress(self) -> None:
        progress = {"total": 100, "cache": 0, "processed": 50, "time_ms": 40}
        assert same(read({**chunk({}), "prompt_progress": progress}), Progress(50, 100))

    def test_timings(self) -> None:
        timings = {"prompt_ms": 80.0, "predicted_ms": 20.0}
        assert same(read({**chunk({}, "stop"), "timings": timings}), Finish("stop"), Meta("timings", timings))

    def test_fireworks_performance(self) -> None:
        metrics = {"server-time-to-first-token": 0.1}
        assert same(read({"choices": [], "perf_metrics": metrics}), Meta("perf_metrics", metrics))

    def test_azures_first_frame(self) -> None:
        results = [{"prompt_index": 0, "content_filter_results": {}}]
        payload = {"id": "", "object": "", "model": "", "choices": [], "prompt_filter_results": results}
        assert same(read(payload), Meta("prompt_filter_results", results))

    def test_openrouters_provider(self) -> None:
        deltas = read({"id": "c", "provider": "P", **chunk({"content": "a"})})
        assert same(deltas, Meta("id", "c"), Meta("provider", "P"), Text("a"))

    def test_tools_that_groq_ran_itself(self) -> None:
        tools = [{"index": 0, "type": "search"}]
        assert same(read(chunk({"executed_tools": tools})), Meta("executed_tools", tools))


class TestHeartbeats:
    @pytest.mark.parametrize(
        "heartbeat", [event({"type": "ping"}, "ping"), event({"type": "ping"}), event("", "ping"), event("")]
    )
    def test_an_event_that_is_a_heartbeat(self, heartbeat: Event) -> None:
        assert same(read(heartbeat), Meta("ping", heartbeat.data))

    @pytest.mark.parametrize("data", [": keepalive", ": OPENROUTER PROCESSING", "ping", "KEEPALIVE"])
    def test_a_comment_wrapped_as_data_is_a_heartbeat_that_breaks_clients(self, data: str) -> None:
        ping, broken = read(event(data))
        assert ping == Meta("ping", data)
        assert isinstance(broken, Malformed)
        assert broken.kind == "json"

    def test_a_ping_that_is_not_json(self) -> None:
        ping, broken = read(event("still here", "ping"))
        assert (ping, type(broken)) == (Meta("ping", "still here"), Malformed)


class TestErrors:
    @pytest.mark.parametrize(
        ("payload", "fault"),
        [
            (
                {"error": {"object": "error", "message": "x", "type": "InternalServerError", "code": 500}},
                StreamFault("InternalServerError", 500, "x"),
            ),
            (
                {"error": {"message": "x", "type": "server_error", "code": "c"}},
                StreamFault("server_error", "c", "x"),
            ),
            ({"error": {"code": 502, "message": "gone"}}, StreamFault(None, 502, "gone")),
            ({"error": "full", "error_type": "overloaded"}, StreamFault("overloaded", None, "full")),
            ({"error": "busy"}, StreamFault(None, None, "busy")),
            ({"error": "limited", "message": "slow down"}, StreamFault(None, "limited", "slow down")),
            ({"error": {"message": {"deep": 1}}}, StreamFault(None, None, '{"deep":1}')),
            ({"error": ["odd"]}, StreamFault(None, None, "odd")),
            ({"error": {"code": 1.5, "type": 7}}, StreamFault(None, "1.5", None)),
            ({"object": "error", "message": "x", "type": "T", "code": 400}, StreamFault("T", 400, "x")),
        ],
    )
    def test_forms_of_an_error_payload(self, payload: dict[str, Any], fault: StreamFault) -> None:
        assert same(read(payload), fault)
        assert reader(payload).complete is False

    @pytest.mark.parametrize("nothing", [None, "", {}, [], False])
    def test_an_empty_error_is_none(self, nothing: Any) -> None:
        assert same(read({**chunk({"content": "a"}), "error": nothing}), Text("a"))

    @pytest.mark.parametrize(
        ("data", "fault"),
        [
            (
                {"error": {"type": "overloaded_error", "message": "O"}},
                StreamFault("overloaded_error", None, "O"),
            ),
            ({"message": "O", "code": 503}, StreamFault(None, 503, "O")),
            ({"detail": "O"}, StreamFault(None, None, "O")),
            ({"errorText": "O"}, StreamFault(None, None, "O")),
            ({"reason": 1}, StreamFault(None, None, '{"reason":1}')),
        ],
    )
    def test_an_error_event(self, data: Any, fault: StreamFault) -> None:
        assert same(read(event(data, "error")), fault)

    @pytest.mark.parametrize(
        ("data", "message"), [("upstream died", "upstream died"), ('"gone"', "gone"), ("[1]", "[1]")]
    )
    def test_an_error_event_that_is_no_object(self, data: str, message: str) -> None:
        broken, fault = read(event(data, "error"))
        assert isinstance(broken, Malformed)
        assert fault == StreamFault(None, None, message)

    def test_an_error_event_without_data(self) -> None:
        assert same(read(event("", "error")), StreamFault(None, None, None))

    def test_an_error_in_a_chunk_keeps_what_is_beside_it(self) -> None:
        payload = {
            **chunk({"content": ""}, "error"),
            "error": {"code": 502, "message": "provider disconnected"},
        }
        assert same(read(payload), Finish("error"), StreamFault(None, 502, "provider disconnected"))

    def test_an_error_hidden_in_groqs_member(self) -> None:
        extension = {"id": "r", "error": "over capacity"}
        deltas = read({"x_groq": extension, **chunk({}, "stop")})
        assert same(
            deltas, Finish("stop"), Meta("x_groq", extension), StreamFault(None, None, "over capacity")
        )

    def test_an_error_inside_a_choice(self) -> None:
        payload = {"choices": [choice({}, "error", error={"code": 500, "message": "x"})]}
        assert same(read(payload), Finish("error"), StreamFault(None, 500, "x"))

    def test_the_first_error_counts_and_later_ones_fill_its_gaps(self) -> None:
        assert answer({"error": "a"}, {"error": "b"}).error == StreamFault(None, None, "a")
        bare, full = {"error": {"code": 503}}, {"error": {"code": 500, "type": "t", "message": "b"}}
        assert answer(bare, full).error == StreamFault("t", 503, "b")


class TestTheEnd:
    def test_nothing_yet(self) -> None:
        assert (reader().ended, reader().complete) == (False, False)

    def test_text_alone_is_not_complete(self) -> None:
        assert reader(chunk({"content": "par"}), chunk({}, None)).complete is False

    def test_a_finish_reason_is_enough(self) -> None:
        dialect = reader(chunk({"content": "a"}), chunk({}, "length"))
        assert (dialect.ended, dialect.complete) == (False, True)

    def test_every_choice_that_began_must_finish(self) -> None:
        assert (
            reader(chunk({"content": "a"}), chunk({"content": "b"}, index=1), chunk({}, "stop")).complete
            is False
        )

    def test_the_sentinel_alone_ends_the_stream_and_leaves_open_whether_the_answer_is_whole(self) -> None:
        alone, after = reader(chunk({"content": "Hi"}), "[DONE]"), reader(chunk({}, "stop"), "[DONE]")
        assert (alone.ended, alone.complete, alone.finished) == (True, None, False)
        assert (after.ended, after.complete, after.finished) == (True, True, True)

    def test_the_sentinel_after_an_error_proves_nothing(self) -> None:
        dialect = reader({"error": {"message": "x"}}, "[DONE]")
        assert (dialect.ended, dialect.complete) == (True, False)

    def test_finish_reason_error_is_not_complete_even_without_an_error_object(self) -> None:
        assert reader(chunk({}, "error"), "[DONE]").complete is False

    @pytest.mark.parametrize("data", ["[DONE]", " [DONE]", "[DONE]\n"])
    def test_white_space_around_the_sentinel(self, data: str) -> None:
        assert reader(data).ended

    def test_what_comes_after_the_sentinel_is_told_and_not_read(self) -> None:
        deltas = read(chunk({"content": "a"}), "[DONE]", chunk({"content": "b"}), "[DONE]")
        late = json.dumps(chunk({"content": "b"}))
        assert same(
            deltas, Text("a"), Meta("done", "[DONE]"), Meta("after-end", late), Meta("after-end", "[DONE]")
        )

    def test_empty_finish_reasons_are_none(self) -> None:
        assert read(chunk({"content": "a"}, "")) == [Text("a")]

    def test_the_finish_reason_of_the_first_choice_that_has_one(self) -> None:
        assert answer(chunk({}, "length", index=1)).finish_reason == "length"
        assert answer(chunk({}, "length", index=1), chunk({}, "stop")).finish_reason == "stop"
        assert answer(chunk({"content": "a"})).finish_reason is None


class TestMalformed:
    @pytest.mark.parametrize(
        ("data", "reason"),
        [
            ('{"choices": [', "not JSON: Expecting value at column 14"),
            ('{"a": 1}{"b": 2}', "not JSON: Extra data at column 9"),
            ("<html>", "not JSON: Expecting value at column 1"),
            ('{"a":\n}', "not JSON: Expecting value at line 2 column 1"),
        ],
    )
    def test_data_that_is_not_json(self, data: str, reason: str) -> None:
        assert same(read(event(data)), Malformed(reason, "json"))

    @pytest.mark.parametrize(
        ("payload", "reason"),
        [
            ("[1]", "expected an object, got an array"),
            ("null", "expected an object, got null"),
            ("12", "expected an object, got a number"),
            ("true", "expected an object, got a boolean"),
            ({"choices": {}}, "choices: expected an array, got an object"),
            ({"choices": ["a"]}, "choices[0]: expected an object, got a string"),
            ({"choices": [{"delta": "a"}]}, "delta: expected an object, got a string"),
            (chunk({"content": 5}), "content: expected a string or an array, got a number"),
            (chunk({"tool_calls": {}}), "tool_calls: expected an array, got an object"),
            (chunk({"tool_calls": [3]}), "tool_calls: expected objects, got a number"),
            (chunk({"function_call": "f"}), "function_call: expected an object, got a string"),
            (chunk({}, 5), "finish_reason: expected a string, got a number"),
            ({"usage": 3}, "usage: expected an object, got a number"),
        ],
    )
    def test_json_of_another_shape(self, payload: Any, reason: str) -> None:
        assert same(read(payload), Malformed(reason))

    def test_reading_goes_on(self) -> None:
        assembled = answer(chunk({"content": "a"}), event('{"choices'), chunk({"content": "b"}))
        assert (assembled.text, assembled.json_errors) == ("ab", 1)

    def test_an_unknown_payload_has_no_meaning_and_no_fault(self) -> None:
        assert read({"hello": "world"}) == []
