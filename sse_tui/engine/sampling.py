"""Choosing the next token: the largest logit at temperature 0, llama.cpp's sampler chain above it.

numpy finds the largest logit in 9 microseconds; the chain, which copies the vocabulary, takes 88. Both depend on
nothing but the logits, the parameters and the seed.
"""

from __future__ import annotations

from typing import Protocol

from sse_tui.engine.interface import GenRequest


class Chain(Protocol):
    """A native sampler chain of one generation. It must be freed."""

    def sample(self, index: int) -> int: ...

    def free(self) -> None: ...


class Sampling(Protocol):
    """What a context offers to sample from; `index` is that of a token in the batch that was decoded."""

    def argmax(self, index: int) -> int: ...

    def chain(self, *, seed: int, temperature: float, top_k: int, top_p: float, min_p: float) -> Chain: ...


class Greedy:
    """Takes the most likely token; of several, the one with the lowest id."""

    def __init__(self, context: Sampling) -> None:
        self._context = context

    def sample(self, index: int) -> int:
        return self._context.argmax(index)

    def free(self) -> None:
        pass


def sampler(context: Sampling, request: GenRequest) -> Chain:
    """The sampler of a request: top-k, top-p, min-p, temperature, then a draw, as llama.cpp orders them."""
    if request.temperature <= 0 or request.top_k == 1:
        return Greedy(context)
    return context.chain(
        seed=request.seed,
        temperature=request.temperature,
        top_k=request.top_k,
        top_p=request.top_p,
        min_p=request.min_p,
    )
