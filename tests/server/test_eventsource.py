"""Node's EventSource follows a stream through a proxy that keeps cutting it, and stops at its end."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from pathlib import Path
from typing import Any

import httpx
import pytest

from sse_tui.engine.scripted import ScriptedEngine

CLIENT = Path(__file__).with_name("eventsource_client.mjs")


@pytest.fixture(name="node_modules")
def _node_modules() -> str:
    folder = os.environ.get("SSE_TUI_NODE_MODULES", "")
    if not shutil.which("node") or not (Path(folder) / "node_modules" / "eventsource").is_dir():
        pytest.skip("needs node, and the npm package eventsource in the folder SSE_TUI_NODE_MODULES")
    return folder


class CuttingProxy:
    """Passes bytes on and cuts each connection after a given number of the server's bytes."""

    def __init__(self, port: int, cuts: list[int]) -> None:
        self._port, self._cuts = port, cuts

    async def __aenter__(self) -> str:
        self._server = await asyncio.start_server(self._connect, "127.0.0.1", 0)
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def __aexit__(self, *_: object) -> None:
        self._server.close()

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        up_reader, up_writer = await asyncio.open_connection("127.0.0.1", self._port)
        left = self._cuts.pop(0) if self._cuts else 10**9
        up = asyncio.create_task(_pass(reader, up_writer))
        while left and (data := await up_reader.read(left)):
            writer.write(data)
            left -= len(data)
            await writer.drain()
        up.cancel()
        writer.transport.abort()
        up_writer.transport.abort()


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)


async def test_it_resumes_after_every_cut_and_stops_at_204(
    serving: Any, events: Any, node_modules: str
) -> None:
    served = await serving(ScriptedEngine("So it goes — on 🐟 and on. " * 8, gap_ms=5), retry_ms=30)
    async with served.http.stream("POST", "/v1/chat/completions", json=served.body()) as response:
        stream = response.headers["location"]
        async with CuttingProxy(httpx.URL(served.url).port or 0, [1200, 900, 3000, 700]) as url:
            node = await asyncio.create_subprocess_exec(
                "node", str(CLIENT), node_modules, url + stream, stdout=asyncio.subprocess.PIPE
            )
            full = events(await response.aread())
            async with asyncio.timeout(30):
                out, _ = await node.communicate()
    told = json.loads(out)
    assert [(event["id"], event["data"]) for event in told["seen"]] == [
        (event.id, event.data) for event in full
    ]
    assert told["code"] == 204
    assert len(told["requests"]) >= 6, (
        "the first, one after each of four cuts, and the one that is told to stop"
    )
    assert told["requests"][0] is None
    assert told["requests"][-1] == full[-1].id
