"""The scheduler on a context that is a few lines of arithmetic: what is batched, kept, ended, and how it
fails."""

from __future__ import annotations

import ctypes
import random
from array import array
from typing import Any

import numpy as np
import pytest

from sse_tui.engine.interface import Final, GenRequest
from sse_tui.engine.ipc import Steps
from sse_tui.engine.prompt_lanes import TokenizedRequest
from sse_tui.engine.scheduler import ContextBrokenError, Scheduler
from sse_tui.engine.token_batch import TokenBatch
from sse_tui.engine.token_text import TextStream

END = 0
VOCABULARY = 97


class Arithmetic:
    """A context whose next token is a function of the sequence's whole content; it checks every batch it
    gets.

    Like llama.cpp it computes a lone token otherwise than several: what it keeps for a token read alone
    differs.
    """

    def __init__(self, *, n_ctx: int = 64, n_seq: int = 3, n_batch: int = 16) -> None:
        self.n_ctx, self.n_seq, self.n_batch = n_ctx, n_seq, n_batch
        self.batch = TokenBatch(n_batch)
        self.cells: list[list[int]] = [[] for _ in range(n_seq)]
        self.results: list[int] = []
        self.decoded: list[list[tuple[int, int]]] = []
        self.chains = 0
        self._states: dict[int, int] = {}

    def decode(self, count: int) -> int:
        assert 0 < count <= self.n_batch
        batch = self.batch
        rows = [
            (int(batch.sequences[i]), int(batch.tokens[i]), int(batch.positions[i])) for i in range(count)
        ]
        self.decoded.append([(sequence, token) for sequence, token, _ in rows])
        if self.results and (result := self.results.pop(0)):
            return result
        for place, (sequence, token, position) in enumerate(rows):
            cells = self.cells[sequence]
            assert position == len(cells) < self.n_ctx
            alone = sum(other == sequence for other, _, _ in rows) == 1
            cells.append(token * 2 + alone)
            self._states[place] = hash(tuple(cells))
        return 0

    def argmax(self, place: int) -> int:
        assert self.batch.logits[place] == 1
        return random.Random(self._states[place]).randrange(VOCABULARY)

    def chain(self, request: GenRequest) -> Any:
        self.chains += 1
        return _Chain(self)

    def piece(self, token: int) -> bytes:
        return f"{token}.".encode()

    def is_end(self, token: int) -> bool:
        return token == END

    def keep(self, sequence: int, count: int) -> int:
        del self.cells[sequence][count:]
        return count

    def clear(self) -> None:
        for cells in self.cells:
            cells.clear()


class _Chain:
    def __init__(self, context: Arithmetic) -> None:
        self._context = context

    def sample(self, place: int) -> int:
        return self._context.argmax(place)

    def free(self) -> None:
        self._context.chains -= 1


class Bench:
    """A scheduler, its context, and what came out by key."""

    def __init__(self, *, chunk: int = 4, **options: int) -> None:
        self.context = Arithmetic(**options)
        self.now = 0.0
        self.scheduler = Scheduler(self.context, self._tick, prefill_chunk=chunk)
        self.tokens: dict[int, list[int]] = {}
        self.text: dict[int, str] = {}
        self.finals: dict[int, Final] = {}
        self.progress: dict[int, list[tuple[int, int]]] = {}
        self.order: list[str] = []

    def _tick(self) -> float:
        self.now += 0.001
        return self.now

    def take(self, steps: Steps) -> None:
        for key, done, total in steps.progress:
            self.progress.setdefault(key, []).append((done, total))
        for key, index, token, text in steps.pieces:
            tokens = self.tokens.setdefault(key, [])
            assert index == len(tokens)
            assert key not in self.finals
            tokens.append(token)
            self.text[key] = self.text.get(key, "") + text
            self.order.append(f"token of {key}")
        for key, final in steps.finals:
            assert key not in self.finals
            self.finals[key] = final
            self.text[key] = self.text.get(key, "") + final.text
            self.order.append(f"end of {key}")

    def submit(self, key: int, prompt: list[int], **options: Any) -> None:
        options = {"temperature": 0.0, "max_tokens": 6, **options}
        request = GenRequest(id=str(key), **options)
        tokenized = TokenizedRequest(key, request, array("i", prompt), TextStream(request.stop), self._tick())
        self.take(self.scheduler.submit(tokenized))

    def run(self, limit: int = 1000) -> None:
        for _ in range(limit):
            if self.scheduler.idle:
                return
            self.take(self.scheduler.step())
        raise AssertionError("the scheduler does not come to an end")


def alone(prompt: list[int], **options: Any) -> tuple[list[int], Final]:
    bench = Bench()
    bench.submit(1, prompt, **options)
    bench.run()
    return bench.tokens.get(1, []), bench.finals[1]


def prompts(count: int, seed: int = 3) -> list[list[int]]:
    draw = random.Random(seed)
    return [[draw.randrange(1, VOCABULARY) for _ in range(draw.randrange(2, 30))] for _ in range(count)]


def test_together_each_gives_what_it_gives_alone() -> None:
    bench = Bench()
    asked = prompts(12)
    for key, prompt in enumerate(asked):
        bench.submit(key, prompt)
    bench.run()
    for key, prompt in enumerate(asked):
        tokens, final = alone(prompt)
        assert bench.tokens.get(key, []) == tokens
        assert bench.finals[key].finish == final.finish
    assert bench.context.chains == 0


@pytest.mark.parametrize("chunk", [2, 3, 5, 16])
@pytest.mark.parametrize("length", range(2, 21))
def test_no_prompt_is_read_by_a_single_token(chunk: int, length: int) -> None:
    bench = Bench(chunk=chunk)
    bench.submit(1, list(range(1, length + 1)), max_tokens=1)
    bench.run()
    assert all(len(batch) > 1 for batch in bench.context.decoded)
    assert sum(map(len, bench.context.decoded)) == length


def test_a_kept_beginning_is_not_read_again_and_changes_nothing() -> None:
    bench = Bench()
    first = list(range(1, 21))
    bench.submit(1, first)
    bench.run()
    answer = bench.tokens[1]
    follow = [*first, *answer, 5, 6, 7]
    bench.submit(2, follow)
    bench.run()
    timings = bench.finals[2].timings
    assert timings.cache_n == 20  # the prompt, not the answer: that was computed otherwise
    assert timings.prompt_n == len(follow) - 20
    assert bench.tokens[2] == alone(follow)[0]
    bench.submit(3, follow)
    bench.run()
    assert bench.finals[3].timings.cache_n == len(follow) - 2
    assert bench.tokens[3] == bench.tokens[2]


def test_the_sequence_with_the_longest_common_beginning_is_taken() -> None:
    bench = Bench()
    for key, first in enumerate((10, 20, 30)):
        bench.submit(key, [first] * 8)
    bench.run()
    bench.submit(5, [20] * 8)
    bench.run()
    assert bench.finals[5].timings.cache_n == 6


def test_decoding_goes_on_while_a_long_prompt_is_read() -> None:
    bench = Bench(chunk=4)
    bench.submit(1, [1, 2], max_tokens=20)
    bench.take(bench.scheduler.step())
    bench.submit(2, list(range(1, 41)), max_tokens=1)
    bench.run()
    before = bench.order[: bench.order.index("token of 2")]
    assert before.count("token of 1") >= min(9, len(bench.tokens[1]))
    assert bench.progress[2] == [(done, 40) for done in range(0, 40, 4)]


def test_more_than_fit_wait_in_order() -> None:
    bench = Bench(n_seq=1)
    for key in range(3):
        bench.submit(key, [key + 1, 2], max_tokens=2)
    bench.run()
    ends = [entry for entry in bench.order if entry.startswith("end")]
    assert ends == ["end of 0", "end of 1", "end of 2"]
    assert bench.finals[2].timings.queue_ms > bench.finals[0].timings.queue_ms


def test_a_prompt_that_leaves_no_room_is_refused_with_both_numbers() -> None:
    bench = Bench(n_ctx=16)
    bench.submit(1, [3] * 16)
    final = bench.finals[1]
    assert (final.finish, final.error_code) == ("error", "prompt-too-long")
    assert "16 tokens" in final.error
    assert "holds 16" in final.error
    bench.submit(2, [3] * 15, max_tokens=None)
    bench.run()
    assert bench.finals[2].completion_tokens <= 1


def test_an_empty_prompt_is_refused() -> None:
    bench = Bench()
    bench.submit(1, [])
    assert bench.finals[1].error_code == "prompt-empty"


def test_the_context_ends_an_answer_without_a_limit() -> None:
    bench = Bench(n_ctx=12)
    bench.submit(1, [9, 9, 9, 9], max_tokens=None)
    bench.run()
    final = bench.finals[1]
    assert final.completion_tokens == 8 or final.finish == "stop"
    assert final.prompt_tokens == 4


def test_max_tokens_counts_and_zero_gives_nothing() -> None:
    for wanted in (0, 1, 3):
        tokens, final = alone([4, 5, 6], max_tokens=wanted)
        assert (len(tokens), final.finish, final.completion_tokens) == (wanted, "length", wanted)


def test_a_stop_string_ends_it_and_is_not_given() -> None:
    tokens, _ = alone([4, 5, 6], max_tokens=6)
    stop = f".{tokens[2]}."
    bench = Bench()
    bench.submit(1, [4, 5, 6], stop=[stop])
    bench.run()
    assert bench.finals[1].finish == "stop"
    assert bench.text[1] == f"{tokens[0]}.{tokens[1]}"
    assert bench.tokens[1] == tokens[:3]


def test_cancel_ends_a_running_and_a_waiting_one_and_frees_their_place() -> None:
    bench = Bench(n_seq=1)
    bench.submit(1, [1, 2], max_tokens=50, temperature=1.0)
    bench.submit(2, [3, 4], max_tokens=50)
    bench.take(bench.scheduler.step())
    assert bench.context.chains == 1
    for key in (2, 1, 1, 99):
        bench.take(bench.scheduler.cancel(key))
    assert {key: final.finish for key, final in bench.finals.items()} == {1: "cancelled", 2: "cancelled"}
    assert bench.scheduler.idle
    assert bench.context.chains == 0
    bench.submit(3, [5, 6])
    bench.run()
    assert bench.tokens[3] == alone([5, 6])[0]


def test_a_cancel_that_came_during_a_batch_costs_no_token() -> None:
    bench = Bench()
    bench.submit(1, [1, 2], max_tokens=50)
    bench.submit(2, [3, 4], max_tokens=5)
    for _ in range(3):
        bench.take(bench.scheduler.step())
    had = len(bench.tokens[1])
    bench.take(bench.scheduler.step(lambda: [1]))
    assert len(bench.tokens[1]) == had
    assert bench.finals[1].finish == "cancelled"
    bench.run()
    assert bench.tokens[2] == alone([3, 4], max_tokens=5)[0]


def test_without_room_in_the_cache_the_youngest_ends_and_the_others_go_on() -> None:
    bench = Bench()
    bench.submit(1, [1, 2], max_tokens=12)
    bench.submit(2, [3, 4], max_tokens=12)
    for _ in range(4):
        bench.take(bench.scheduler.step())
    bench.context.results = [1]
    bench.run()
    assert bench.finals[2].error_code == "decode-failed"
    assert bench.finals[1].finish in ("length", "stop")
    assert bench.finals[1].prompt_tokens == 2
    assert bench.finals[1].completion_tokens == len(bench.tokens[1])


def test_a_failed_batch_ends_its_generations_and_the_next_one_works() -> None:
    bench = Bench()
    bench.submit(1, [1, 2])
    bench.context.results = [-3]
    bench.run()
    assert bench.finals[1].error_code == "decode-failed"
    bench.submit(2, [1, 2])
    bench.run()
    assert bench.tokens[2] == alone([1, 2])[0]


def test_a_context_that_fails_again_and_again_is_given_up() -> None:
    bench = Bench()
    bench.context.results = [-3] * 3
    with pytest.raises(ContextBrokenError):
        for key in range(3):
            bench.submit(key, [1, 2])
            bench.run()
    bench.take(bench.scheduler.fail_all("over"))
    assert bench.finals[2].error == "over"


def test_the_batch_points_every_token_at_its_own_sequence() -> None:
    batch = TokenBatch(5)
    batch.sequences[:] = np.arange(5)
    assert [ctypes.c_int32.from_address(int(row)).value for row in batch.rows] == [0, 1, 2, 3, 4]
