"""A whole local chat without a screen: endpoint process, capture process, several turns, cuts."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import pytest

from sse_tui.analysis.analysis import Analysis
from sse_tui.analysis.jsonform import result_json
from sse_tui.config import Config, Profile
from sse_tui.dialects.base import Message
from sse_tui.recording import read_recording
from sse_tui.session.headless import Headless
from sse_tui.session.live import Live
from sse_tui.session.spec import SessionSpec
from tests.children import children
from tests.session.capture.test_capture import until

SCRIPTED = {"engine": "scripted", "engine_args": ("--ttft-ms", "5", "--gap-ms", "20")}


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SSE_TUI_STATE_DIR", str(tmp_path / "state"))
    return tmp_path


def chat_spec(**options: object) -> SessionSpec:
    profile = Profile(temperature=0.0, seed=7, max_tokens=60)
    return SessionSpec(mode="chat", profile=profile, **{**SCRIPTED, **options})  # type: ignore[arg-type]


async def answer(live: Live, prompt: str, turn: int, cuts: tuple[int, ...] = ()) -> str:
    await live.send(prompt)
    for count in cuts:
        await until(
            lambda count=count: len(live.analysis.turns) == turn and live.analysis.turns[-1].events >= count,  # type: ignore[misc]
            live,
        )
        await live.fault("cut@now")
    await until(
        lambda: len(live.analysis.turns) == turn and live.analysis.turns[-1].over and not live.busy, live, 60
    )
    return live.analysis.turns[-1].answer.text


async def chat_with_cuts(spec: SessionSpec) -> None:
    live = Live(spec)
    await live.start()
    try:
        whole = await answer(live, "Tell me about event streams.", 1)
        # Forget the conversation, so that the second turn asks exactly what the first did.
        live.messages.clear()
        again = await answer(live, "Tell me about event streams.", 2, cuts=(8, 20))
        assert again == whole
        turn = live.analysis.turns[1]
        assert turn.outcome == "complete"
        assert turn.verdict is not None
        assert turn.verdict.kind == "lossless"
        assert len(turn.connections) == 3
        # Our endpoint is healthy, and a turn that was cut on purpose and came whole is no problem.
        assert [f.message for t in live.analysis.turns for f in t.findings if f.severity != "info"] == []
        started = children()
        assert len(started) == 2
    finally:
        await live.close()
    assert not children() & started
    assert live.path is not None
    recording = read_recording(live.path)
    reopened = Analysis(recording.header)
    list(chain.from_iterable(map(reopened.feed, recording)))
    assert [t.answer.text for t in reopened.turns] == [whole, whole]
    assert [result_json(reopened, t) for t in reopened.turns] == [
        result_json(live.analysis, t) for t in live.analysis.turns
    ]


async def test_a_scripted_chat_survives_two_cuts_without_losing_a_character() -> None:
    await chat_with_cuts(chat_spec())


@pytest.mark.model
async def test_the_real_model_survives_two_cuts_without_losing_a_character(model_path: Path) -> None:
    await chat_with_cuts(chat_spec(engine="llamacpp", engine_args=()))


async def test_the_conversation_so_far_is_sent_with_each_turn() -> None:
    live = Live(chat_spec())
    await live.start()
    try:
        first = await answer(live, "One.", 1)
        await answer(live, "Two.", 2)
        request = live.analysis.turns[1].connections[0].request
        assert request is not None
        assert request.body is not None
        assert '"One."' in request.body
        assert '"Two."' in request.body
        assert first[:20] in request.body
    finally:
        await live.close()


async def test_an_endpoint_that_cannot_start_says_why_at_once(tmp_path: Path) -> None:
    spec = chat_spec(engine="llamacpp", engine_args=(), config=Config())
    profile = Profile(model=str(tmp_path / "absent.gguf"))
    live = Live(SessionSpec(mode="chat", profile=profile, config=spec.config))
    await live.start()
    try:
        await until(lambda: live.status.endpoint is not None and live.status.endpoint.state == "failed")
        assert live.status.endpoint is not None
        assert "absent.gguf" in live.status.endpoint.message
    finally:
        await live.close()


async def test_headless_asks_and_knows_the_result() -> None:
    seen: list[str] = []
    async with Headless(chat_spec()) as session:
        async for entry in session.ask([Message("user", "Hi")], lambda status: seen.append(status.state)):
            assert entry.turn == 1
        turn = session.analysis.turns[0]
        assert session.problem is None
        result = result_json(session.analysis, turn)
    assert "ready" in seen
    assert result["outcome"] == "complete"
    assert result["text"]
    assert result["clocks"]["ttft"] > 0
    assert result["gaps"]["n"] > 3


async def test_a_headless_session_can_be_stopped() -> None:
    async with Headless(chat_spec(engine_args=("--gap-ms", "30"))) as session:
        count = 0
        async for entry in session.ask([Message("user", "Hi")]):
            count += entry.kind == "event"
            if count == 3:
                session.stop()
        assert session.analysis.turns[0].outcome == "stopped"
