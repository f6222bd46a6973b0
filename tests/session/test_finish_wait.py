"""An answer that is finished, and a server that keeps the connection open: whoever reads it does not wait for long."""

from __future__ import annotations

import json
import time

import pytest

from sse_tui.analysis.outcome import Ending
from sse_tui.config import Profile
from sse_tui.dialects.base import Message
from sse_tui.resume import Policy
from sse_tui.session.headless import Headless
from sse_tui.session.spec import SessionSpec
from sse_tui.transport import StreamRequest, Timeouts
from tests.transport.wire import CHUNKED, HOLD, Sleep, Step, chunks, wire

LIMITS = Timeouts(finish=0.3, idle=5)


def chunk(index: int = 0, **choice: object) -> bytes:
    payload = {"object": "chat.completion.chunk", "choices": [{"index": index, "delta": {}, **choice}]}
    return b"data: " + json.dumps(payload).encode() + b"\n\n"


WORD = chunk(delta={"content": "Hi"})
STOP = chunk(finish_reason="stop")
USAGE = b'data: {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 1}}\n\n'
GEMINI = b'data: {"candidates": [{"content": {"parts": [{"text": "Hi"}]}, "finishReason": "STOP"}]}\n\n'


async def asked(*steps: Step, limits: Timeouts = LIMITS, dialect: str = "openai-chat") -> Headless:
    async with wire([CHUNKED, *steps, HOLD]) as server:
        profile = Profile(dialect=dialect, base_url=server.url, model="m")
        session = Headless(SessionSpec(mode="chat", profile=profile, timeouts=limits))
        async with session:
            async for _ in session.ask([Message("user", "Hello")]):
                pass
    return session


async def inspected(*steps: Step, limits: Timeouts = LIMITS) -> Headless:
    async with wire([CHUNKED, *steps, HOLD]) as server:
        request = StreamRequest(method="GET", url=server.url)
        spec = SessionSpec(mode="inspect", request=request, timeouts=limits, policy=Policy(kind="never"))
        session = Headless(spec)
        async with session:
            async for _ in session.inspect():
                pass
    return session


def ending(session: Headless) -> Ending:
    turn = session.analysis.turn
    assert turn is not None
    return turn.conclusion.ending


def rules(session: Headless) -> set[str]:
    return {finding.rule for finding in session.analysis.findings if finding.severity != "info"}


async def test_a_finished_answer_ends_without_its_end_marker() -> None:
    """As reported in diegosouzapw/OmniRoute#6777 and musistudio/claude-code-router#1271."""
    began = time.monotonic()
    session = await asked(chunks(WORD, STOP))
    assert 0.29 < time.monotonic() - began < 3
    assert (ending(session), session.problem) == (Ending.LEFT_OPEN, None)
    assert "open-after-finish" in rules(session)
    turn = session.analysis.turn
    assert turn is not None
    assert turn.connections[0].close is not None
    assert turn.connections[0].close.detail == "nothing followed the finished answer within 0.3 s"


async def test_the_dialects_without_a_marker_do_too() -> None:
    session = await asked(chunks(GEMINI), dialect="gemini")
    assert (ending(session), session.problem) == (Ending.LEFT_OPEN, None)


async def test_the_usage_behind_the_finish_reason_is_read() -> None:
    session = await asked(chunks(WORD, STOP), Sleep(0.15), chunks(USAGE))
    assert ending(session) is Ending.LEFT_OPEN
    turn = session.analysis.turn
    assert turn is not None
    assert turn.output_tokens == 1


@pytest.mark.parametrize("beat", [b": hb\n\n", chunk(), b'data: {"choices": []}\n\n'])
async def test_heartbeats_do_not_prolong_the_wait(beat: bytes) -> None:
    """As reported in maximhq/bifrost#6784: the comments keep every idle timeout from passing."""
    beats = [step for _ in range(40) for step in (Sleep(0.05), chunks(beat))]
    began = time.monotonic()
    session = await asked(chunks(WORD, STOP), *beats)
    assert time.monotonic() - began < 1.8
    assert ending(session) is Ending.LEFT_OPEN


@pytest.mark.parametrize("steps", [[chunks(WORD)], [chunks(WORD, chunk(1, delta={"content": "Ho"}), STOP)]])
async def test_an_answer_that_is_not_whole_is_waited_for(steps: list[Step]) -> None:
    session = await asked(*steps, limits=Timeouts(finish=0.1, idle=0.5))
    assert ending(session) is Ending.IDLE_TIMEOUT
    assert session.problem is not None


async def test_a_finish_reason_that_is_a_failure_stays_one() -> None:
    session = await asked(chunks(WORD, chunk(finish_reason="content_filter")))
    assert ending(session) is Ending.PROVIDER_STOP
    assert session.problem is not None
    assert session.problem.code == "stopped-by-provider"


async def test_other_streams_are_read_for_as_long_as_they_last() -> None:
    """`inspect` and `tail` read to the end: a feed may have another answer behind the one that is finished."""
    later: list[Step] = [Sleep(0.4), chunks(b"data: later\n\n"), b"0\r\n\r\n"]
    reply = b'data: {"jsonrpc": "2.0", "id": 1, "result": {}}\n\n'
    for first in (b"data: x\n\n", reply, WORD + STOP):
        session = await inspected(chunks(first), *later, limits=Timeouts(finish=0.1))
        assert session.analysis.turn is not None
        assert session.analysis.turn.events == first.count(b"\n\n") + 1
