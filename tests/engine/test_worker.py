"""The worker process: its death is an error of its generations and of nothing else; nothing of it stays behind."""

from __future__ import annotations

import asyncio
import math
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sse_tui.engine import ipc
from sse_tui.engine.interface import Final, GenRequest, ModelOptions, Piece
from sse_tui.engine.llamacpp import LlamaCppEngine
from sse_tui.errors import EngineError
from sse_tui.processes import messages
from tests.children import alive, child_running, children, wait_until_gone

pytestmark = pytest.mark.model
WORKER = "sse_tui.engine.worker"


def worker_pid() -> int:
    return child_running(WORKER)


def long_request() -> GenRequest:
    return GenRequest(id="long", messages=[{"role": "user", "content": "Count on and on."}], temperature=0)


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGABRT])
async def test_a_dead_worker_ends_its_generations_and_is_replaced(
    engine: LlamaCppEngine, ask: Any, sent: signal.Signals
) -> None:
    expected = await ask(engine, "Name three colours.")
    first = worker_pid()
    running = [engine.submit(long_request()) for _ in range(2)]
    async for step in running[0]:
        if isinstance(step, Piece):
            os.kill(first, sent)
            break
    ends = [[step async for step in generation][-1] for generation in running]
    for final in ends:
        assert isinstance(final, Final)
        assert (final.finish, final.error_code) == ("error", "engine-crashed")
        assert sent.name in final.error
    assert isinstance(ends[0], Final)
    assert ends[0].prompt_tokens > 0
    assert ends[0].completion_tokens > 0
    if sent == signal.SIGABRT:
        assert "Fatal Python error: Aborted" in ends[0].error
    # The next one is taken at once, though the new worker is not there yet.
    assert (await ask(engine, "Name three colours.")).tokens == expected.tokens
    assert worker_pid() != first
    assert (await engine.stats()).restarts == 1
    assert not alive(first)


async def refusal(engine: LlamaCppEngine) -> EngineError:
    """The error that `submit` raises, once it does."""
    async with asyncio.timeout(20):
        while True:
            try:
                engine.submit(long_request())
            except EngineError as error:
                return error
            await asyncio.sleep(0.02)


async def test_a_worker_that_cannot_come_back_is_said(
    engine: LlamaCppEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sse_tui.engine.llamacpp._RESTART_DELAYS_S", (0.0, 0.0))
    monkeypatch.setattr(sys, "executable", "/bin/false")
    os.kill(worker_pid(), signal.SIGKILL)
    generation = engine.submit(long_request())
    final = [step async for step in generation][-1]
    assert isinstance(final, Final)
    assert final.error_code in ("engine-crashed", "engine-down")
    error = await refusal(engine)
    assert error.code == "engine-down"
    assert "could not be restarted" in error.message


async def test_a_worker_that_dies_again_and_again_is_given_up(
    engine: LlamaCppEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sse_tui.engine.llamacpp._RESTART_DELAYS_S", (0.0, 0.0))
    for _ in range(3):
        async for step in engine.submit(long_request()):
            if isinstance(step, Piece):
                # What the worker had sent before it died is read after its death.
                for pid in children():
                    os.kill(pid, signal.SIGKILL)
    assert (await refusal(engine)).code == "engine-down"
    assert (await engine.stats()).restarts == 2


async def test_a_request_that_cannot_be_passed_on_is_refused(engine: LlamaCppEngine, ask: Any) -> None:
    for odd in (
        GenRequest(id="a", prompt="\ud800"),
        GenRequest(id="a", prompt="a", seed=2**70),
        GenRequest(id="a", prompt="a", temperature=math.nan),
        GenRequest(id="a", messages=[{"role": "user", "content": object()}]),
    ):
        with pytest.raises(EngineError) as caught:
            engine.submit(odd)
        assert caught.value.code == "request-invalid"
    assert (await engine.stats()).running == 0


async def test_close_ends_what_runs_and_leaves_no_process(model_path: Path) -> None:
    engine = LlamaCppEngine(model_path, ModelOptions(n_ctx=256, n_seq=1, n_threads=1))
    with pytest.raises(EngineError):
        engine.submit(long_request())
    await engine.start()
    pid = worker_pid()
    generation = engine.submit(long_request())
    await engine.close()
    await engine.close()
    assert not alive(pid)
    final = [step async for step in generation][-1]
    assert isinstance(final, Final)
    assert final.finish == "cancelled"
    with pytest.raises(EngineError) as caught:
        engine.submit(long_request())
    assert caught.value.code == "engine-down"


async def test_a_start_that_is_cancelled_leaves_no_process(model_path: Path) -> None:
    engine = LlamaCppEngine(model_path, ModelOptions(n_ctx=256, n_seq=1, n_threads=1))
    before = children()
    start = asyncio.create_task(engine.start())
    for _ in range(400):
        await asyncio.sleep(0.005)
        if children() - before:
            break
    new = children() - before
    assert new
    start.cancel()
    await asyncio.gather(start, return_exceptions=True)
    assert all(wait_until_gone(pid) for pid in new)
    await engine.close()


_PARENT = """
import asyncio, sys
from sse_tui.engine.llamacpp import LlamaCppEngine
from sse_tui.engine.interface import GenRequest, ModelOptions, Piece
from tests.children import child_running

async def main():
    engine = LlamaCppEngine(sys.argv[1], ModelOptions(n_ctx=256, n_seq=1, n_threads=1))
    await engine.start()
    asked = GenRequest(id="a", messages=[{"role": "user", "content": "Count on."}], temperature=0)
    async for step in engine.submit(asked):
        if isinstance(step, Piece):
            print(child_running("sse_tui.engine.worker"), flush=True)
            break
    if sys.argv[2] == "hang":
        await asyncio.sleep(60)

asyncio.run(main())
"""


@pytest.mark.parametrize("way", ["SIGKILL", "SIGTERM", "return"])
def test_the_worker_never_outlives_its_parent(model_path: Path, way: str) -> None:
    wait = "return" if way == "return" else "hang"
    parent = subprocess.Popen(
        [sys.executable, "-c", _PARENT, str(model_path), wait],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert parent.stdout is not None
    worker = int(parent.stdout.readline())
    if way != "return":
        assert alive(worker)
        parent.send_signal(getattr(signal, way))
    parent.wait(10)
    parent.stdout.close()
    assert wait_until_gone(worker)


def test_a_worker_that_is_loading_ends_with_its_parent(model_path: Path) -> None:
    read, write = os.pipe()
    worker = subprocess.Popen(
        [sys.executable, "-c", "from sse_tui.engine.worker import main; main()"],
        stdin=read,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(read)
    load = ipc.Load(
        model_path=str(model_path), name="m", n_gpu_layers=0, n_ctx=256, n_seq=1, n_threads=1, n_batch=64
    )
    os.write(write, messages.line(load))
    os.close(write)
    assert worker.wait(10) == 0
