"""How the options become an engine: finding the model in a thread, telling its progress, giving up."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from sse_tui.engine.llamacpp import LlamaCppEngine
from sse_tui.engine.scripted import ScriptedEngine
from sse_tui.errors import ModelError
from sse_tui.server.backend import Backend
from sse_tui.server.run import serve
from sse_tui.server.serve_options import Progress, ServeOptions, make_engine
from sse_tui.server.settings import ServerSettings
from sse_tui.server.status import EndpointStatus


async def test_a_download_shows_as_a_state(tmp_path: Path) -> None:
    statuses: list[EndpointStatus] = []

    def ensure(name: str | None, progress: Progress) -> Path:
        assert threading.current_thread() is not threading.main_thread()
        progress(1, 2)
        progress(2, 2)
        return tmp_path / f"{name}.gguf"

    backend = Backend(watch=statuses.append)
    engine = await make_engine(ServeOptions(model="small"), ensure, backend)
    assert isinstance(engine, LlamaCppEngine)
    assert [(status.state, status.details) for status in statuses] == [
        ("downloading", {"done": 1, "total": 2}),
        ("downloading", {"done": 2, "total": 2}),
    ]


async def test_its_failure_is_the_failure() -> None:
    def ensure(name: str | None, progress: Progress) -> Path:
        raise ModelError("no-network", "There is no network.")

    with pytest.raises(ModelError, match="no network"):
        await make_engine(ServeOptions(), ensure, Backend())


async def test_a_download_that_hangs_does_not_hold_the_shutdown() -> None:
    hanging, release = threading.Event(), threading.Event()

    def ensure(name: str | None, progress: Progress) -> Path:
        hanging.set()
        release.wait(20)
        return Path("late.gguf")

    async def make(backend: Backend) -> Any:
        return await make_engine(ServeOptions(), ensure, backend)

    stop = asyncio.Event()
    task = asyncio.create_task(serve(make, ServerSettings(), stop=stop))
    assert await asyncio.to_thread(hanging.wait, 5)
    stop.set()
    async with asyncio.timeout(3):
        await task
    release.set()


async def test_the_scripted_engine_needs_no_model() -> None:
    def ensure(name: str | None, progress: Progress) -> Path:
        raise AssertionError("it was asked for a model")

    assert isinstance(await make_engine(ServeOptions(engine="scripted"), ensure, Backend()), ScriptedEngine)
