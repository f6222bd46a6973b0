"""A running llama.cpp engine, and a short way to ask it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sse_tui.engine.interface import Engine, Final, GenRequest, ModelOptions, Piece, PrefillProgress
from sse_tui.engine.llamacpp import LlamaCppEngine


@dataclass
class Answer:
    """Everything a generation gave."""

    tokens: list[int]
    text: str
    final: Final
    progress: list[PrefillProgress]
    pieces: list[Piece]


async def ask(engine: Engine, prompt: str | list[dict[str, Any]], **options: Any) -> Answer:
    """Run one generation to its end; temperature 0 and 24 tokens unless told otherwise."""
    messages = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else prompt
    options = {"temperature": 0.0, "max_tokens": 24, **options}
    pieces: list[Piece] = []
    progress: list[PrefillProgress] = []
    async for step in engine.submit(GenRequest(id="test", messages=messages, **options)):
        if isinstance(step, Piece):
            pieces.append(step)
        elif isinstance(step, PrefillProgress):
            progress.append(step)
        else:
            final = step
    text = "".join(piece.text for piece in pieces) + final.text
    return Answer([piece.token for piece in pieces], text, final, progress, pieces)


@pytest.fixture(name="ask")
def _ask() -> Callable[..., Awaitable[Answer]]:
    return ask


@pytest.fixture
async def engine(model_path: Path) -> AsyncIterator[LlamaCppEngine]:
    """The default model with short contexts, freshly loaded."""
    engine = LlamaCppEngine(model_path, ModelOptions(n_ctx=512, n_seq=4, n_threads=1))
    await engine.start()
    yield engine
    await engine.close()
