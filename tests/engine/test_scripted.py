"""The scripted engine: the same words for the same seed, its times, its errors."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sse_tui.engine.interface import Final, GenRequest, Piece, PrefillProgress, Step
from sse_tui.engine.scripted import ScriptedEngine
from sse_tui.errors import EngineError

WIDE = "Grüße aus 日本 🦙 and more, in words of every length whatsoever.\n\nEnd"


class Loop:
    """Virtual time for the running event loop: when all tasks wait, the clock jumps to the next timer."""

    def __init__(self, loop: asyncio.AbstractEventLoop, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        selector = loop._selector  # type: ignore[attr-defined]
        select = selector.select

        def skip(timeout: float | None = None) -> Any:
            if timeout:
                self.now += timeout
            return select(0)

        monkeypatch.setattr(loop, "time", lambda: self.now)
        monkeypatch.setattr(selector, "select", skip)


def request(text: str = "Hi", **options: Any) -> GenRequest:
    return GenRequest(id="r", messages=[{"role": "user", "content": text}], **options)


async def steps_of(engine: ScriptedEngine, asked: GenRequest) -> list[Step]:
    await engine.start()
    return [step async for step in engine.submit(asked)]


def text_of(steps: list[Step]) -> str:
    return "".join(step.text for step in steps if isinstance(step, Piece | Final))


async def test_it_says_its_text_and_calls_itself_scripted() -> None:
    engine = ScriptedEngine(WIDE)
    steps = await steps_of(engine, request())
    assert text_of(steps) == WIDE
    assert engine.info.engine == "scripted"
    final = steps[-1]
    assert isinstance(final, Final)
    assert final.finish == "stop"
    assert final.completion_tokens == sum(isinstance(step, Piece) for step in steps)
    assert isinstance(steps[0], PrefillProgress)


async def test_filler_depends_on_seed_and_prompt_only() -> None:
    texts = [
        text_of(await steps_of(ScriptedEngine(seed=seed), request(prompt, seed=own)))
        for seed, prompt, own in [(1, "a", 0), (1, "a", 0), (2, "a", 0), (1, "b", 0), (1, "a", 5)]
    ]
    assert texts[0] == texts[1]
    assert len(set(texts)) == 4


async def test_the_error_rate_changes_neither_text_nor_count_of_what_succeeds() -> None:
    plain = ScriptedEngine(length=20)
    failing = ScriptedEngine(length=20, error_rate=0.3)
    ends = []
    for seed in range(60):
        whole = text_of(await steps_of(plain, request(seed=seed)))
        steps = await steps_of(failing, request(seed=seed))
        assert whole.startswith(text_of(steps))
        ends.append(steps[-1].finish if isinstance(steps[-1], Final) else "")
    assert 5 < ends.count("error") < 35
    assert set(ends) == {"stop", "error"}


async def test_an_error_at_a_token() -> None:
    final = (await steps_of(ScriptedEngine(length=9, error_at=4), request()))[-1]
    assert isinstance(final, Final)
    assert (final.finish, final.error_code, final.completion_tokens) == ("error", "scripted-error", 4)


async def test_pieces_come_by_the_schedule(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Loop(asyncio.get_running_loop(), monkeypatch)
    engine = ScriptedEngine(["a", "b", "c", "d"], ttft_ms=500, gap_ms=20)
    await engine.start()
    times = []
    async for step in engine.submit(request()):
        if isinstance(step, Piece):
            times.append(clock.now)
    assert times == pytest.approx([0.5, 0.52, 0.54, 0.56], abs=0.002)


async def test_jitter_moves_pieces_and_does_not_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Loop(asyncio.get_running_loop(), monkeypatch)
    engine = ScriptedEngine(length=200, ttft_ms=100, gap_ms=10, jitter_ms=4)
    await engine.start()
    times = []
    async for step in engine.submit(request()):
        if isinstance(step, Piece):
            times.append(clock.now)
    errors = [time - (0.1 + 0.01 * place) for place, time in enumerate(times)]
    assert max(map(abs, errors)) < 0.006
    assert max(errors) > 0.003
    assert min(errors) < -0.003


async def test_max_tokens_and_stop_strings() -> None:
    engine = ScriptedEngine(["one ", "two ", "three ", "four"])
    limited = await steps_of(engine, request(max_tokens=2))
    assert text_of(limited) == "one two "
    assert isinstance(limited[-1], Final)
    assert limited[-1].finish == "length"
    stopped = await steps_of(engine, request(stop=["o th"]))
    assert text_of(stopped) == "one tw"
    assert isinstance(stopped[-1], Final)
    assert (stopped[-1].finish, stopped[-1].completion_tokens) == ("stop", 3)


async def test_cancel_ends_it_in_the_middle_of_a_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    Loop(asyncio.get_running_loop(), monkeypatch)
    engine = ScriptedEngine(["a", "b"], ttft_ms=10, gap_ms=10_000_000)
    await engine.start()
    generation = engine.submit(request())
    steps = []
    async for step in generation:
        steps.append(step)
        if isinstance(step, Piece):
            generation.cancel()
            generation.cancel()
    assert isinstance(steps[-1], Final)
    assert (steps[-1].finish, steps[-1].completion_tokens) == ("cancelled", 1)
    assert (await engine.stats()).running == 0


async def test_a_queue_that_is_full_refuses() -> None:
    engine = ScriptedEngine("text", ttft_ms=1e9, n_seq=1, max_queue=1)
    await engine.start()
    running = [engine.submit(request()) for _ in range(2)]
    with pytest.raises(EngineError) as caught:
        engine.submit(request())
    assert caught.value.code == "busy"
    await asyncio.sleep(0)
    stats = await engine.stats()
    assert (stats.running, stats.waiting) == (1, 1)
    await engine.close()
    for generation in running:
        last = [step async for step in generation][-1]
        assert isinstance(last, Final)
        assert last.finish == "cancelled"
    with pytest.raises(EngineError) as caught:
        engine.submit(request())
    assert caught.value.code == "engine-down"


async def test_too_long_a_prompt_is_the_first_step() -> None:
    steps = await steps_of(ScriptedEngine("x", n_ctx=4), request("one two three four five six"))
    assert len(steps) == 1
    assert isinstance(steps[0], Final)
    assert steps[0].error_code == "prompt-too-long"


async def test_a_script_may_answer_the_request() -> None:
    engine = ScriptedEngine(lambda asked: f"You said {asked.messages[-1]['content']}")
    assert text_of(await steps_of(engine, request("Hello"))) == "You said Hello"


async def test_a_script_that_raises_ends_with_an_error() -> None:
    final = (await steps_of(ScriptedEngine(lambda asked: [][1]), request()))[-1]
    assert isinstance(final, Final)
    assert (final.finish, final.error_code) == ("error", "script-failed")
