"""An engine that follows a script: for tests and demonstrations, and as a stand-in for a provider.

It always calls itself "scripted". The text, the tokens and every error depend only on the script, the seed and the
request; the times also on the event loop. Pieces keep to a schedule fixed at the first token, so a late wake-up
delays one piece and not all that follow.
"""

from __future__ import annotations

import asyncio
import random
import re
import zlib
from collections.abc import Callable, Sequence

from sse_tui.engine.context_room import prompt_too_long
from sse_tui.engine.interface import (
    EngineInfo,
    EngineStats,
    Final,
    Generation,
    GenRequest,
    Piece,
    PrefillProgress,
    Timings,
)
from sse_tui.engine.token_text import TextStream
from sse_tui.errors import EngineError

_FILLER = (
    "the of stream token event byte gap first last server client answer question signal channel reader "
    "writer frame field value number name colour river stone light engine clock second line word letter"
)
_TOKEN = re.compile(r"\s{0,8}\S{1,8}|\s{1,8}")
_TOKEN_BYTES = 4 * 16

Script = str | Sequence[str] | Callable[[GenRequest], str | Sequence[str]]
"""What to say: a text, its pieces, or a function of the request that gives either."""


class ScriptedEngine:
    """Says `script`, or seeded filler of `length` tokens where it is None.

    The first piece comes `ttft_ms` after the submission, the others `gap_ms` apart, each moved by up to
    `jitter_ms` either way; a gap of 0 is as fast as the event loop turns. A generation fails with probability
    `error_rate`, at a token drawn from the seed, or at `error_at` if that is set. At most `n_seq` run at
    once, `max_queue` wait.
    """

    def __init__(
        self,
        script: Script | None = None,
        *,
        ttft_ms: float = 0.0,
        gap_ms: float = 0.0,
        jitter_ms: float = 0.0,
        error_rate: float = 0.0,
        error_at: int | None = None,
        seed: int = 0,
        length: int = 64,
        n_seq: int = 64,
        n_ctx: int = 4096,
        max_queue: int = 1024,
        name: str = "scripted",
    ) -> None:
        self._script = script
        self._ttft, self._gap, self._jitter = ttft_ms / 1000, gap_ms / 1000, jitter_ms / 1000
        self._error_rate, self._error_at = error_rate, error_at
        self._seed, self._length = seed, length
        self._capacity = n_seq + max_queue
        self._info = EngineInfo(
            engine="scripted",
            model=name,
            description="a script, no model",
            n_ctx=n_ctx,
            n_seq=n_seq,
            backend="none",
            longest_token=_TOKEN_BYTES,
        )
        self._slots = asyncio.Semaphore(n_seq)
        self._running = 0
        self._tasks: dict[asyncio.Task[None], Generation] = {}
        self._prompt_tokens = self._predicted_tokens = 0
        self._open = False

    @property
    def info(self) -> EngineInfo:
        return self._info

    async def start(self) -> EngineInfo:
        self._open = True
        return self._info

    def submit(self, request: GenRequest) -> Generation:
        if not self._open:
            raise EngineError("engine-down", "The engine is not running.")
        if len(self._tasks) >= self._capacity:
            raise EngineError("busy", f"The engine has {len(self._tasks)} generations.", "Try again later.")
        cancelled = asyncio.Event()
        generation = Generation(cancelled.set)
        prompt = _prompt_size(request)
        if prompt >= self._info.n_ctx:
            error = prompt_too_long(f"{prompt}", self._info.n_ctx)
            generation.put(Final(finish="error", error=error.message, error_code=error.code))
            return generation
        generation.put(PrefillProgress(0, prompt))
        task = asyncio.create_task(self._queue(request, prompt, generation, cancelled))
        self._tasks[task] = generation
        task.add_done_callback(self._drop)
        return generation

    async def stats(self) -> EngineStats:
        return EngineStats(
            running=self._running,
            waiting=len(self._tasks) - self._running,
            prompt_tokens=self._prompt_tokens,
            predicted_tokens=self._predicted_tokens,
        )

    async def close(self) -> None:
        self._open = False
        for generation in list(self._tasks.values()):
            generation.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _drop(self, task: asyncio.Task[None]) -> None:
        generation = self._tasks.pop(task)
        if not generation.ended:  # the task was cancelled, or a script raised
            error = None if task.cancelled() else task.exception()
            finish = "cancelled" if error is None else "error"
            generation.end(finish, error=str(error or ""), code="script-failed" if error else "")

    async def _queue(
        self, request: GenRequest, prompt: int, generation: Generation, cancelled: asyncio.Event
    ) -> None:
        submitted = asyncio.get_running_loop().time()
        async with self._slots:
            self._running += 1
            try:
                generation.put(await self._generate(request, prompt, generation, cancelled, submitted))
            finally:
                self._running -= 1

    async def _generate(
        self,
        request: GenRequest,
        prompt: int,
        generation: Generation,
        cancelled: asyncio.Event,
        submitted: float,
    ) -> Final:
        loop = asyncio.get_running_loop()
        draw = random.Random(f"{self._seed} {request.seed} {_prompt_text(request)}")
        pieces = self._pieces(request, draw)
        fails_at = self._failure(draw, len(pieces))
        text = TextStream(request.stop)
        room = self._info.n_ctx - prompt
        limit = room if request.max_tokens is None else min(request.max_tokens, room)
        started = due = loop.time()
        first = 0.0
        index = 0
        finish, error = "stop", ""
        self._prompt_tokens += prompt
        for index, piece in enumerate([*pieces, None]):
            due += self._ttft if index == 0 else self._gap
            moved = due + (draw.uniform(-self._jitter, self._jitter) if self._jitter else 0.0)
            if piece is None or index >= limit:
                finish = "stop" if piece is None else "length"
                break
            if await _cancelled_before(cancelled, moved - loop.time()):
                finish = "cancelled"
                break
            if index == fails_at:
                finish, error = "error", f"Scripted error at token {index}."
                break
            first = first or loop.time()
            self._predicted_tokens += 1
            if index == 0:
                generation.put(PrefillProgress(prompt, prompt))
            generation.put(Piece(index, zlib.crc32(piece.encode()) & 0xFFFF, text.push(piece.encode())))
            if text.stopped:
                index += 1
                break
        now = loop.time()
        first = first or now
        timings = Timings(
            queue_ms=(started - submitted) * 1000,
            prompt_n=prompt,
            prompt_ms=(first - started) * 1000,
            predicted_n=index,
            predicted_ms=(now - first) * 1000,
        )
        return Final(
            finish=finish,
            text=text.close(),
            prompt_tokens=prompt,
            completion_tokens=index,
            timings=timings,
            error=error,
            error_code="scripted-error" if error else "",
        )

    def _pieces(self, request: GenRequest, draw: random.Random) -> list[str]:
        said = self._script(request) if callable(self._script) else self._script
        if said is None:
            words = _FILLER.split()
            return [("" if index == 0 else " ") + draw.choice(words) for index in range(self._length)]
        return _TOKEN.findall(said) if isinstance(said, str) else list(said)

    def _failure(self, draw: random.Random, count: int) -> int | None:
        if self._error_at is not None:
            return self._error_at
        # Both drawn in any case, so that the error rate does not change the text or the jitter.
        chance, index = draw.random(), draw.randrange(max(count, 1))
        return index if chance < self._error_rate else None


async def _cancelled_before(cancelled: asyncio.Event, delay: float) -> bool:
    """Wait for `delay` seconds; True when a cancel ended the wait. Without a delay, others still get to run."""
    if delay <= 0:
        await asyncio.sleep(0)
        return cancelled.is_set()
    try:
        async with asyncio.timeout(delay):
            await cancelled.wait()
    except TimeoutError:
        return False
    return True


def _prompt_text(request: GenRequest) -> str:
    if request.prompt is not None:
        return request.prompt
    return "\n".join(f"{message.get('role')}: {message.get('content')}" for message in request.messages)


def _prompt_size(request: GenRequest) -> int:
    return max(1, len(_TOKEN.findall(_prompt_text(request))))
