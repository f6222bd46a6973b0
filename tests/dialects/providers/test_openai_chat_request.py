from __future__ import annotations

import json
from typing import Any

import pytest

from sse_tui.dialects import Generic, Message, OpenAIChat
from sse_tui.errors import UsageError

HI = [Message("system", "Be brief."), Message("user", "Grüße 😀")]


def body(**params: Any) -> dict[str, Any]:
    decoded: dict[str, Any] = json.loads(OpenAIChat.prepare("http://h/v1", "m", HI, params).body)
    return decoded


def test_the_request() -> None:
    prepared = OpenAIChat.prepare("http://127.0.0.1:8080/v1", "m", HI, {})
    assert (prepared.method, prepared.url) == ("POST", "http://127.0.0.1:8080/v1/chat/completions")
    assert dict(prepared.headers) == {"content-type": "application/json", "accept": "text/event-stream"}
    assert json.loads(prepared.body) == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Grüße 😀"},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
    }


@pytest.mark.parametrize(
    ("base", "url"),
    [
        ("http://h/v1/", "http://h/v1/chat/completions"),
        ("http://h", "http://h/chat/completions"),
        (" http://h/v1// ", "http://h/v1/chat/completions"),
        ("http://h/v1/chat/completions", "http://h/v1/chat/completions"),
        ("http://h/openai/deployments/d?api-version=1", "http://h/openai/deployments/d/chat/completions?api-version=1"),
    ],
)  # fmt: skip
def test_where_it_goes(base: str, url: str) -> None:
    assert OpenAIChat.prepare(base, "m", HI, {}).url == url


def test_parameters_that_are_set_are_sent() -> None:
    sent = body(temperature=0, top_p=0.9, top_k=40, min_p=0.05, max_tokens=9, seed=1, stop=["\n"])
    assert (sent["temperature"], sent["top_p"], sent["top_k"], sent["min_p"]) == (0, 0.9, 40, 0.05)
    assert (sent["max_tokens"], sent["seed"], sent["stop"]) == (9, 1, ["\n"])


def test_parameters_of_none_are_not_sent() -> None:
    assert "temperature" not in body(temperature=None)


def test_extra_members_come_last_and_none_removes() -> None:
    sent = body(temperature=1, extra={"temperature": 2, "return_progress": True, "stream_options": None})
    assert (sent["temperature"], sent["return_progress"]) == (2, True)
    assert "stream_options" not in sent
    assert "extra" not in sent


def test_no_extra_is_fine() -> None:
    assert body(extra=None) == body()


def test_an_unknown_parameter_names_the_nearest() -> None:
    with pytest.raises(UsageError, match="temperature") as caught:
        body(temprature=1)
    assert caught.value.code == "unknown-parameter"
    with pytest.raises(UsageError, match="extra"):
        body(zzzzzz=1)


def test_a_dialect_that_cannot_send_says_so() -> None:
    with pytest.raises(UsageError) as caught:
        Generic.prepare("http://h", "m", HI, {})
    assert caught.value.code == "dialect-cannot-send"


def test_the_prompt_of_what_it_prepared() -> None:
    assert OpenAIChat.prompt_of(OpenAIChat.prepare("http://h", "m", HI, {}).body.decode()) == "Grüße 😀"


@pytest.mark.parametrize(
    ("messages", "prompt"),
    [
        ([{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}], "a"),
        ([{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "image_url"}]}], "a"),
        ([{"role": "user", "content": [{"type": "image_url"}]}], None),
        ([{"role": "user"}], None),
        ([{"role": "assistant", "content": "b"}], None),
        (["user"], None),
        ("user", None),
        ([], None),
    ],
)
def test_the_prompt_of_other_bodies(messages: Any, prompt: str | None) -> None:
    assert OpenAIChat.prompt_of(json.dumps({"messages": messages})) == prompt


@pytest.mark.parametrize("body", ["", "not json", "[]", "{}", "null"])
def test_no_prompt_in_something_else(body: str) -> None:
    assert OpenAIChat.prompt_of(body) is None
    assert Generic.prompt_of(body) is None
