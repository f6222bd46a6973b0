"""From the socket to the last byte: listening at once, loading beside it, ending properly."""

from __future__ import annotations

import asyncio
import json
import socket
from typing import Any

import httpx
import pytest

from sse_tui.engine.interface import EngineInfo
from sse_tui.engine.scripted import ScriptedEngine
from sse_tui.errors import ModelError, UsageError
from sse_tui.processes.messages import ErrorMessage
from sse_tui.server.asgi_app import build_app
from sse_tui.server.backend import Backend
from sse_tui.server.endpoint_state import Endpoint
from sse_tui.server.listener import listen, url_of
from sse_tui.server.run import serve
from sse_tui.server.settings import ServerSettings
from sse_tui.server.status import EndpointStatus


class Loading(ScriptedEngine):
    """An engine that loads when it is let."""

    def __init__(self, error: Exception | None = None) -> None:
        super().__init__("a b")
        self.go = asyncio.Event()
        self.closed = False
        self._error = error

    async def start(self) -> EngineInfo:
        await self.go.wait()
        if self._error:
            raise self._error
        return await super().start()

    async def close(self) -> None:
        self.closed = True
        await super().close()


def begin(engine: Any, **settings: Any) -> tuple[asyncio.Task[None], asyncio.Event, list[EndpointStatus]]:
    stop = asyncio.Event()
    statuses: list[EndpointStatus] = []
    task = asyncio.create_task(
        serve(engine, ServerSettings(**settings), stop=stop, on_status=statuses.append)
    )
    return task, stop, statuses


async def test_it_listens_while_the_model_loads() -> None:
    engine = Loading()
    task, stop, statuses = begin(engine)
    await asyncio.sleep(0.05)
    url = statuses[0].url
    async with httpx.AsyncClient(base_url=url) as http:
        health = await http.get("/health")
        assert (health.status_code, health.json()["status"]) == (503, "loading")
        assert health.headers["retry-after"] == "1"
        refused = await http.post("/v1/chat/completions", json={"messages": []})
        assert (refused.status_code, refused.json()["error"]["code"]) == (503, "loading")
        engine.go.set()
        async with asyncio.timeout(2):
            while (health := await http.get("/health")).status_code != 200:
                await asyncio.sleep(0.01)
        assert health.json()["engine"]["model"] == "scripted"
    stop.set()
    await task
    assert [status.state for status in statuses] == ["starting", "loading", "ready", "stopping", "stopped"]
    assert {status.url for status in statuses} == {url}
    ready = statuses[2]
    assert ready.engine is not None
    assert (ready.model, ready.engine.engine) == ("scripted", "scripted")
    assert engine.closed


async def test_an_engine_that_does_not_load_ends_it_with_its_error() -> None:
    engine = Loading(ModelError("model-cut", "The file is cut.", "Download it again."))
    engine.go.set()
    task, _, statuses = begin(engine)
    with pytest.raises(ModelError, match="The file is cut"):
        await task
    assert [status.state for status in statuses] == ["starting", "loading", "failed", "stopping", "stopped"]
    assert statuses[2].error == ErrorMessage("model", "model-cut", "The file is cut.", "Download it again.")
    assert statuses[3].error is None


async def test_stopping_while_it_loads() -> None:
    engine = Loading()
    task, stop, _ = begin(engine)
    await asyncio.sleep(0.05)
    stop.set()
    async with asyncio.timeout(3):
        await task
    assert engine.closed


async def test_a_stream_that_runs_at_the_shutdown_ends_with_an_event_that_says_so(
    serving: Any, events: Any
) -> None:
    served = await serving(ScriptedEngine("word " * 100, gap_ms=30))
    async with served.http.stream("POST", "/v1/chat/completions", json=served.body()) as response:
        body = b""
        async for chunk in response.aiter_raw():
            body += chunk
            if body.count(b"\n\n") == 3:
                served.stop.set()
    error = json.loads(events(body)[-1].data)["error"]
    assert (error["code"], error["message"]) == ("shutting_down", "The server is shutting down.")
    async with asyncio.timeout(3):
        await served.task


async def test_an_engine_that_does_not_stop_does_not_hold_the_shutdown(serving: Any, events: Any) -> None:
    class Deaf(ScriptedEngine):
        def submit(self, request: Any) -> Any:
            generation: Any = super().submit(request)
            generation.cancel = lambda: None
            return generation

    served = await serving(Deaf("word " * 100, gap_ms=30), drain_s=0.2)
    asked = asyncio.create_task(served.ask())
    await asyncio.sleep(0.1)
    served.stop.set()
    found = events((await asked).content)
    assert json.loads(found[-1].data)["error"]["code"] == "shutting_down"


async def test_a_whole_answer_at_the_shutdown_is_503(serving: Any) -> None:
    served = await serving(ScriptedEngine("word " * 100, gap_ms=30))
    asked = asyncio.create_task(served.ask(stream=False))
    await asyncio.sleep(0.1)
    served.stop.set()
    response = await asked
    assert (response.status_code, response.json()["error"]["code"]) == (503, "shutting_down")


async def test_nothing_new_is_taken_while_it_stops() -> None:
    engine = ScriptedEngine("a")
    await engine.start()
    endpoint = Endpoint(Backend(engine), ServerSettings())
    await endpoint.shut_down()
    transport = httpx.ASGITransport(build_app(endpoint))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as http:
        response = await http.post(
            "/v1/chat/completions", json={"messages": [{"role": "user", "content": "x"}]}
        )
    assert (response.status_code, response.json()["error"]["code"]) == (503, "shutting_down")
    assert response.headers["retry-after"]


async def test_a_taken_port_is_said_to_be_taken() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(UsageError, match=f"Port {port} on 127.0.0.1 is in use") as caught:
            await begin(ScriptedEngine("a"), port=port)[0]
    assert caught.value.code == "port-taken"
    assert caught.value.hint


def test_hosts_that_are_none() -> None:
    with pytest.raises(UsageError) as caught:
        listen("no-such-host.invalid", 0)
    assert caught.value.code == "host-unknown"
    with pytest.raises(UsageError) as caught:
        listen("192.0.2.1", 0)
    assert caught.value.code == "host-not-here"


def test_urls() -> None:
    with listen("0.0.0.0", 0) as listener:
        assert url_of(listener) == f"http://127.0.0.1:{listener.getsockname()[1]}"
    with listen("localhost", 0) as listener:
        assert url_of(listener).startswith("http://127.0.0.1:")


async def test_other_machines_only_with_a_token() -> None:
    with pytest.raises(UsageError, match="token"):
        await begin(ScriptedEngine("a"), host="0.0.0.0")[0]
    task, stop, _ = begin(ScriptedEngine("a"), host="0.0.0.0", token="secret")
    await asyncio.sleep(0.05)
    stop.set()
    await task
    with pytest.raises(UsageError, match="empty"):
        await begin(ScriptedEngine("a"), token="")[0]
