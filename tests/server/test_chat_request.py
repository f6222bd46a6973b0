"""What a chat request may look like, and how a wrong one is answered."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sse_tui.engine.interface import EngineInfo
from sse_tui.server.api_errors import ApiError
from sse_tui.server.chat_request import parse_chat_request

ENGINE = EngineInfo(engine="scripted", model="m", n_ctx=4096, longest_token=10, message_tokens=4)
HELLO = [{"role": "user", "content": "hi"}]


def parse(**fields: Any) -> Any:
    return parse_chat_request(json.dumps({"messages": HELLO} | fields).encode(), "x", ENGINE)


def test_all_sampling_fields_reach_the_engine() -> None:
    asked = parse(
        temperature=0, top_p=0.5, top_k=3, min_p=0.1, max_tokens=7, stop="END", seed=42, stream=True,
        stream_options={"include_usage": True}, model="m",
    )  # fmt: skip
    generation = asked.generation
    assert (generation.temperature, generation.top_p, generation.top_k, generation.min_p) == (0, 0.5, 3, 0.1)
    assert (generation.max_tokens, generation.stop, generation.seed) == (7, ["END"], 42)
    assert (asked.stream, asked.include_usage, asked.model) == (True, True, "m")


def test_nulls_and_unknown_fields_are_as_if_absent() -> None:
    fields = dict.fromkeys(("temperature", "top_p", "stop", "seed", "stream", "stream_options", "n"))
    asked = parse(user="me", metadata={"a": 1}, logit_bias=None, **fields)
    assert not asked.stream
    assert asked.generation.stop == []
    assert asked.generation.max_tokens is None


def test_a_seed_is_always_concrete() -> None:
    assert {parse().generation.seed for _ in range(4)} != {0}
    assert parse(seed=-1).generation.seed == 0xFFFFFFFF


def test_the_newer_limit_wins() -> None:
    assert parse(max_tokens=5, max_completion_tokens=9).generation.max_tokens == 9


def test_text_parts_are_joined_and_roles_mapped() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    asked = parse(
        messages=[{"role": "developer", "content": "be kind"}, {"role": "user", "content": parts},
                  {"role": "assistant", "content": None, "tool_calls": []}]
    )  # fmt: skip
    assert asked.generation.messages == [
        {"role": "system", "content": "be kind"},
        {"role": "user", "content": "ab"},
        {"role": "assistant", "content": ""},
    ]


def test_as_many_and_as_long_stop_strings_as_allowed() -> None:
    stops = [chr(ord("a") + index) * 256 for index in range(15)] + ["ñ" * 128]
    assert parse(stop=stops).generation.stop == stops


WRONG = [
    ({"messages": "hi"}, "messages", "invalid_type"),
    ({"messages": []}, "messages", "invalid_value"),
    ({"messages": [{"content": "x"}]}, "messages[0].role", "missing_required_parameter"),
    ({"messages": [{"role": "pirate", "content": "x"}]}, "messages[0].role", "invalid_value"),
    ({"messages": [{"role": "user"}]}, "messages[0].content", "invalid_value"),
    ({"messages": [{"role": "user", "content": 5}]}, "messages[0].content", "invalid_type"),
    (
        {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}]},
        "messages[0].content[0].type",
        "unsupported_value",
    ),
    (
        {"messages": [{"role": "user", "content": [{"type": "text"}]}]},
        "messages[0].content[0].text",
        "missing_required_parameter",
    ),
    ({"n": 2}, "n", "unsupported_value"),
    ({"temperature": -1}, "temperature", "invalid_value"),
    ({"temperature": "hot"}, "temperature", "invalid_type"),
    ({"top_p": 1.5}, "top_p", "invalid_value"),
    ({"max_tokens": 0}, "max_tokens", "invalid_value"),
    ({"max_completion_tokens": -5}, "max_completion_tokens", "invalid_value"),
    ({"max_tokens": 1.5}, "max_tokens", "invalid_type"),
    ({"stop": 3}, "stop", "invalid_type"),
    ({"stop": ["a", ""]}, "stop[1]", "invalid_value"),
    ({"stop": ""}, "stop", "invalid_value"),
    ({"stop": ["a"] * 17}, "stop", "invalid_value"),
    ({"stop": ["a", "ñ" * 129]}, "stop[1]", "invalid_value"),
    ({"stop": "x" * 257}, "stop", "invalid_value"),
    ({"seed": "x"}, "seed", "invalid_type"),
    ({"stream": "yes"}, "stream", "invalid_type"),
    ({"stream_options": {"include_usage": 1}}, "stream_options.include_usage", "invalid_type"),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "param", "code"), WRONG)
def test_a_wrong_field_is_named(fields: dict[str, Any], param: str, code: str) -> None:
    with pytest.raises(ApiError) as caught:
        parse(**fields)
    error = caught.value
    assert (error.status, error.param, error.code) == (400, param, code)
    assert error.document()["error"].keys() == {"message", "type", "param", "code"}


@pytest.mark.parametrize("body", [b"", b"{", b'{"messages": [}', b"\xff\xfe", b'{"messages":"\\ud800"}'])
def test_what_is_no_json_is_said_to_be_none(body: bytes) -> None:
    with pytest.raises(ApiError) as caught:
        parse_chat_request(body, "x", ENGINE)
    assert (caught.value.status, caught.value.code) == (400, "invalid_json")


@pytest.mark.parametrize("body", [b"[]", b"1", b"null"])
def test_json_that_is_no_object(body: bytes) -> None:
    with pytest.raises(ApiError) as caught:
        parse_chat_request(body, "x", ENGINE)
    assert (caught.value.status, caught.value.code) == (400, "invalid_type")


def test_missing_messages() -> None:
    with pytest.raises(ApiError) as caught:
        parse_chat_request(b"{}", "x", ENGINE)
    assert caught.value.param == "messages"
    assert caught.value.message == "Missing required parameter: messages."
