"""The llama.cpp engine as its users see it: a worker process, started, watched, and started again.

llama.cpp aborts its process on a failed assertion or an error of the GPU, and its threads and the GIL would disturb an
event loop; so it runs in a child (`sse_tui.engine.worker`). When the child dies, the generations that ran there end
with an error that says how, and a new child is started, which runs those that had not been sent yet. llama_cpp itself
is imported only by `sse_tui.engine.native`, in the child.
"""

from __future__ import annotations

import asyncio
import itertools
from pathlib import Path

import msgspec

from sse_tui.engine import gguf, ipc
from sse_tui.engine.available import require_local_models
from sse_tui.engine.interface import (
    EngineInfo,
    EngineStats,
    Generation,
    GenRequest,
    ModelOptions,
    Piece,
    PrefillProgress,
)
from sse_tui.errors import EngineError, SseTuiError
from sse_tui.processes import messages
from sse_tui.processes.child import Child
from sse_tui.text.wording import many

# The wait before each restart since a generation last succeeded; after the last one, no more are tried.
_RESTART_DELAYS_S = (0.0, 0.25, 1.0, 4.0, 10.0)
# Without it ggml's failed assertion starts a debugger, which takes seconds and prints a page.
_WORKER_ENVIRONMENT = {"GGML_NO_BACKTRACE": "1"}
_NOT_RUNNING = "The engine is not running."


class LlamaCppEngine:
    """Runs a GGUF model. With `n_seq` running and `max_queue` waiting generations, `submit` refuses more."""

    def __init__(
        self,
        model_path: Path | str,
        options: ModelOptions,
        *,
        name: str | None = None,
        max_queue: int = 32,
    ) -> None:
        self._path = Path(model_path)
        self._load = ipc.Load(
            model_path=str(self._path), name=name or self._path.stem, **msgspec.structs.asdict(options)
        )
        self._capacity = options.n_seq + max_queue
        self._worker: Child[ipc.Report] | None = None
        self._info: EngineInfo | None = None
        self._generations: dict[int, Generation] = {}
        self._unsent: dict[int, GenRequest] = {}
        self._keys = itertools.count(1)
        self._watcher: asyncio.Task[None] | None = None
        self._down = _NOT_RUNNING
        self._attempts = 0
        self._prompt_tokens = self._predicted_tokens = self._restarts = 0

    @property
    def info(self) -> EngineInfo:
        if self._info is None:
            raise EngineError("engine-down", "The engine has not been started.")
        return self._info

    async def start(self) -> EngineInfo:
        """Load the model. Raises `ModelError` when the file is missing, cut, not GGUF, or too large for the
        memory, `EngineError` when llama-cpp-python is not installed."""
        if self._info is not None:
            return self._info
        require_local_models()
        await asyncio.to_thread(gguf.read, self._path)
        self._worker, self._info = await self._launch()
        self._watcher = asyncio.create_task(self._watch(), name="engine worker")
        self._down = ""
        return self._info

    def submit(self, request: GenRequest) -> Generation:
        if self._down:
            raise EngineError("engine-down", self._down)
        if len(self._generations) >= self._capacity:
            waiting = self._capacity - self._load.n_seq
            raise EngineError(
                "busy",
                f"The engine is running {many(self._load.n_seq, 'generation')}, and {waiting} are waiting.",
                "Try again later.",
            )
        key = next(self._keys)
        submit = ipc.Submit(key, request)
        try:
            # A command that the worker cannot read would end it, and every generation with it.
            ipc.read_command(messages.line(submit))
        except (ValueError, TypeError) as error:
            raise EngineError(
                "request-invalid", f"The request cannot be sent to the engine process: {error}."
            ) from error
        generation = Generation(lambda: self._cancel(key))
        self._generations[key] = generation
        if self._worker is not None:
            self._worker.send(submit)
        else:
            self._unsent[key] = request
        return generation

    async def stats(self) -> EngineStats:
        active = len(self._generations)
        return EngineStats(
            running=min(active, self._load.n_seq),
            waiting=max(active - self._load.n_seq, 0),
            prompt_tokens=self._prompt_tokens,
            predicted_tokens=self._predicted_tokens,
            restarts=self._restarts,
        )

    async def close(self) -> None:
        self._down = _NOT_RUNNING
        if self._watcher is not None:
            self._watcher.cancel()
            await asyncio.gather(self._watcher, return_exceptions=True)
        worker, self._worker = self._worker, None
        if worker is not None:
            await worker.end()
        self._end_all("cancelled")

    async def _launch(self) -> tuple[Child[ipc.Report], EngineInfo]:
        """A worker that has loaded the model."""
        worker = await Child.start("sse_tui.engine.worker", reports=ipc.read_report, env=_WORKER_ENVIRONMENT)
        try:
            worker.send(self._load)
            async for report in worker.reports():
                if isinstance(report, ipc.ModelLoaded):
                    return worker, report.info
                if isinstance(report, ipc.LoadFailed):
                    raise report.error.error()
            message = f"{await _how_it_ended(worker)} It was loading {self._path}."
            raise EngineError("engine-crashed", message)
        except BaseException:
            await worker.end()
            raise

    async def _watch(self) -> None:
        """Pass on what the worker reports; when it dies, say so to its generations and start another."""
        while self._worker is not None:
            async for report in self._worker.reports():
                if isinstance(report, ipc.Steps):
                    self._pass_on(report)
            # From here on `submit` keeps its requests for the next worker.
            worker, self._worker = self._worker, None
            message = await _how_it_ended(worker)
            await worker.end()
            for key in self._generations.keys() - self._unsent.keys():
                self._generations.pop(key).end("error", error=message, code="engine-crashed")
            await self._restart(message)

    async def _restart(self, message: str) -> None:
        while self._attempts < len(_RESTART_DELAYS_S):
            await asyncio.sleep(_RESTART_DELAYS_S[self._attempts])
            self._attempts += 1
            self._restarts += 1
            try:
                self._worker, self._info = await self._launch()
            except SseTuiError as error:
                message = str(error)
                continue
            for key, request in self._unsent.items():
                self._worker.send(ipc.Submit(key, request))
            self._unsent.clear()
            return
        self._down = f"The engine could not be restarted: {message}"
        self._end_all("error", error=self._down, code="engine-down")

    def _end_all(self, finish: str, **error: str) -> None:
        for key in list(self._generations):
            self._generations.pop(key).end(finish, **error)
        self._unsent.clear()

    def _pass_on(self, steps: ipc.Steps) -> None:
        generations = self._generations
        for key, done, total in steps.progress:
            if generation := generations.get(key):
                generation.put(PrefillProgress(done, total))
        self._predicted_tokens += len(steps.pieces)
        for key, index, token, text in steps.pieces:
            if generation := generations.get(key):
                generation.put(Piece(index, token, text))
        for key, final in steps.finals:
            self._prompt_tokens += final.timings.prompt_n
            if final.finish != "error":
                self._attempts = 0
            if generation := generations.pop(key, None):
                generation.put(final)

    def _cancel(self, key: int) -> None:
        if self._unsent.pop(key, None) is not None:
            self._generations.pop(key).end("cancelled")
        elif self._worker is not None:
            self._worker.send(ipc.Cancel(key))


async def _how_it_ended(worker: Child[ipc.Report]) -> str:
    return f"The engine process {(await worker.exit_text()).rstrip('.')}."
