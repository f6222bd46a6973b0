"""The interface of every token source: llama.cpp, scripted, a recording.

An engine gives pieces of text; it knows nothing of HTTP, of event streams, or of who reads them. All methods are
called from one event loop. An engine's process or thread is its own business.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any, Protocol, TypeAlias

import msgspec

Seed: TypeAlias = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]


class ModelOptions(msgspec.Struct, kw_only=True, frozen=True):
    """How a model is run.

    `n_gpu_layers` -1 puts all layers on a GPU if llama.cpp finds one; `n_ctx` is the context of each of the `n_seq`
    generations that run together, in tokens, at most (and with 0) what the model was trained with; `n_threads` None
    means the physical cores but one; `n_batch` and `prefill_chunk`, in tokens, None what suits the device.
    """

    n_gpu_layers: int = -1
    n_ctx: int = 4096
    n_seq: int = 4
    n_threads: int | None = None
    n_batch: int | None = None
    prefill_chunk: int | None = None


class GenRequest(msgspec.Struct, kw_only=True, frozen=True):
    """One generation. `seed` is always concrete, so that a run can be repeated; `max_tokens` None means what is left of
    the context. `messages` are ``{"role", "content"}`` objects; the engine applies the chat template. The sampling
    defaults are those of llama-cpp-python's chat completions."""

    id: str
    messages: list[dict[str, Any]] = []
    prompt: str | None = None
    max_tokens: int | None = None
    stop: list[str] = []
    seed: Seed = 0
    temperature: float = 0.2
    top_k: int = 40
    top_p: float = 0.95
    min_p: float = 0.05


class Piece(msgspec.Struct, frozen=True):
    """One sampled token and the text that it completed: "" while UTF-8 is incomplete or a stop string may have
    begun."""

    index: int
    token: int
    text: str


class PrefillProgress(msgspec.Struct, frozen=True):
    """Prompt processing: `done` of `total` tokens."""

    done: int
    total: int


class Timings(msgspec.Struct, kw_only=True, frozen=True):
    """Times by the engine's own clock, in milliseconds, with llama.cpp's names."""

    queue_ms: float = 0.0
    cache_n: int = 0
    prompt_n: int = 0
    prompt_ms: float = 0.0
    predicted_n: int = 0
    predicted_ms: float = 0.0


class Final(msgspec.Struct, kw_only=True, frozen=True):
    """The end of a generation. `text` is what was still held back. `finish`: stop, length, cancelled or error, with
    `error` and `error_code` for the last."""

    finish: str
    text: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    timings: Timings = Timings()
    error: str = ""
    error_code: str = ""


Step: TypeAlias = Piece | PrefillProgress | Final


class DeviceInfo(msgspec.Struct, kw_only=True, frozen=True):
    """A compute device as llama.cpp reports it; memory in bytes, None where it is not known."""

    name: str
    kind: str
    description: str = ""
    memory_total: int | None = None
    memory_free: int | None = None


class EngineInfo(msgspec.Struct, kw_only=True, frozen=True):
    """What is loaded and where it runs, as the engine itself reports it, never as it was asked to.

    `layers_offloaded` of `layers` are on devices other than the CPU. `chat_template` says where the template comes
    from. `buffers` is the memory taken, in bytes, by device and use; `system` names the processor's features.
    `longest_token` is in bytes, 0 where it is not known; `message_tokens` is the least that the chat template adds to a
    message.
    """

    engine: str
    model: str
    model_path: str = ""
    description: str = ""
    parameters: int = 0
    size_bytes: int = 0
    n_ctx: int = 0
    n_seq: int = 1
    n_threads: int = 0
    layers: int = 0
    layers_offloaded: int = 0
    devices: list[DeviceInfo] = []
    backend: str = ""
    version: str = ""
    load_ms: float = 0.0
    chat_template: str = ""
    buffers: dict[str, int] = {}
    system: str = ""
    longest_token: int = 0
    message_tokens: int = 1


class EngineStats(msgspec.Struct, kw_only=True, frozen=True):
    """The current load: running and waiting generations; tokens and restarts of the worker since the start."""

    running: int = 0
    waiting: int = 0
    prompt_tokens: int = 0
    predicted_tokens: int = 0
    restarts: int = 0


class Generation:
    """A running generation as a queue: the engine puts steps in, its reader iterates over them to the `Final`.

    The engine never waits for the reader: what was not read yet is kept. `on_cancel` is called at most once, and not
    after the `Final`.
    """

    def __init__(self, on_cancel: Callable[[], None]) -> None:
        self._on_cancel: Callable[[], None] | None = on_cancel
        # A deque and one future: asyncio.Queue costs twice as much a step.
        self._steps: deque[Step] = deque()
        self._waiting: asyncio.Future[None] | None = None
        # Whether the `Final` was put, even if the reader has not taken it.
        self.ended = False
        self._prompt = self._pieces = 0

    def put(self, step: Step) -> None:
        """Add a step; after a `Final` further steps are ignored."""
        if self.ended:
            return
        self._steps.append(step)
        if self._waiting is not None:
            if not self._waiting.done():
                self._waiting.set_result(None)
            self._waiting = None
        if isinstance(step, Piece):
            self._pieces += 1
        elif isinstance(step, PrefillProgress):
            self._prompt = step.total
        else:
            self.ended = True

    def end(self, finish: str, *, error: str = "", code: str = "") -> None:
        """Put a `Final` for an engine that can no longer make one, with the counts that are known here."""
        self.put(
            Final(
                finish=finish,
                prompt_tokens=self._prompt,
                completion_tokens=self._pieces,
                error=error,
                error_code=code,
            )
        )

    def cancel(self) -> None:
        """Stop within one token. Idempotent. The `Final` with finish "cancelled" still follows."""
        on_cancel, self._on_cancel = self._on_cancel, None
        if on_cancel is not None and not self.ended:
            on_cancel()

    async def __aiter__(self) -> AsyncIterator[Step]:
        steps = self._steps
        while True:
            if not steps:
                self._waiting = asyncio.get_running_loop().create_future()
                await self._waiting
            step = steps.popleft()
            yield step
            if isinstance(step, Final):
                return


class Engine(Protocol):
    """A token source. `start` loads it and raises `ModelError` or `EngineError` when it cannot."""

    async def start(self) -> EngineInfo: ...

    @property
    def info(self) -> EngineInfo: ...

    def submit(self, request: GenRequest) -> Generation:
        """Queue a generation. Raises `EngineError` with code "busy" or "engine-down".

        What only the tokenizer can know comes as the first step, before any prompt is processed and even while the
        generation waits for its turn: either a `PrefillProgress` (nothing done yet), or a `Final` with finish "error"
        and error_code "prompt-too-long", "template-failed" or "content-unsupported".
        """

    async def stats(self) -> EngineStats: ...

    async def close(self) -> None:
        """End every generation and free what was loaded. Idempotent."""
