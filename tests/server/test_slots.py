"""One slot and several clients: whoever leaves or is cancelled frees it at once, and disturbs nobody else."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from sse_tui.engine.interface import ModelOptions
from sse_tui.engine.llamacpp import LlamaCppEngine

pytestmark = pytest.mark.model

STORY = {"messages": [{"role": "user", "content": "Tell me a very long story."}], "temperature": 0}
SHORT: dict[str, Any] = {"temperature": 0, "max_tokens": 1}


@pytest.fixture(name="engine")
def _engine(model_path: Path) -> LlamaCppEngine:
    return LlamaCppEngine(model_path, ModelOptions(n_ctx=1024, n_seq=1, n_threads=1))


@pytest.fixture(name="served")
async def _served(serving: Any, engine: LlamaCppEngine) -> Any:
    return await serving(engine, grace_s=0)


async def tokens(engine: LlamaCppEngine) -> int:
    return (await engine.stats()).predicted_tokens


async def idle(engine: LlamaCppEngine) -> None:
    async with asyncio.timeout(10):
        while (await engine.stats()).running:
            await asyncio.sleep(0.005)


@pytest.mark.parametrize("way", ["delete", "leave"])
async def test_a_stream_that_ends_early_frees_its_slot_within_a_step(
    served: Any, engine: LlamaCppEngine, way: str
) -> None:
    """ggml-org/llama.cpp#24496: the generation went on for nobody, to the end of the context."""
    async with served.http.stream("POST", "/v1/chat/completions", json=served.body(**STORY)) as response:
        async for chunk in response.aiter_raw():
            if b'"content":"' in chunk.partition(b"retry:")[2] or await tokens(engine) > 3:
                break
        if way == "delete":
            await served.http.delete(response.headers["location"])
            at_cancel = await tokens(engine)
    if way == "leave":
        at_cancel = await tokens(engine)
    await idle(engine)
    assert await tokens(engine) - at_cancel <= 5, "some were decoded while the word travelled"
    assert (await served.whole(**SHORT))[-1].data == "[DONE]"


async def test_a_whole_answer_whose_client_leaves_frees_its_slot(served: Any, engine: LlamaCppEngine) -> None:
    asked = asyncio.create_task(served.ask(stream=False, **STORY))
    async with asyncio.timeout(20):
        while await tokens(engine) < 3:
            await asyncio.sleep(0.005)
    asked.cancel()
    at_cancel = await tokens(engine)
    await idle(engine)
    assert await tokens(engine) - at_cancel <= 10
    assert (await served.whole(**SHORT))[-1].data == "[DONE]"


async def test_who_leaves_the_queue_is_not_served_and_takes_nobody_along(
    served: Any, engine: LlamaCppEngine
) -> None:
    """ikawrakow/ik_llama.cpp#1929: the active answer was cancelled. ggml-org/llama.cpp#13262: it was generated all the
    same."""
    active = asyncio.create_task(served.whole(**STORY | {"max_tokens": 40}))
    async with asyncio.timeout(20):
        while await tokens(engine) < 3:
            await asyncio.sleep(0.005)
    queued = asyncio.create_task(served.ask(stream=False, **STORY))
    async with asyncio.timeout(20):
        while not (await engine.stats()).waiting:
            await asyncio.sleep(0.005)
    queued.cancel()
    events = await active
    assert events[-1].data == "[DONE]"
    assert json.loads(events[-2].data)["choices"][0]["finish_reason"] == "length"
    await idle(engine)
    assert await tokens(engine) == 40, "none for the one that left"


async def test_a_long_prompt_that_is_cancelled_is_not_read_to_its_end(
    served: Any, engine: LlamaCppEngine
) -> None:
    """ikawrakow/ik_llama.cpp#1020: prompt processing went on."""
    long = [{"role": "user", "content": "word " * 900}]
    asked = asyncio.create_task(served.ask(stream=False, messages=long, max_tokens=1))
    async with asyncio.timeout(20):
        while not (await engine.stats()).running:
            await asyncio.sleep(0.005)
    asked.cancel()
    await idle(engine)
    stats = await engine.stats()
    assert stats.prompt_tokens < 500
    assert stats.predicted_tokens == 0
    assert (await served.whole(**SHORT))[-1].data == "[DONE]"
