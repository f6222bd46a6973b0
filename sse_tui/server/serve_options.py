"""What is served: the settings, and the engine with its model."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from sse_tui.engine.available import require_local_models
from sse_tui.engine.interface import Engine
from sse_tui.server.backend import Backend
from sse_tui.server.settings import ServerSettings
from sse_tui.server.status import EndpointState

Progress: TypeAlias = Callable[[int, int | None], None]
EnsureModel: TypeAlias = Callable[[str | None, Progress], Path]
"""Finds a model by name or path (None: the default), and downloads it if it is missing. Blocks, so it is called in a
thread. Its progress is bytes done and bytes in all."""


class ServeOptions(msgspec.Struct, kw_only=True, frozen=True):
    """One endpoint: where it listens and what it runs.

    `script` is the text of the scripted engine, its first token after `ttft_ms`, the others every `gap_ms`.
    """

    settings: ServerSettings = ServerSettings()
    engine: Literal["llamacpp", "scripted"] = "llamacpp"
    model: str | None = None
    n_gpu_layers: int = -1
    n_ctx: int = 4096
    n_seq: int = 4
    n_threads: int | None = None
    script: str | None = None
    ttft_ms: float = 200.0
    gap_ms: float = 20.0


async def make_engine(options: ServeOptions, ensure_model: EnsureModel, backend: Backend) -> Engine:
    """The engine of `options`, not started yet. A download is shown as the backend's state."""
    if options.engine == "scripted":
        return _scripted(options)
    require_local_models()
    path = await _ensure(options.model, ensure_model, backend)
    named = options.model is not None and not options.model.endswith(".gguf") and "/" not in options.model
    from sse_tui.engine.llamacpp import LlamaCppEngine

    return LlamaCppEngine(
        path,
        name=options.model if named else None,
        n_gpu_layers=options.n_gpu_layers,
        n_ctx=options.n_ctx,
        n_seq=options.n_seq,
        n_threads=options.n_threads,
    )


async def _ensure(model: str | None, ensure_model: EnsureModel, backend: Backend) -> Path:
    """Run `ensure_model` in a daemon thread: a download that hangs must not keep the process alive."""
    loop = asyncio.get_running_loop()
    found: asyncio.Future[Path] = loop.create_future()

    def progress(done: int, total: int | None) -> None:
        loop.call_soon_threadsafe(lambda: backend.enter(EndpointState.DOWNLOADING, done=done, total=total))

    def settle(path: Path | None, error: BaseException | None) -> None:
        if found.done():
            return
        if path is not None:
            found.set_result(path)
        else:
            found.set_exception(error or RuntimeError("no path"))

    def work() -> None:
        try:
            path, error = ensure_model(model, progress), None
        except BaseException as caught:
            path, error = None, caught
        try:
            loop.call_soon_threadsafe(settle, path, error)
        except RuntimeError:
            # The loop is closed: nobody waits for the model any more.
            return

    threading.Thread(target=work, name="model", daemon=True).start()
    return await found


def _scripted(options: ServeOptions) -> Engine:
    from sse_tui.engine.scripted import ScriptedEngine

    return ScriptedEngine(options.script, ttft_ms=options.ttft_ms, gap_ms=options.gap_ms)
