"""Which tokens go into the next batch, and what to make of its result: continuous batching, one step at a time.

A step runs one batch: the next token of every generation that is decoding, or a chunk of one prompt; with both to do
they take turns. Up to `n_seq` generations run together; the others wait in order. Nothing here is asynchronous and
nothing sleeps: the worker calls `step` while there is work.

A sequence of the context keeps the tokens of the generation that last ran in it. The next generation takes the free
sequence that shares the longest prefix with its prompt, and reads only the rest.

On a CPU the same request gives the same tokens, whatever runs beside it and whatever was kept, because a token's keys
and values come from the same arithmetic each time. llama.cpp computes a single token of a sequence by other kernels
than several, with other low bits (measured: 0.6 in the logits); how many more than one does not matter. So a prompt
is always read by two tokens or more, never in one batch with tokens that are decoded (llama.cpp would split one token
off it), and of a kept sequence only what was read as a prompt is used again, not the answer.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import takewhile
from operator import eq
from typing import Any, Protocol

from sse_tui.engine.context_room import prompt_too_long
from sse_tui.engine.interface import Final, GenRequest, Timings
from sse_tui.engine.ipc import Steps
from sse_tui.engine.prompt_lanes import TokenizedRequest, refused
from sse_tui.engine.token_text import TextStream
from sse_tui.errors import EngineError

# After this many failed batches in a row the context counts as broken.
_FAILURES = 3
_NO_ROOM = 1


class Chain(Protocol):
    """A native sampler chain of one generation. It must be freed."""

    def sample(self, index: int) -> int: ...
    def free(self) -> None: ...


class Context(Protocol):
    """What the scheduler needs of a loaded model; `index` is that of a token in the batch that was decoded."""

    n_ctx: int
    n_seq: int
    n_batch: int
    batch: Any

    def piece(self, token: int) -> bytes: ...
    def is_end(self, token: int) -> bool: ...
    def decode(self, count: int) -> int: ...
    def argmax(self, index: int) -> int: ...
    def chain(self, request: GenRequest) -> Chain: ...
    def keep(self, sequence: int, count: int) -> int: ...
    def clear(self) -> None: ...


class ContextBrokenError(Exception):
    """Decoding keeps failing: only a new process helps."""


@dataclass(slots=True)
class _Slot:
    """A sequence of the context and the tokens it holds, the first `read` of them read as a prompt."""

    sequence: int
    tokens: list[int] = field(default_factory=list)
    read: int = 0
    used: int = 0

    def reusable(self, prompt: list[int], *, exact: bool) -> int:
        """How many tokens of the prompt need not be read. The last one must be: it gives the first logits."""
        common: int = sum(takewhile(bool, map(eq, self.tokens, prompt)))
        return max(0, min(common, self.read, len(prompt) - 2) if exact else min(common, len(prompt) - 1))


@dataclass(slots=True, eq=False)
class _Running:
    """A generation and how far it is. Times in seconds of the scheduler's clock.

    `output` is the index in the batch of its token that gives logits, -1 without one; `fresh`: a chunk of its prompt
    that is not the last is in the batch.
    """

    key: int
    request: GenRequest
    prompt: list[int]
    prompt_tokens: int
    limit: int
    text: TextStream
    queued: float
    slot: _Slot | None = None
    chain: Chain | None = None
    cached: int = 0
    read: int = 0
    predicted: int = 0
    next_token: int = 0
    admitted: float = 0.0
    prompt_done: float = 0.0
    last: float = 0.0
    output: int = -1
    fresh: bool = False

    @property
    def decoding(self) -> bool:
        return self.read == len(self.prompt)


class Scheduler:
    """Runs generations on a context. `clock` gives seconds. `exact`: reuse nothing that could change a bit of an
    answer."""

    def __init__(
        self,
        context: Context,
        clock: Callable[[], float],
        *,
        prefill_chunk: int,
        exact: bool = True,
    ) -> None:
        self._context = context
        self._clock = clock
        self._chunk = max(2, min(prefill_chunk, context.n_batch))
        self._exact = exact
        self._free = [_Slot(sequence) for sequence in range(context.n_seq)]
        self._running: list[_Running] = []
        self._waiting: deque[_Running] = deque()
        self._turn = 0
        self._read_last = False
        self._failures = 0

    @property
    def idle(self) -> bool:
        return not self._running and not self._waiting

    def submit(self, tokenized: TokenizedRequest) -> Steps:
        """Queue a generation; returns its first step."""
        key, request, tokens, text, queued = tokenized
        if len(tokens) >= self._context.n_ctx:
            return refused(key, prompt_too_long(f"{len(tokens)}", self._context.n_ctx))
        if not tokens:
            return refused(key, EngineError("prompt-empty", "The prompt has no tokens."))
        prompt = list(tokens)
        room = self._context.n_ctx - len(prompt)
        limit = room if request.max_tokens is None else min(request.max_tokens, room)
        self._waiting.append(_Running(key, request, prompt, len(prompt), limit, text, queued))
        return Steps(progress=[(key, 0, len(prompt))])

    def cancel(self, key: int) -> Steps:
        """End a generation now; an unknown key is ignored."""
        steps = Steps()
        for generation in [*self._running, *self._waiting]:
            if generation.key == key:
                self._finish(generation, "cancelled", steps)
        return steps

    def step(self, cancelled: Callable[[], list[int]] = list) -> Steps:
        """One batch. `cancelled` is called after decoding, so that a cancel that came meanwhile costs no further
        token."""
        steps = Steps()
        self._admit()
        count = self._fill()
        if count == 0:
            return steps
        result = self._context.decode(count)
        for key in cancelled():
            steps.finals += self.cancel(key).finals
        if result != 0:
            self._failed(result, steps)
            return steps
        self._failures = 0
        now = self._clock()
        for generation in list(self._running):
            if generation.output >= 0:
                self._sample(generation, now, steps)
            elif generation.fresh:
                steps.progress.append((generation.key, generation.read, len(generation.prompt)))
        return steps

    def fail_all(self, message: str) -> Steps:
        """End every generation with an error."""
        steps = Steps()
        for generation in [*self._running, *self._waiting]:
            self._finish(generation, "error", steps, error=message, code="engine-failed")
        return steps

    def _admit(self) -> None:
        while self._waiting and self._free:
            generation = self._waiting.popleft()
            slot = max(
                self._free, key=lambda slot: (slot.reusable(generation.prompt, exact=self._exact), -slot.used)
            )
            self._free.remove(slot)
            wanted = slot.reusable(generation.prompt, exact=self._exact)
            generation.cached = generation.read = self._context.keep(slot.sequence, wanted)
            slot.tokens = generation.prompt[: generation.read]
            slot.read = generation.read
            generation.slot = slot
            # The largest logit takes numpy 9 microseconds to find; the chain, which copies the vocabulary, takes 88.
            if generation.request.temperature > 0 and generation.request.top_k != 1:
                generation.chain = self._context.chain(generation.request)
            generation.admitted = self._clock()
            self._running.append(generation)

    def _fill(self) -> int:
        """Write the batch; the number of tokens in it."""
        decoding: list[_Running] = []
        reading: list[_Running] = []
        for generation in self._running:
            generation.output, generation.fresh = -1, False
            (decoding if generation.decoding else reading).append(generation)
        self._read_last = bool(reading) and not (decoding and self._read_last)
        if not self._read_last:
            return self._fill_next(decoding)
        self._turn += 1
        return self._fill_chunk(reading[self._turn % len(reading)])

    def _fill_next(self, decoding: list[_Running]) -> int:
        """The next token of every generation that is decoding."""
        batch = self._context.batch
        for index, generation in enumerate(decoding):
            slot = generation.slot
            assert slot is not None
            batch.tokens[index] = generation.next_token
            batch.positions[index] = len(slot.tokens)
            batch.sequences[index] = slot.sequence
            batch.logits[index] = 1
            slot.tokens.append(generation.next_token)
            generation.output = index
        return len(decoding)

    def _fill_chunk(self, generation: _Running) -> int:
        """The next chunk of a prompt."""
        batch, slot = self._context.batch, generation.slot
        assert slot is not None
        rest = len(generation.prompt) - generation.read
        size = min(self._chunk, rest)
        if rest - size == 1:  # no chunk of one token, see above
            size += 1 if size < self._context.n_batch else -1
        chunk = generation.prompt[generation.read : generation.read + size]
        batch.tokens[:size] = chunk
        batch.positions[:size] = range(generation.read, generation.read + size)
        batch.sequences[:size] = slot.sequence
        batch.logits[:size] = 0
        slot.tokens += chunk
        generation.read += size
        slot.read = generation.read
        if generation.decoding:
            batch.logits[size - 1] = 1
            generation.output = size - 1
        generation.fresh = not generation.decoding
        return size

    def _sample(self, generation: _Running, now: float, steps: Steps) -> None:
        if not generation.prompt_done:
            generation.prompt_done = now
        if generation.predicted >= generation.limit:  # max_tokens 0: the prompt is read, nothing is wanted
            self._finish(generation, "length", steps)
            return
        sample = self._context.argmax if generation.chain is None else generation.chain.sample
        token = sample(generation.output)
        generation.last = now
        if self._context.is_end(token):
            self._finish(generation, "stop", steps)
            return
        text = generation.text.push(self._context.piece(token))
        steps.pieces.append((generation.key, generation.predicted, token, text))
        generation.predicted += 1
        generation.next_token = token
        if generation.text.stopped:
            self._finish(generation, "stop", steps)
        elif generation.predicted >= generation.limit:
            self._finish(generation, "length", steps)

    def _finish(
        self, generation: _Running, finish: str, steps: Steps, *, error: str = "", code: str = ""
    ) -> None:
        """End a generation and free its sequence."""
        now = self._clock()
        if generation.slot is None:
            self._waiting.remove(generation)
            timings = Timings(queue_ms=_ms(now - generation.queued))
        else:
            self._running.remove(generation)
            self._turn += 1
            generation.slot.used = self._turn
            self._free.append(generation.slot)
            done = generation.prompt_done or now
            timings = Timings(
                queue_ms=_ms(generation.admitted - generation.queued),
                cache_n=generation.cached,
                prompt_n=generation.read - generation.cached,
                prompt_ms=_ms(done - generation.admitted),
                predicted_n=generation.predicted,
                predicted_ms=_ms(max(generation.last - done, 0.0)),
            )
        if generation.chain is not None:
            generation.chain.free()
        final = Final(
            finish=finish,
            text=generation.text.close(),
            prompt_tokens=generation.prompt_tokens,
            completion_tokens=generation.predicted,
            timings=timings,
            error=error,
            error_code=code,
        )
        steps.finals.append((generation.key, final))

    def _failed(self, result: int, steps: Steps) -> None:
        """A batch was not run. When the cache has no room, the youngest generation is ended; else all of them."""
        self._failures += 1
        if self._failures >= _FAILURES:
            raise ContextBrokenError(f"llama_decode returned {result}, {self._failures} times in a row")
        victims = self._running[-1:] if result == _NO_ROOM else list(self._running)
        for generation in victims:
            self._finish(
                generation, "error", steps, error=f"llama_decode returned {result}.", code="decode-failed"
            )
        # What the sequences hold is no longer known. The generations that go on read their prompt and answer again.
        self._context.clear()
        for slot in self._free:
            slot.tokens, slot.read = [], 0
        for generation in self._running:
            assert generation.slot is not None
            slot = generation.slot
            generation.prompt = slot.tokens + generation.prompt[generation.read :]
            generation.read = generation.cached = slot.read = 0
            slot.tokens = []


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 3)
