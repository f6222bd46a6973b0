"""A served endpoint on a real socket, and the few ways in which the tests read from it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest

from sse_tui.engine.interface import Engine
from sse_tui.eventstream import Event, Item, Parser
from sse_tui.server.run import serve
from sse_tui.server.settings import ServerSettings
from sse_tui.server.status import EndpointStatus

QUESTION = [{"role": "user", "content": "Why is the sea salt?"}]


@dataclass
class Served:
    """A running endpoint. `stop` and `task` end it; `statuses` is what it said about itself."""

    url: str
    stop: asyncio.Event
    task: asyncio.Task[None]
    http: httpx.AsyncClient
    statuses: list[str] = field(default_factory=list)

    def body(self, **fields: Any) -> dict[str, Any]:
        """A streaming request."""
        return {"messages": QUESTION, "stream": True} | fields

    async def ask(self, **fields: Any) -> httpx.Response:
        """A chat request, read to its end."""
        return await self.http.post("/v1/chat/completions", json=self.body(**fields))

    async def whole(self, **fields: Any) -> list[Event]:
        """All events of a new stream."""
        response = await self.ask(**fields)
        assert response.status_code == 200, response.text
        return events(response.content)

    async def resume_by_post(self, last_event_id: str) -> httpx.Response:
        """The same request again, with the place."""
        headers = {"Last-Event-ID": last_event_id}
        return await self.http.post("/v1/chat/completions", json=self.body(), headers=headers)

    async def resume_by_get(self, last_event_id: str) -> httpx.Response:
        """As an EventSource resumes."""
        stream = last_event_id.rpartition("-")[0]
        return await self.http.get(f"/v1/streams/{stream}", headers={"Last-Event-ID": last_event_id})


def items(body: bytes) -> list[Item]:
    """Everything in the body, in order."""
    parser = Parser()
    return parser.feed(body) + parser.close()


def events(body: bytes) -> list[Event]:
    """The events of the body, without their offsets."""
    return [item._replace(start=0, end=0) for item in items(body) if isinstance(item, Event)]


Serve = Callable[..., Awaitable[Served]]


@pytest.fixture(name="serving")
async def _serving() -> AsyncIterator[Serve]:
    """``await serving(engine, **settings)``: as many endpoints as a test wants."""
    running: list[Served] = []

    async def start(engine: Engine, **settings: Any) -> Served:
        stop, ready = asyncio.Event(), asyncio.get_running_loop().create_future()
        statuses: list[str] = []

        def on_status(status: EndpointStatus) -> None:
            statuses.append(status.state)
            if status.state == "ready":
                ready.set_result(status.url)

        given = ServerSettings(**settings)
        task = asyncio.create_task(serve(engine, given, stop=stop, on_status=on_status))
        await asyncio.wait([task, ready], return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            await task
        headers = {"Authorization": f"Bearer {given.token}"} if given.token else {}
        limits = httpx.Limits(max_connections=None)
        url = ready.result()
        http = httpx.AsyncClient(base_url=url, headers=headers, timeout=20, limits=limits, trust_env=False)
        served = Served(url, stop, task, http, statuses)
        running.append(served)
        return served

    yield start
    for served in running:
        await served.http.aclose()
        served.stop.set()
        await served.task


@pytest.fixture(name="events")
def _events() -> Callable[[bytes], list[Event]]:
    return events


@pytest.fixture(name="items")
def _items() -> Callable[[bytes], list[Item]]:
    return items
