"""OpenAI's own clients chat with the endpoint and notice nothing of ids, heartbeats and retry fields."""

from __future__ import annotations

import asyncio
from typing import Any

import openai
import pytest

from sse_tui.engine.scripted import ScriptedEngine

ASK: Any = {"model": "scripted", "messages": [{"role": "user", "content": "Name three colours."}]}
TEXT = "Red, green — and 蓝色."


def sync_client(served: Any) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{served.url}/v1", api_key="secret", max_retries=0)


def async_client(served: Any) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(base_url=f"{served.url}/v1", api_key="secret", max_retries=0)


def stream_text(served: Any, **fields: Any) -> tuple[str, Any]:
    with sync_client(served) as client:
        chunks = list(client.chat.completions.create(**ASK, stream=True, **fields))
    return "".join(c.choices[0].delta.content or "" for c in chunks if c.choices), chunks


async def test_sync_streaming(serving: Any) -> None:
    served = await serving(ScriptedEngine(TEXT, gap_ms=1), token="secret")
    text, chunks = await asyncio.to_thread(stream_text, served, stream_options={"include_usage": True})
    assert text == TEXT
    assert chunks[0].choices[0].delta.role == "assistant"
    assert chunks[-2].choices[0].finish_reason == "stop"
    assert chunks[-1].choices == []
    assert chunks[-1].usage.completion_tokens == len(chunks) - 3


async def test_async_streaming(serving: Any) -> None:
    served = await serving(ScriptedEngine(TEXT, gap_ms=1), token="secret")
    async with async_client(served) as client:
        stream = await client.chat.completions.create(**ASK, stream=True, max_tokens=3)
        chunks = [chunk async for chunk in stream]
    assert "".join(c.choices[0].delta.content or "" for c in chunks) == "Red, green —"
    assert chunks[-1].choices[0].finish_reason == "length"


async def test_without_streaming(serving: Any) -> None:
    served = await serving(ScriptedEngine(TEXT), token="secret")
    async with async_client(served) as client:
        answer = await client.chat.completions.create(**ASK, stop=["—"])
        assert answer.choices[0].message.content == "Red, green "
        assert answer.choices[0].finish_reason == "stop"
        assert answer.usage is not None
        assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens
        assert [model.id async for model in await client.models.list()] == ["scripted"]
        assert (await client.models.retrieve("scripted")).id == "scripted"


async def test_heartbeats_between_all_events_are_no_events_for_it(serving: Any) -> None:
    """Heartbeats after an id are where its decoder sees phantom events if the comment has a blank line."""
    served = await serving(ScriptedEngine(TEXT, ttft_ms=80, gap_ms=25), heartbeat_s=0.01)
    text, _ = await asyncio.to_thread(stream_text, served)
    assert text == TEXT


async def test_an_error_in_the_stream_raises(serving: Any) -> None:
    served = await serving(ScriptedEngine(TEXT, error_at=3))
    with pytest.raises(openai.APIError, match="Scripted error at token 3"):
        await asyncio.to_thread(stream_text, served)


async def test_errors_before_it_are_its_own_exceptions(serving: Any) -> None:
    served = await serving(ScriptedEngine(TEXT, n_ctx=64), token="secret")
    async with async_client(served) as client:
        with pytest.raises(openai.NotFoundError) as caught:
            await client.chat.completions.create(**ASK | {"model": "gpt-4o"}, stream=True)
        assert (caught.value.code, caught.value.param) == ("model_not_found", "model")
        long: Any = [{"role": "user", "content": "x " * 500}]
        with pytest.raises(openai.BadRequestError) as too_long:
            await client.chat.completions.create(**ASK | {"messages": long}, stream=True)
        assert too_long.value.code == "context_length_exceeded"
        with pytest.raises(openai.AuthenticationError):
            await client.with_options(api_key="wrong").chat.completions.create(**ASK)


async def test_it_resumes_when_it_is_given_the_place(serving: Any) -> None:
    served = await serving(ScriptedEngine(TEXT))
    found = await served.whole()
    headers = {"Last-Event-ID": found[2].id}
    text, _ = await asyncio.to_thread(stream_text, served, extra_headers=headers)
    assert TEXT.endswith(text)
    assert text
