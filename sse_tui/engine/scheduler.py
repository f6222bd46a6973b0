"""Which tokens go into the next batch, and what came of the last one: continuous batching, one step at a
time.

A step runs one batch: the next token of every generation that is decoding, or a chunk of one prompt; with
both to do they take turns. Up to `n_seq` generations run together; the others wait in order. Nothing here is
asynchronous and nothing sleeps: the worker calls `step` while there is work.

A sequence of the context keeps the tokens of the generation that last ran in it. The next one takes the free
sequence that shares the longest beginning with its prompt and reads only the rest.

On a CPU the same request gives the same tokens, whatever runs beside it and whatever was kept, because a
token's keys and values come from the same arithmetic each time. llama.cpp computes a single token of a
sequence by other kernels than several, with other low bits (measured: 0.6 in the logits); how many more than
one does not matter. So a prompt is always read by two tokens or more, never in one batch with tokens that are
decoded (llama.cpp would split one token off it), and of a kept sequence only what was read as a prompt is
used again, not the answer.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from sse_tui.engine.interface import Final, GenRequest, Timings
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
    """A sequence of the context and the tokens it holds, the first `read` of them read as a prompt."""

    sequence: int
    tokens: list[int] = field(default_factory=list)
    read: int = 0
    used: int = 0

    def reusable(self, prompt: list[int], *, exact: bool) -> int:
        """How many tokens of the prompt need not be read. The last one must be: it gives the first logits."""
        common = _common(self.tokens, prompt)
        return max(0, min(common, self.read, len(prompt) - 2) if exact else min(common, len(prompt) - 1))


@dataclass(slots=True, eq=False)
class _Running:
    """A generation and how far it is. Times in seconds of the scheduler's clock.

    `place` is its token's place in the batch if it gives logits there, else -1; `fresh`: a chunk of its
    prompt that is not the last is in the batch.
    """

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
    fresh: bool = False

    @property
    def decoding(self) -> bool:
        return self.read == len(self.prompt)


class Scheduler:
    """Runs generations on a context. `tokens_of` gives the prompt's tokens or raises `EngineError`; `clock`
    seconds. `exact`: use nothing again that could change an answer's bits."""

    def __init__(
        self,
        context: Context,
        tokens_of: Callable[[GenRequest], list[int]],
        clock: Callable[[], float],
        *,
        prefill_chunk: int,
        exact: bool = True,
    ) -> None:
        self._context = context
        self._tokens_of = tokens_of
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
            elif one.fresh:
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
            slot = max(
                self._free, key=lambda slot: (slot.reusable(one.prompt, exact=self._exact), -slot.used)
            )
            self._free.remove(slot)
            wanted = slot.reusable(one.prompt, exact=self._exact)
            one.cached = one.read = self._context.keep(slot.sequence, wanted)
            slot.tokens = one.prompt[: one.read]
            slot.read = one.read
            one.slot = slot
            one.sampler = sampler(self._context, one.request)
            one.admitted = self._clock()
            self._running.append(one)

    def _fill(self) -> int:
        """Write the batch; the number of tokens in it."""
        decoding: list[_Running] = []
        reading: list[_Running] = []
        for one in self._running:
            one.place, one.fresh = -1, False
            (decoding if one.decoding else reading).append(one)
        self._read_last = bool(reading) and not (decoding and self._read_last)
        if not self._read_last:
            return self._fill_next(decoding)
        self._turn += 1
        return self._fill_chunk(reading[self._turn % len(reading)])

    def _fill_next(self, decoding: list[_Running]) -> int:
        """The next token of every generation that decodes."""
        batch = self._context.batch
        for place, one in enumerate(decoding):
            slot = one.slot
            assert slot is not None
            batch.tokens[place] = one.next_token
            batch.positions[place] = len(slot.tokens)
            batch.sequences[place] = slot.sequence
            batch.logits[place] = 1
            slot.tokens.append(one.next_token)
            one.place = place
        return len(decoding)

    def _fill_chunk(self, one: _Running) -> int:
        """The next chunk of a prompt."""
        batch, slot = self._context.batch, one.slot
        assert slot is not None
        rest = len(one.prompt) - one.read
        size = min(self._chunk, rest)
        if rest - size == 1:  # no chunk of one token, see above
            size += 1 if size < self._context.n_batch else -1
        chunk = one.prompt[one.read : one.read + size]
        batch.tokens[:size] = chunk
        batch.positions[:size] = range(one.read, one.read + size)
        batch.sequences[:size] = slot.sequence
        batch.logits[:size] = 0
        slot.tokens += chunk
        one.read += size
        slot.read = one.read
        if one.decoding:
            batch.logits[size - 1] = 1
            one.place = size - 1
        one.fresh = not one.decoding
        return size

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
            slot.tokens, slot.read = [], 0
        for one in self._running:
            assert one.slot is not None
            self._again(one, one.slot)

    def _again(self, one: _Running, slot: _Slot) -> None:
        """Let a generation read everything it has so far again, as its prompt."""
        unread = one.prompt[one.read :]
        one.prompt = slot.tokens + unread
        one.read = one.cached = 0
        slot.tokens, slot.read = [], 0


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
