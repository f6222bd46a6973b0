"""Prompts are tokenized beside the decoding: a long one delays no short one, and both can be cancelled."""

from __future__ import annotations

import queue
import threading
from array import array
from collections.abc import Iterator

import pytest

from sse_tui.engine.interface import Final, GenRequest
from sse_tui.engine.ipc import Steps
from sse_tui.engine.prompt_lanes import PromptLanes, TokenizedRequest
from sse_tui.errors import EngineError

SHORT, LONG = GenRequest(id="short", prompt="hi"), GenRequest(id="long", prompt="x" * 100_000)


class Desk:
    """`PromptLanes` with a tokenizer that waits at long prompts until it is told to go on."""

    def __init__(self) -> None:
        self.go_on = threading.Event()
        self.begun: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.results: queue.SimpleQueue[TokenizedRequest | Steps] = queue.SimpleQueue()
        self.prompts = PromptLanes(self._tokens, self.results.put)

    def _tokens(self, request: GenRequest) -> array[int]:
        self.begun.put(request.id)
        if request.id == "long":
            assert self.go_on.wait(10)
        if request.id == "wrong":
            raise EngineError("template-failed", "No.", "Try another.")
        if request.id == "broken":
            raise ZeroDivisionError
        return array("i", [len(request.prompt or "")])

    def result(self) -> TokenizedRequest | Steps:
        return self.results.get(timeout=10)

    def final(self) -> tuple[int, Final]:
        steps = self.result()
        assert isinstance(steps, Steps)
        ((key, final),) = steps.finals
        return key, final


@pytest.fixture
def desk() -> Iterator[Desk]:
    desk = Desk()
    yield desk
    desk.go_on.set()


def test_a_short_prompt_overtakes_a_long_one(desk: Desk) -> None:
    desk.prompts.add(1, LONG)
    assert desk.begun.get(timeout=10) == "long"
    desk.prompts.add(2, SHORT)
    short = desk.result()
    assert isinstance(short, TokenizedRequest)
    assert (short.key, short.tokens, short.request) == (2, array("i", [2]), SHORT)
    desk.go_on.set()
    long = desk.result()
    assert isinstance(long, TokenizedRequest)
    assert (long.key, long.tokens) == (1, array("i", [100_000]))
    assert long.queued <= short.queued


def test_one_that_is_cancelled_ends_once_whether_it_waits_or_is_read(desk: Desk) -> None:
    for key in (1, 2):
        desk.prompts.add(key, LONG)
    assert desk.begun.get(timeout=10) == "long"
    for key in (2, 1):
        assert desk.prompts.cancel(key)
        ended, final = desk.final()
        assert (ended, final.finish) == (key, "cancelled")
        assert not desk.prompts.cancel(key)
    desk.go_on.set()
    desk.prompts.add(3, GenRequest(id="long", prompt="y" * 100_000))
    after = desk.result()
    assert isinstance(after, TokenizedRequest), "nothing more of those that were cancelled"
    assert after.key == 3
    assert desk.begun.get(timeout=10) == "long", "the third; the second was never read"
    assert desk.begun.empty()
    assert not desk.prompts.cancel(3), "it is the scheduler's now"


@pytest.mark.parametrize(
    ("id", "code", "said"),
    [("wrong", "template-failed", "No."), ("broken", "engine-failed", "ZeroDivisionError()")],
)
def test_what_cannot_be_tokenized_ends_with_the_reason(desk: Desk, id: str, code: str, said: str) -> None:
    desk.prompts.add(1, GenRequest(id=id, prompt=""))
    key, final = desk.final()
    assert (key, final.finish, final.error_code) == (1, "error", code)
    assert said in final.error
    desk.prompts.add(2, SHORT)
    assert isinstance(desk.result(), TokenizedRequest)
