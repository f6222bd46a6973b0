"""The whole way with the real model: engine process, store, socket, client."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from pathlib import Path
from typing import Any

import openai
import pytest

from sse_tui.engine.interface import ModelOptions
from sse_tui.engine.llamacpp import LlamaCppEngine
from sse_tui.eventstream import Event, Parser
from tests.children import child_running

pytestmark = pytest.mark.model

ASK: dict[str, Any] = {"temperature": 0, "seed": 7, "max_tokens": 24}


@pytest.fixture(name="engine")
def _engine(model_path: Path) -> LlamaCppEngine:
    return LlamaCppEngine(model_path, ModelOptions(n_ctx=1024, n_seq=2, n_threads=1))


@pytest.fixture(name="served")
async def _served(serving: Any, engine: LlamaCppEngine) -> Any:
    return await serving(engine)


async def test_openais_client_streams_what_it_gets_whole(served: Any) -> None:
    async with openai.AsyncOpenAI(base_url=f"{served.url}/v1", api_key="none", max_retries=0) as client:
        messages: Any = [{"role": "user", "content": "Name three colours."}]
        whole = await client.chat.completions.create(model="default", messages=messages, **ASK)
        options: Any = {"include_usage": True}
        stream = await client.chat.completions.create(
            model="default", messages=messages, stream=True, stream_options=options, **ASK
        )
        chunks = [chunk async for chunk in stream]
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert text == whole.choices[0].message.content
    assert len(text) > 10
    assert whole.usage is not None
    assert chunks[-1].usage.total_tokens == whole.usage.total_tokens
    assert whole.usage.completion_tokens <= 24
    assert chunks[-2].choices[0].finish_reason == whole.choices[0].finish_reason


async def test_cut_twice_it_is_the_uncut_answer(served: Any, events: Any) -> None:
    uncut = events((await served.ask(**ASK)).content)
    found: list[Event] = []
    last_event_id = ""
    for take in (5, 6, 1000):
        parser = Parser(last_event_id=last_event_id)
        headers = {"Last-Event-ID": last_event_id} if last_event_id else {}
        body, connection = served.body(**ASK), []
        async with served.http.stream("POST", "/v1/chat/completions", json=body, headers=headers) as response:
            async for chunk in response.aiter_raw():
                connection += [item for item in parser.feed(chunk) if isinstance(item, Event)]
                if len(connection) >= take:
                    break
        found += connection
        last_event_id = parser.last_event_id
    assert _content(found) == _content(uncut)
    assert [event.id.rpartition("-")[2] for event in found] == [str(seq) for seq in range(len(found))]
    assert found[-1].data == "[DONE]"


def _content(found: list[Event]) -> list[str]:
    chunks = [json.loads(event.data) for event in found if event.data != "[DONE]"]
    return [choice["delta"].get("content", "") for chunk in chunks for choice in chunk["choices"]]


async def test_the_numbers_of_the_engine_agree(served: Any, events: Any) -> None:
    found = events((await served.ask(**ASK, stream_options={"include_usage": True})).content)
    usage, final = json.loads(found[-2].data)["usage"], json.loads(found[-3].data)
    assert final["timings"]["predicted_n"] == usage["completion_tokens"]
    assert final["timings"]["prompt_n"] + final["timings"]["cache_n"] == usage["prompt_tokens"]
    assert final["timings"]["predicted_per_second"] > 1
    health = (await served.http.get("/health")).json()
    assert health["engine"]["engine"] == "llamacpp"
    assert health["engine"]["layers"] > 0


async def test_a_prompt_that_does_not_fit_is_refused_by_http(served: Any) -> None:
    response = await served.ask(messages=[{"role": "user", "content": "sea " * 3000}])
    assert response.status_code == 400, response.text
    assert response.json()["error"]["code"] == "context_length_exceeded"


async def test_a_crash_of_llama_cpp_ends_the_stream_with_an_error_and_nothing_else(
    served: Any, events: Any
) -> None:
    async with served.http.stream("POST", "/v1/chat/completions", json=served.body()) as response:
        body = b""
        async for chunk in response.aiter_raw():
            if not body:
                os.kill(child_running("sse_tui.engine.worker"), signal.SIGKILL)
            body += chunk
    error = json.loads(events(body)[-1].data)["error"]
    assert (error["code"], error["type"]) == ("engine_crashed", "unavailable_error")
    async with asyncio.timeout(20):
        while (again := await served.ask(**ASK)).status_code == 503:
            await asyncio.sleep(0.1)
    assert events(again.content)[-1].data == "[DONE]"
