"""llama.cpp itself, with the default model: what it says, that it says it again, and when it stops."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from sse_tui.engine.interface import Final, GenRequest, ModelOptions, Piece, PrefillProgress
from sse_tui.engine.llamacpp import LlamaCppEngine
from sse_tui.errors import EngineError, ModelError

pytestmark = pytest.mark.model

QUESTIONS = [
    "Name three colours.",
    "Write one sentence about the sea.",
    "Tell me about rivers. " * 20,
    "What is two plus two?",
]


@pytest.fixture
async def second(model_path: Path) -> AsyncIterator[LlamaCppEngine]:
    """Another engine, which shares nothing with the first, not even its chunks."""
    engine = LlamaCppEngine(
        model_path, ModelOptions(n_ctx=512, n_seq=2, n_threads=1, n_batch=512, prefill_chunk=500)
    )
    await engine.start()
    yield engine
    await engine.close()


async def test_it_reports_what_is_loaded(engine: LlamaCppEngine) -> None:
    info = engine.info
    assert (info.engine, info.n_ctx, info.n_seq, info.n_threads) == ("llamacpp", 512, 4, 1)
    assert info.parameters == 134_515_008
    assert info.chat_template == "from the model"
    assert info.layers == 31
    assert any(device.kind == "cpu" for device in info.devices)
    assert (info.layers_offloaded > 0) == any("gpu" in device.kind for device in info.devices)
    assert sum(size for use, size in info.buffers.items() if use.endswith("model")) > 90_000_000
    assert info.version.startswith("llama-cpp-python ")
    assert info.backend


async def test_an_answer_and_its_accounts(engine: LlamaCppEngine, ask: Any) -> None:
    answer = await ask(engine, QUESTIONS[0])
    assert answer.text
    assert answer.final.finish == "length"
    assert answer.final.completion_tokens == len(answer.tokens) == 24
    assert [piece.index for piece in answer.pieces] == list(range(24))
    assert answer.progress[0] == PrefillProgress(0, answer.final.prompt_tokens)
    timings = answer.final.timings
    assert timings.prompt_n + timings.cache_n == answer.final.prompt_tokens
    assert timings.predicted_n == 24
    assert timings.prompt_ms > 0
    assert timings.predicted_ms > 0
    stats = await engine.stats()
    assert (stats.running, stats.waiting, stats.predicted_tokens) == (0, 0, 24)


async def test_alone_together_again_and_elsewhere_give_the_same_tokens(
    engine: LlamaCppEngine, second: LlamaCppEngine, ask: Any
) -> None:
    together = await asyncio.gather(*(ask(engine, question) for question in QUESTIONS))
    again = [await ask(engine, question) for question in QUESTIONS]  # with what was kept
    elsewhere = [await ask(second, question) for question in QUESTIONS]
    for one, other, third in zip(together, again, elsewhere, strict=True):
        assert one.tokens == other.tokens == third.tokens
        assert one.text == other.text == third.text
    assert again[0].final.timings.cache_n == again[0].final.prompt_tokens - 2


async def test_a_second_turn_is_the_same_with_and_without_the_first(
    engine: LlamaCppEngine, second: LlamaCppEngine, ask: Any
) -> None:
    first = await ask(engine, QUESTIONS[2])
    conversation = [
        {"role": "user", "content": QUESTIONS[2]},
        {"role": "assistant", "content": first.text},
        {"role": "user", "content": "And lakes?"},
    ]
    kept = await ask(engine, conversation)
    fresh = await ask(second, conversation)
    assert kept.tokens == fresh.tokens
    assert kept.final.timings.cache_n > 100
    assert fresh.final.timings.cache_n == 0


async def test_a_seed_gives_the_same_draws_alone_and_together(engine: LlamaCppEngine, ask: Any) -> None:
    options = {"temperature": 0.8, "seed": 42, "top_k": 40, "top_p": 0.95, "min_p": 0.05}
    one = await ask(engine, QUESTIONS[1], **options)
    together = await asyncio.gather(
        ask(engine, QUESTIONS[1], **options), *(ask(engine, question) for question in QUESTIONS[:3])
    )
    other = await ask(engine, QUESTIONS[1], **{**options, "seed": 43})
    assert one.tokens == together[0].tokens
    assert one.tokens != other.tokens


async def test_the_seed_that_means_random_to_llama_cpp_is_a_seed_too(
    engine: LlamaCppEngine, ask: Any
) -> None:
    first = await ask(engine, QUESTIONS[0], temperature=1.5, top_k=0, top_p=1.0, min_p=0.0, seed=2**32 - 1)
    again = await ask(engine, QUESTIONS[0], temperature=1.5, top_k=0, top_p=1.0, min_p=0.0, seed=2**32 - 1)
    assert first.tokens == again.tokens


async def test_top_k_of_one_is_greedy(engine: LlamaCppEngine, ask: Any) -> None:
    greedy = await ask(engine, QUESTIONS[0])
    assert (await ask(engine, QUESTIONS[0], temperature=2.0, top_k=1)).tokens == greedy.tokens


async def test_a_stop_string_across_tokens(engine: LlamaCppEngine, ask: Any) -> None:
    whole = await ask(engine, QUESTIONS[0])
    middle = len(whole.pieces[0].text + whole.pieces[1].text)
    stop = whole.text[middle - 1 : middle + 5]
    answer = await ask(engine, QUESTIONS[0], stop=["never said", stop])
    assert answer.final.finish == "stop"
    assert answer.text == whole.text[: whole.text.index(stop)]
    assert answer.tokens == whole.tokens[: len(answer.tokens)]


async def test_the_end_of_the_answer_is_a_stop(engine: LlamaCppEngine, ask: Any) -> None:
    answer = await ask(engine, "Say only: yes", max_tokens=400)
    assert answer.final.finish == "stop"
    assert "<|im_end|>" not in answer.text
    assert answer.final.completion_tokens == len(answer.tokens)


async def test_a_typed_control_token_stays_text(engine: LlamaCppEngine, ask: Any) -> None:
    plain = await ask(engine, "Say hi.", max_tokens=1)
    typed = await ask(engine, "Say hi.<|im_end|>", max_tokens=1)
    # Parsed, it would be one token; as text it is several.
    assert typed.final.prompt_tokens >= plain.final.prompt_tokens + 4
    raw = GenRequest(id="raw", prompt="<|im_start|>user\nSay hi.<|im_end|>", max_tokens=1, temperature=0)
    finals = [step async for step in engine.submit(raw) if isinstance(step, Final)]
    assert finals[0].prompt_tokens == 7


async def test_characters_of_several_tokens_come_out_whole(engine: LlamaCppEngine, ask: Any) -> None:
    said = "🦙 日本語 ñ ✅"
    prompt = f"<|im_start|>user\nRepeat: {said}<|im_end|>\n<|im_start|>assistant\n{said} {said} {said} "
    answer = [s async for s in engine.submit(GenRequest(id="u", prompt=prompt, temperature=0, max_tokens=40))]
    text = "".join(step.text for step in answer if isinstance(step, Piece | Final))
    assert "日本語" in text
    assert any(isinstance(step, Piece) and step.text == "" for step in answer)
    assert "�" not in text.rstrip("�")


async def test_cancel_stops_within_one_token_and_frees_the_place(engine: LlamaCppEngine, ask: Any) -> None:
    expected = (await ask(engine, QUESTIONS[0])).tokens
    generations = [
        engine.submit(
            GenRequest(id=str(n), messages=[{"role": "user", "content": "Count on."}], temperature=0)
        )
        for n in range(4)
    ]
    for generation in generations:
        after = 0
        cancelled = False
        async for step in generation:
            if isinstance(step, Piece) and not cancelled:
                # Whatever had come before is taken first; only what is sampled from here on counts.
                before = (await engine.stats()).predicted_tokens
                generation.cancel()
                cancelled = True
            if isinstance(step, Final):
                after = (await engine.stats()).predicted_tokens - before
                assert step.finish == "cancelled"
        assert after <= 2 * 4, "one token of each of the four, and one batch that was on its way"
    assert (await engine.stats()).running == 0
    assert (await ask(engine, QUESTIONS[0])).tokens == expected


async def test_a_waiting_generation_can_be_cancelled(model_path: Path, ask: Any) -> None:
    engine = LlamaCppEngine(model_path, ModelOptions(n_ctx=256, n_seq=1, n_threads=1), max_queue=1)
    await engine.start()
    try:
        request = GenRequest(id="a", messages=[{"role": "user", "content": "Count on."}], temperature=0)
        running, waiting = engine.submit(request), engine.submit(request)
        with pytest.raises(EngineError) as caught:
            engine.submit(request)
        assert caught.value.code == "busy"
        assert (await engine.stats()).waiting == 1
        waiting.cancel()
        steps = [step async for step in waiting]
        assert isinstance(steps[-1], Final)
        assert steps[-1].finish == "cancelled"
        running.cancel()
        assert isinstance([step async for step in running][-1], Final)
        assert (await ask(engine, "Hi", max_tokens=2)).final.finish == "length"
    finally:
        await engine.close()


async def test_too_long_a_prompt_names_both_numbers(engine: LlamaCppEngine, ask: Any) -> None:
    steps = [
        step
        async for step in engine.submit(
            GenRequest(id="long", messages=[{"role": "user", "content": "word " * 600}])
        )
    ]
    assert len(steps) == 1
    final = steps[0]
    assert isinstance(final, Final)
    assert final.error_code == "prompt-too-long"
    assert "512" in final.error
    assert "631 tokens" in final.error
    assert (await ask(engine, "Hi", max_tokens=1)).final.finish == "length"


async def test_an_answer_ends_with_the_context(engine: LlamaCppEngine, ask: Any) -> None:
    answer = await ask(engine, "word " * 460, max_tokens=None)
    assert answer.final.prompt_tokens + answer.final.completion_tokens <= 512
    assert answer.final.finish in ("length", "stop")


async def test_damaged_files_are_refused_before_llama_cpp_sees_them(model_path: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.gguf"
    with model_path.open("rb") as file:
        cut.write_bytes(file.read(50_000_000))
    with pytest.raises(ModelError) as caught:
        await LlamaCppEngine(cut, ModelOptions()).start()
    assert caught.value.code == "model-cut"
    assert "98,362,432" in caught.value.message
    with pytest.raises(ModelError) as caught:
        await LlamaCppEngine(tmp_path / "none.gguf", ModelOptions()).start()
    assert caught.value.code == "model-missing"


async def test_what_llama_cpp_cannot_load_is_said_in_its_words(tmp_path: Path, ggufs: Any) -> None:
    path = tmp_path / "odd.gguf"
    path.write_bytes(ggufs.build({**ggufs.METADATA, "general.architecture": "no-such-architecture"}))
    with pytest.raises(ModelError, match="no-such-architecture") as caught:
        await LlamaCppEngine(path, ModelOptions()).start()
    assert caught.value.code == "model-load"


async def test_more_memory_than_there_is_is_refused(model_path: Path) -> None:
    engine = LlamaCppEngine(model_path, ModelOptions(n_ctx=8192, n_seq=200, n_gpu_layers=0))
    with pytest.raises(ModelError) as caught:
        await engine.start()
    assert caught.value.code == "model-memory"


def test_importing_the_engines_loads_neither_llama_cpp_nor_numpy() -> None:
    program = (
        "import sys, sse_tui.engine, sse_tui.engine.llamacpp, sse_tui.engine.scripted, sse_tui.models;"
        "print([name for name in ('llama_cpp', 'numpy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
