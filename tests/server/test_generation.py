"""A generation outlives its readers by the grace period, and no longer."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from sse_tui.engine.interface import Generation, PrefillProgress, Step
from sse_tui.engine.scripted import ScriptedEngine

TEXT = "one two three four five six seven eight nine ten " * 3 + "end"


async def begin(served: Any) -> str:
    """Start a stream, read two events, go away; the id of the second."""
    async with served.http.stream("POST", "/v1/chat/completions", json=served.body()) as response:
        body = b""
        async for chunk in response.aiter_raw():
            body += chunk
            if body.count(b"\n\n") >= 2:
                break
        stream: str = response.headers["x-stream-id"]
        return f"{stream}-1"


async def running(served: Any) -> int:
    stats: dict[str, int] = (await served.http.get("/health")).json()["stats"]
    return stats["running"]


async def until_idle(served: Any, seconds: float) -> None:
    async with asyncio.timeout(seconds):
        while await running(served):
            await asyncio.sleep(0.01)


async def test_it_goes_on_without_readers_and_a_late_one_gets_everything(serving: Any, events: Any) -> None:
    served = await serving(ScriptedEngine(TEXT, gap_ms=5), grace_s=5)
    last_event_id = await begin(served)
    await until_idle(served, 3)
    rest = events((await served.resume_by_get(last_event_id)).content)
    assert rest[-1].data == "[DONE]"
    assert len(rest) == 31 + 3 - 2


async def test_it_is_cancelled_after_the_grace_period_and_says_so(serving: Any, events: Any) -> None:
    served = await serving(ScriptedEngine(TEXT, gap_ms=50), grace_s=0.1)
    last_event_id = await begin(served)
    assert await running(served) == 1
    await until_idle(served, 1)
    rest = events((await served.resume_by_get(last_event_id)).content)
    error = json.loads(rest[-1].data)["error"]
    assert (error["code"], error["message"]) == (
        "cancelled",
        "Cancelled: the stream had no reader for 0.1 s.",
    )
    assert len(rest) < 10


async def test_a_reader_that_comes_back_in_time_keeps_it_alive(serving: Any, events: Any) -> None:
    served = await serving(ScriptedEngine(TEXT, gap_ms=30), grace_s=0.4)
    last_event_id = await begin(served)
    await asyncio.sleep(0.05)
    rest = events((await served.resume_by_get(last_event_id)).content)
    assert rest[-1].data == "[DONE]", "it ran more than twice the grace period after the first reader left"


async def test_without_a_grace_period_it_ends_with_its_reader(serving: Any, events: Any) -> None:
    served = await serving(ScriptedEngine(TEXT, gap_ms=10), grace_s=0)
    assert (await served.whole())[-1].data == "[DONE]"
    await begin(served)
    await until_idle(served, 0.2)


async def test_delete_cancels_within_a_token(serving: Any, events: Any) -> None:
    served = await serving(ScriptedEngine(TEXT, gap_ms=30))
    async with served.http.stream("POST", "/v1/chat/completions", json=served.body()) as response:
        url = response.headers["location"]
        cancelled = await served.http.delete(url)
        found = events(await response.aread())
    assert cancelled.json() == {"id": url.rpartition("/")[2], "object": "stream", "cancelled": True}
    assert json.loads(found[-1].data)["error"]["code"] == "cancelled"
    assert len(found) < 6
    assert (await served.http.delete(url)).json()["cancelled"] is False
    assert (await served.http.delete("/v1/streams/unknown")).status_code == 404
    assert await running(served) == 0


async def test_an_error_in_the_engine_ends_the_stream_in_band_without_done(serving: Any, events: Any) -> None:
    served = await serving(ScriptedEngine(TEXT, error_at=5))
    found = events((await served.ask()).content)
    error = json.loads(found[-1].data)["error"]
    assert error == {
        "message": "Scripted error at token 5.",
        "type": "server_error",
        "param": None,
        "code": "scripted_error",
    }
    assert len(found) == 7
    assert (await served.resume_by_get(found[-1].id)).status_code == 204


async def test_an_error_before_the_first_token_is_an_http_error(serving: Any) -> None:
    served = await serving(ScriptedEngine(TEXT, n_ctx=4))
    response = await served.ask(messages=[{"role": "user", "content": "far too many words for this"}])
    assert response.status_code == 400
    assert response.json()["error"]["code"] == "context_length_exceeded"
    assert (await served.http.get("/health")).json()["streams"]["running"] == 0


async def test_a_client_of_a_whole_answer_that_leaves_ends_it(serving: Any) -> None:
    served = await serving(ScriptedEngine(TEXT, gap_ms=50))
    asked = asyncio.create_task(served.ask(stream=False))
    async with asyncio.timeout(2):
        while not await running(served):
            await asyncio.sleep(0.01)
    asked.cancel()
    await until_idle(served, 1)


async def test_the_slow_start_of_an_engine_does_not_hold_back_the_headers(
    serving: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No sign of life for longer than `accept_wait_s`: the response starts all the same."""

    class Late(Generation):
        def put(self, step: Step) -> None:
            if not isinstance(step, PrefillProgress):
                super().put(step)

    monkeypatch.setattr("sse_tui.engine.scripted.Generation", Late)

    served = await serving(ScriptedEngine("a b", ttft_ms=1000), accept_wait_s=0.05)
    loop = asyncio.get_running_loop()
    started = loop.time()
    async with served.http.stream("POST", "/v1/chat/completions", json=served.body()) as response:
        first = await anext(aiter(response.aiter_raw()))
        assert 0.04 < loop.time() - started < 0.8
        assert first.startswith(b": heartbeat\n")
