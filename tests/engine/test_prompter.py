"""Prompts as tokens: the same as llama.cpp's own, in linear time, and beside the decoding."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sse_tui.engine.interface import Final, GenRequest, Piece
from sse_tui.engine.llamacpp import LlamaCppEngine

pytestmark = pytest.mark.model

# In a process of its own: llama.cpp aborts its process on a failed assertion.
_COMPARE = """
import json, sys
import msgspec
from sse_tui.engine import ipc
from sse_tui.engine.interface import GenRequest, ModelOptions
from sse_tui.engine.native import Model
from sse_tui.engine.prompter import Prompter

options = msgspec.structs.asdict(ModelOptions(n_ctx=2048, n_seq=1, n_threads=1))
model = Model(ipc.Load(model_path=sys.argv[1], name="m", **options))
prompter = Prompter(model)
sizes = []

def counted(text, special):
    sizes.append(len(text))
    return model.tokenize(text, special=special)

class Counted:
    n_ctx, bos = 2048, model.bos
    def __init__(self): self.tokenize = lambda text, special: counted(text, special)

cases = {
    "tiny messages": "<|im_start|>user\\na<|im_end|>\\n" * 1300,
    "names alone": "<|im_end|>" * 8000,
    "words between": ("A few words, and " * 200 + "<|im_end|> <file_sep>\\n") * 7,
    "no names": "ñ 日本 🦙 " * 700,
    "half names": "<|im_<|im_end|" * 800,
}
prompter._model = Counted()
same = {}
for name, text in cases.items():
    sizes.clear()
    sliced = prompter.tokens(GenRequest(id="x", prompt=text))
    same[name] = sliced == model.tokenize(text, special=True), len(sliced), max(sizes)
json.dump({"same": same, "longest": model.longest_token(), "message": prompter.message_tokens},
    sys.stdout)
"""


@pytest.fixture(scope="module")
def compared(model_path: Path) -> Any:
    done = subprocess.run(
        [sys.executable, "-c", _COMPARE, str(model_path)], capture_output=True, check=True, timeout=60
    )
    return json.loads(done.stdout)


def test_slices_give_the_same_tokens(compared: Any) -> None:
    assert {name: same for name, (same, *_) in compared["same"].items()} == dict.fromkeys(
        compared["same"], True
    )
    assert all(count > 2000 for _, count, _ in compared["same"].values())


def test_a_text_of_many_names_is_given_to_llama_cpp_in_slices(compared: Any) -> None:
    """It copies the whole text for every name in it: 30,000 messages at once took it 47 s."""
    largest = {name: size for name, (*_, size) in compared["same"].items()}
    assert largest["tiny messages"] < 2100
    assert largest["names alone"] < 2100
    assert largest["words between"] < 6000


def test_what_the_engine_says_of_its_vocabulary_and_its_template(compared: Any) -> None:
    assert compared["longest"] == 81
    assert compared["message"] == 4, "<|im_start|>, the role, a line end, <|im_end|>, a line end; less one"


async def test_others_go_on_while_a_long_prompt_is_tokenized(engine: LlamaCppEngine, ask: Any) -> None:
    """A megabyte of one word takes the tokenizer most of a second, and then does not fit."""
    events: list[str] = []
    streaming = engine.submit(GenRequest(id="a", prompt="Once upon a time", temperature=0, max_tokens=400))
    steps = aiter(streaming)
    while not isinstance(await anext(steps), Piece):
        pass

    async def refused() -> Final:
        long = GenRequest(id="long", messages=[{"role": "user", "content": "a" * 1_000_000}])
        finals = [step async for step in engine.submit(long)]
        assert isinstance(finals[0], Final)
        events.append("refused")
        return finals[0]

    waiting = asyncio.create_task(refused())
    short = asyncio.create_task(ask(engine, "Hi", max_tokens=1))
    short.add_done_callback(lambda _: events.append("short"))
    async for step in steps:
        events.append(step.finish if isinstance(step, Final) else "piece")
        if waiting.done():
            break
    final = await waiting
    assert final.error_code == "prompt-too-long"
    assert "at least" in final.error
    assert events.index("short") < events.index("refused"), "a short prompt overtakes it"
    assert events.count("piece") >= 5, "and an answer goes on"
    streaming.cancel()


async def test_a_prompt_that_is_being_tokenized_can_be_cancelled(engine: LlamaCppEngine, ask: Any) -> None:
    generation = engine.submit(GenRequest(id="long", prompt="a" * 1_000_000))
    await ask(engine, "Hi", max_tokens=1)
    generation.cancel()
    steps = [step async for step in generation]
    assert isinstance(steps[0], Final)
    assert steps[0].finish == "cancelled"
    assert (await engine.stats()).running == 0
