"""A conversation fails where it differs from what happens."""

from __future__ import annotations

import pytest

from tests.transport.playbook import Asks, Closes, Ends, Gets, Line, Waits, conversation
from tests.transport.turns import QUICK, Marked
from tests.transport.wire import chunked

A, DONE = b"id: 1\ndata: a\n\n", b"data: [DONE]\n\n"
RIGHT: tuple[Line, ...] = (
    Asks(method="GET", target="/stream", body=b""),
    chunked(A, last=False),
    Gets(A),
    Closes("incomplete", "last chunk"),
    Waits("1", ms=(1, 2)),
    Asks("1"),
    chunked(DONE),
    Gets(DONE),
    Closes("eof"),
    Ends("complete", why="ended"),
)


async def test_one_that_is_right() -> None:
    await conversation(*RIGHT, policy=QUICK, dialect=Marked())


@pytest.mark.parametrize(
    ("at", "wrong"),
    [
        (0, Asks("9")),
        (0, Asks(method="POST")),
        (0, Asks(target="/")),
        (0, Asks(body=b"x")),
        (2, Gets(A[:-1])),
        (3, Closes("eof")),
        (3, Closes("incomplete", "first chunk")),
        (4, Waits("2")),
        (4, Waits("1", attempt=2)),
        (4, Waits("1", ms=(3, 9))),
        (5, Asks()),
        (9, Ends("ended")),
        (9, Ends("complete", "truncated-stream")),
        (9, Ends("complete", says="x")),
        (9, Ends("complete", why="x")),
        (8, None),
        (9, None),
    ],
)
async def test_one_line_that_is_wrong_or_missing(at: int, wrong: Line | None) -> None:
    lines = [*RIGHT[:at], *([] if wrong is None else [wrong]), *RIGHT[at + 1 :]]
    with pytest.raises(AssertionError):
        await conversation(*lines, policy=QUICK, dialect=Marked())


async def test_a_request_that_nobody_expects() -> None:
    with pytest.raises(AssertionError):
        await conversation(
            *RIGHT[:5], Closes("incomplete"), Ends("truncated"), policy=QUICK, dialect=Marked()
        )


async def test_a_line_too_many() -> None:
    with pytest.raises(AssertionError):
        await conversation(*RIGHT, Asks(), policy=QUICK, dialect=Marked())
