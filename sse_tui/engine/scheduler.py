"""Which tokens go into the next batch, and what came of the last one: continuous batching, one step at a
time.

A step takes one token of every generation that is decoding and a chunk of one prompt that is still being
read, runs them as one batch, and gives back everything that was gained. Up to `n_seq` generations run
together; the others wait in order. Nothing here is asynchronous and nothing sleeps: the worker calls `step`
while there is work.

A sequence of the context keeps the tokens of the generation that last ran in it. The next one takes the free
sequence that shares the longest beginning with its prompt and reads only the rest.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from sse_tui.engine.base import Final, GenRequest, Timings
from sse_tui.engine.ipc import Steps
from sse_tui.engine.sampling import Chain, Sampling, sampler
from sse_tui.engine.text import TextStream
from sse_tui.errors import EngineError

# After so many failed batches in a row the context is taken for broken.
_FAILURES = 3
_NO_ROOM = 1


class BatchArrays(Protocol):
    """The arrays that a batch is written to."""

    tokens: Any
    positions: Any
    sequences: Any
    logits: Any


class Context(Sampling, Protocol):
    """What the scheduler needs of a loaded model."""

    n_ctx: int
    n_seq: int
    n_batch: int
    batch: Any

    def piece(self, token: int) -> bytes: ...
    def is_end(self, token: int) -> bool: ...
    def decode(self, count: int) -> int: ...
    def keep(self, sequence: int, count: int) -> int: ...
    def clear(self) -> None: ...


class ContextBrokenError(Exception):
    """Decoding fails again and again: only a new process helps."""


@dataclass(slots=True)
class _Slot:
    """A sequence of the context and the tokens it holds."""

    sequence: int
    tokens: list[int] = field(default_factory=list)
    used: int = 0


@dataclass(slots=True, eq=False)
class _Running:
    """A generation and how far it is. Times in seconds of the scheduler's clock."""

    key: int
    request: GenRequest
    prompt: list[int]
    prompt_tokens: int
    limit: int
    text: TextStream
    queued: float
    slot: _Slot | None = None
    sampler: Chain | None = None
    cached: int = 0
    read: int = 0
    predicted: int = 0
    next_token: int = 0
    admitted: float = 0.0
    prompt_done: float = 0.0
    last: float = 0.0
    place: int = -1

    @property
    def decoding(self) -> bool:
        return self.read == len(self.prompt)


class Scheduler:
    """Runs generations on a context. `tokens_of` gives the prompt's tokens or raises `EngineError`; `clock`
    seconds."""

    def __init__(
        self,
        context: Context,
        tokens_of: Callable[[GenRequest], list[int]],
        clock: Callable[[], float],
        *,
        prefill_chunk: int,
    ) -> None:
        self._context = context
        self._tokens_of = tokens_of
        self._clock = clock
        self._chunk = max(1, prefill_chunk)
        self._free = [_Slot(sequence) for sequence in range(context.n_seq)]
        self._running: list[_Running] = []
        self._waiting: deque[_Running] = deque()
        self._turn = 0
        self._failures = 0

    @property
    def idle(self) -> bool:
        return not self._running and not self._waiting

    def submit(self, key: int, request: GenRequest) -> Steps:
        """Take a generation on; what it returns is its first step."""
        try:
            prompt = self._tokens_of(request)
            if len(prompt) >= self._context.n_ctx:
                raise EngineError(
                    "prompt-too-long",
                    f"The prompt has {len(prompt)} tokens; the context holds {self._context.n_ctx} "
                    "with at least one of the answer.",
                    "A shorter conversation fits, or a larger n_ctx.",
                )
            if not prompt:
                raise EngineError("prompt-empty", "The prompt has no tokens.")
        except EngineError as error:
            final = Final(finish="error", error=str(error), error_code=error.code)
            return Steps(finals=[(key, final)])
        room = self._context.n_ctx - len(prompt)
        limit = room if request.max_tokens is None else min(request.max_tokens, room)
        self._waiting.append(
            _Running(key, request, prompt, len(prompt), limit, TextStream(request.stop), self._clock())
        )
        return Steps(progress=[(key, 0, len(prompt))])

    def cancel(self, key: int) -> Steps:
        """End a generation now; an unknown key is ignored."""
        steps = Steps()
        for one in [*self._running, *self._waiting]:
            if one.key == key:
                self._finish(one, "cancelled", steps)
        return steps

    def step(self, cancelled: Callable[[], list[int]] = list) -> Steps:
        """One batch. `cancelled` is asked after decoding, so that a cancel that came meanwhile costs no token
        more."""
        steps = Steps()
        self._admit()
        count = self._fill()
        if count == 0:
            return steps
        result = self._context.decode(count)
        for key in cancelled():
            late = self.cancel(key)
            steps.finals += late.finals
        if result != 0:
            self._failed(result, steps)
            return steps
        self._failures = 0
        now = self._clock()
        for one in list(self._running):
            if one.place >= 0:
                self._sample(one, now, steps)
            elif not one.decoding:
                steps.progress.append((one.key, one.read, len(one.prompt)))
        return steps

    def fail_all(self, message: str) -> Steps:
        """End every generation with an error."""
        steps = Steps()
        for one in [*self._running, *self._waiting]:
            self._finish(one, "error", steps, error=message, code="engine-failed")
        return steps

    # --- the next batch
    # -------------------------------------------------------------------------------------------

    def _admit(self) -> None:
        while self._waiting and self._free:
            one = self._waiting.popleft()
            slot = max(self._free, key=lambda slot: (_common(slot.tokens, one.prompt), -slot.used))
            self._free.remove(slot)
            # The last token is read again in any case: its logits are what the first token is sampled from.
            wanted = min(_common(slot.tokens, one.prompt), len(one.prompt) - 1)
            one.cached = one.read = self._context.keep(slot.sequence, wanted)
            slot.tokens = one.prompt[: one.read]
            one.slot = slot
            one.sampler = sampler(self._context, one.request)
            one.admitted = self._clock()
            self._running.append(one)

    def _fill(self) -> int:
        """Write the batch; the number of tokens in it."""
        batch = self._context.batch
        count = 0
        reading = []
        for one in self._running:
            one.place = -1
            slot = one.slot
            assert slot is not None
            if not one.decoding:
                reading.append(one)
                continue
            batch.tokens[count] = one.next_token
            batch.positions[count] = len(slot.tokens)
            batch.sequences[count] = slot.sequence
            batch.logits[count] = 1
            slot.tokens.append(one.next_token)
            one.place = count
            count += 1
        if reading:
            self._turn += 1
            count = self._fill_chunk(reading[self._turn % len(reading)], count)
        return count

    def _fill_chunk(self, one: _Running, start: int) -> int:
        """Append the next chunk of a prompt to the batch."""
        batch, slot = self._context.batch, one.slot
        assert slot is not None
        size = min(self._chunk, self._context.n_batch - start, len(one.prompt) - one.read)
        end = start + size
        chunk = one.prompt[one.read : one.read + size]
        batch.tokens[start:end] = chunk
        batch.positions[start:end] = range(one.read, one.read + size)
        batch.sequences[start:end] = slot.sequence
        batch.logits[start:end] = 0
        slot.tokens += chunk
        one.read += size
        if one.decoding:
            batch.logits[end - 1] = 1
            one.place = end - 1
        return end

    # --- what came of it
    # ------------------------------------------------------------------------------------------

    def _sample(self, one: _Running, now: float, steps: Steps) -> None:
        if not one.prompt_done:
            one.prompt_done = now
        if one.predicted >= one.limit:  # max_tokens 0: the prompt is read, nothing is wanted
            self._finish(one, "length", steps)
            return
        assert one.sampler is not None
        token = one.sampler.sample(one.place)
        one.last = now
        if self._context.is_end(token):
            self._finish(one, "stop", steps)
            return
        text = one.text.push(self._context.piece(token))
        steps.pieces.append((one.key, one.predicted, token, text))
        one.predicted += 1
        one.next_token = token
        if one.text.stopped:
            self._finish(one, "stop", steps)
        elif one.predicted >= one.limit:
            self._finish(one, "length", steps)

    def _finish(self, one: _Running, finish: str, steps: Steps, *, error: str = "", code: str = "") -> None:
        """End a generation and free its place."""
        now = self._clock()
        if one.slot is None:
            self._waiting.remove(one)
            timings = Timings(queue_ms=_ms(now - one.queued))
        else:
            self._running.remove(one)
            self._turn_slot(one.slot)
            done = one.prompt_done or now
            timings = Timings(
                queue_ms=_ms(one.admitted - one.queued),
                cache_n=one.cached,
                prompt_n=one.read - one.cached,
                prompt_ms=_ms(done - one.admitted),
                predicted_n=one.predicted,
                predicted_ms=_ms(max(one.last - done, 0.0)),
            )
        if one.sampler is not None:
            one.sampler.free()
        final = Final(
            finish=finish,
            text=one.text.close(),
            prompt_tokens=one.prompt_tokens,
            completion_tokens=one.predicted,
            timings=timings,
            error=error,
            error_code=code,
        )
        steps.finals.append((one.key, final))

    def _turn_slot(self, slot: _Slot) -> None:
        self._turn += 1
        slot.used = self._turn
        self._free.append(slot)

    def _failed(self, result: int, steps: Steps) -> None:
        """A batch was not run. With no room in the cache the youngest generation gives way; else all of them
        end."""
        self._failures += 1
        if self._failures >= _FAILURES:
            raise ContextBrokenError(f"llama_decode returned {result}, {self._failures} times in a row")
        victims = self._running[-1:] if result == _NO_ROOM else list(self._running)
        for one in victims:
            self._finish(one, "error", steps, error=f"llama_decode returned {result}.", code="decode-failed")
        # What the sequences hold is no longer known. Those that go on read their prompt and their answer
        # again.
        self._context.clear()
        for slot in self._free:
            slot.tokens = []
        for one in self._running:
            assert one.slot is not None
            self._again(one, one.slot)

    def _again(self, one: _Running, slot: _Slot) -> None:
        """Let a generation read everything it has so far again, as its prompt."""
        unread = one.prompt[one.read :]
        one.prompt = slot.tokens + unread
        one.read = one.cached = 0
        slot.tokens = []


def _common(left: list[int], right: list[int]) -> int:
    """The length of the common beginning."""
    count = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        count += 1
    return count


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 3)
