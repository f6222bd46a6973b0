"""Bodies of JSON lines."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sse_tui.dialects import Answer, Auto, AutoLines, LineDialect, create
from sse_tui.dialects.base import Malformed, Meta, StreamFault
from sse_tui.dialects.providers.kubernetes import KubernetesWatch
from sse_tui.eventstream import Event, Ignored, Parser

CHAT = [
    {"model": "m", "message": {"role": "assistant", "content": "", "thinking": "hm"}, "done": False},
    {"model": "m", "message": {"role": "assistant", "content": "Hi"}, "done": False},
    {"model": "m", "message": {"content": "", "tool_calls": [{"function": {"name": "f", "arguments": {"x": 1}}}]},
     "done": False},
    {"model": "m", "message": {"content": ""}, "done": True, "done_reason": "stop", "prompt_eval_count": 9,
     "eval_count": 3, "eval_duration": 20_000_000},
]  # fmt: skip


def lines_of(dialect: LineDialect, *lines: Any) -> tuple[Answer, list[Any]]:
    answer, deltas = Answer(), []
    for line in lines:
        for delta in dialect.read_ignored(line if isinstance(line, str) else json.dumps(line)):
            answer.add(delta)
            deltas.append(delta)
    return answer, deltas


def test_ollamas_chat() -> None:
    dialect = AutoLines()
    answer, deltas = lines_of(dialect, *CHAT)
    assert (dialect.name, answer.text, answer.reasoning, answer.model) == ("ollama", "Hi", "hm", "m")
    assert answer.tool_calls == [{"id": None, "name": "f", "arguments": '{"x":1}'}]
    assert answer.usage == {"input": 9, "output": 3}
    assert Meta("timings", {"eval_duration": 20_000_000}) in deltas
    assert (answer.finish_reason, dialect.ended, dialect.complete) == ("stop", True, True)
    assert lines_of(dialect, CHAT[1])[1][0].name == "after-end"


def test_ollamas_generation_and_its_errors() -> None:
    dialect = create("ollama")
    assert isinstance(dialect, LineDialect)
    answer, _ = lines_of(
        dialect,
        {"model": "m", "response": "Hi", "thinking": "hm", "done": False},
        {"error": "model runner has unexpectedly stopped"},
    )
    assert (answer.text, answer.reasoning) == ("Hi", "hm")
    assert answer.error == StreamFault(None, None, "model runner has unexpectedly stopped")
    assert (dialect.ended, dialect.complete) == (False, False)


def test_what_a_parser_ignores_is_read_as_lines() -> None:
    body = "".join(json.dumps(line) + "\n" for line in CHAT).encode()
    items = Parser().feed(body)
    ignored = [item.line for item in items if isinstance(item, Ignored)]
    assert len(ignored) == len(items) == len(CHAT)
    answer, _ = lines_of(AutoLines(), *ignored)
    assert answer.text == "Hi"


def test_lines_are_found_while_detecting() -> None:
    dialect, answer = Auto(), Answer()
    for line in CHAT:
        for delta in dialect.read_ignored(json.dumps(line)):
            answer.add(delta)
    assert (dialect.name, dialect.answers, answer.text) == ("ollama", True, "Hi")
    assert dialect.detection.reason == "NDJSON, not SSE: Ollama's members model, message and done"
    assert (dialect.ended, dialect.complete) == (True, True)


def test_an_event_proves_that_it_was_an_event_stream() -> None:
    dialect = Auto()
    assert list(dialect.read_ignored('{"error":"x"}')) == [StreamFault(None, None, "x")]
    assert dialect.name == "ndjson"
    dialect.read(Event("message", '{"choices":[{"index":0,"delta":{"content":"a"}}]}', "", 0, 0))
    assert (dialect.name, list(dialect.read_ignored('{"x":1}'))) == ("openai-chat", [])
    assert list(dialect.read_ignored('{"error":"x"}')) == [StreamFault(None, None, "x")]


@pytest.mark.parametrize("line", ["{", "Data: x", '"a": 1', "[1]", ""])
def test_other_ignored_lines_prove_nothing(line: str) -> None:
    dialect = Auto()
    assert list(dialect.read_ignored(line)) == []
    assert not dialect.decided
    assert list(create("openai-chat").read_ignored('{"a":1}')) == []


def test_lines_that_a_proxy_wrapped_as_events() -> None:
    dialect, answer = create("auto"), Answer()
    for line in CHAT:
        for delta in dialect.read(Event("message", json.dumps(line), "", 0, 0)):
            answer.add(delta)
    assert (dialect.name, answer.text, dialect.complete) == ("ollama", "Hi", True)


def test_payloads_of_event_streams_without_their_fields() -> None:
    dialect = AutoLines()
    answer, _ = lines_of(
        dialect,
        {"choices": [{"index": 0, "delta": {"content": "Hi"}, "finish_reason": None}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
    )
    assert (dialect.name, answer.text, dialect.complete, dialect.ended) == ("openai-chat", "Hi", True, False)


def test_a_watch() -> None:
    dialect = AutoLines()
    pod = {"kind": "Pod", "metadata": {"name": "p", "resourceVersion": "5"}}
    answer, deltas = lines_of(
        dialect,
        {"type": "ADDED", "object": pod},
        {"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": "7"}}},
    )
    assert dialect.name == "kubernetes-watch"
    assert isinstance(dialect.chosen, KubernetesWatch)
    assert dialect.chosen.resource_version == "7"
    assert deltas[0] == Meta("watch", {"type": "ADDED", "kind": "Pod", "name": "p", "resource_version": "5"})
    assert (answer.error, dialect.complete, dialect.answers) == (None, None, False)
    answer, _ = lines_of(
        dialect, {"type": "ERROR", "object": {"code": 410, "reason": "Expired", "message": "old"}}
    )
    assert answer.error == StreamFault("Expired", 410, "old")
    assert dialect.complete is False


def test_lines_of_no_known_kind() -> None:
    dialect = AutoLines()
    answer, deltas = lines_of(dialect, {"a": 1}, "", " ", "\x1e{}", "[1]", "{", {"error": {"message": "x"}})
    assert (dialect.name, dialect.answers, answer.error) == ("ndjson", False, StreamFault(None, None, "x"))
    assert [delta.reason.split(":")[0] for delta in deltas if isinstance(delta, Malformed)] == [
        "expected an object, got an array",
        "not JSON",
    ]
    assert dialect.complete is False
