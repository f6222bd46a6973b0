"""From a profile and a conversation to the request of a turn."""

from __future__ import annotations

import pytest

from sse_tui.config import Profile
from sse_tui.dialects.base import Message
from sse_tui.engine.interface import EngineInfo
from sse_tui.session.endpoint import EndpointAddress
from sse_tui.session.requests import TurnSpec, chat_turn
from sse_tui.session.spec import SessionSpec


def turn(
    dialect: str, *, headers: dict[str, str] | None = None, key: str | None = "k", own: bool = False
) -> TurnSpec:
    profile = Profile(dialect=dialect, base_url=None if own else "http://h", model="m", headers=headers or {})
    spec = SessionSpec(mode="chat", profile=profile, api_key=key)
    endpoint = EndpointAddress("http://h", "k", "m", EngineInfo(engine="scripted", model="m"))
    return chat_turn(spec, [Message("user", "Hi")], endpoint if own else None)


@pytest.mark.parametrize(
    ("dialect", "header", "value"),
    [
        ("openai-chat", "Authorization", "Bearer k"),
        ("openai-responses", "Authorization", "Bearer k"),
        ("anthropic-messages", "x-api-key", "k"),
        ("gemini", "x-goog-api-key", "k"),
    ],
)
def test_the_key_goes_where_the_provider_wants_it(dialect: str, header: str, value: str) -> None:
    headers = turn(dialect).request.headers
    assert [pair for pair in headers if pair[1].endswith("k")] == [(header, value)]


def test_our_own_endpoint_takes_a_bearer_token() -> None:
    assert ("Authorization", "Bearer k") in turn("anthropic-messages", own=True).request.headers


@pytest.mark.parametrize("name", ["X-Api-Key", "authorization"])
def test_a_header_of_the_profile_replaces_the_key(name: str) -> None:
    headers = turn("anthropic-messages", headers={name: "mine"}).request.headers
    assert (name, "mine") in headers
    assert not any(value == "k" for _, value in headers)


def test_a_header_of_the_profile_replaces_the_dialects() -> None:
    headers = turn("anthropic-messages", headers={"Anthropic-Version": "2024-01-01"}).request.headers
    assert [value for name, value in headers if name.lower() == "anthropic-version"] == ["2024-01-01"]


def test_no_key_no_header() -> None:
    assert not any(
        name.lower() in ("authorization", "x-api-key")
        for name, _ in turn("openai-chat", key=None).request.headers
    )


def test_lines_are_taken_though_they_are_no_event_stream() -> None:
    assert turn("ollama").request.any_type
    assert not turn("openai-chat").request.any_type
