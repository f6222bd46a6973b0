"""What is served: the settings, and the engine with its model."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from sse_tui.engine.available import require_local_models
from sse_tui.engine.interface import Engine, ModelOptions
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
    model_options: ModelOptions = ModelOptions()
    script: str | None = None
    ttft_ms: float = 200.0
    gap_ms: float = 20.0


async def make_engine(options: ServeOptions, ensure_model: EnsureModel, backend: Backend) -> Engine:
    """The engine of `options`, not started yet. A download is shown as the backend's state."""
    if options.engine == "scripted":
        from sse_tui.engine.scripted import ScriptedEngine

        return ScriptedEngine(options.script, ttft_ms=options.ttft_ms, gap_ms=options.gap_ms)
    require_local_models()
    path = await _ensure(options.model, ensure_model, backend)
    named = options.model is not None and not options.model.endswith(".gguf") and "/" not in options.model
    from sse_tui.engine.llamacpp import LlamaCppEngine

    return LlamaCppEngine(path, options.model_options, name=options.model if named else None)


async def _ensure(model: str | None, ensure_model: EnsureModel, backend: Backend) -> Path:
    """Run `ensure_model` in a daemon thread: a download that hangs must not keep the process alive."""
    loop = asyncio.get_running_loop()
    found: asyncio.Future[Path] = loop.create_future()

    def progress(done: int, total: int | None) -> None:
        loop.call_soon_threadsafe(lambda: backend.enter(EndpointState.DOWNLOADING, done=done, total=total))

    def settle(set_outcome: Callable[[Any], None], outcome: Any) -> None:
        if not found.done():
            set_outcome(outcome)

    def work() -> None:
        try:
            end: tuple[Callable[[Any], None], Any] = found.set_result, ensure_model(model, progress)
        except BaseException as error:
            end = found.set_exception, error
        # The loop may be closed: then nobody waits for the model any more.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(settle, *end)

    threading.Thread(target=work, name="model", daemon=True).start()
    return await found
