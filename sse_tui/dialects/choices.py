"""The choices of an answer: which there are, and whether their index is one at all."""

from __future__ import annotations

from typing import Any, NamedTuple

COUNTED_FROM = 3
"""Indices in a row from which a rising index counts the chunks: two may be two choices that came whole."""

LONG = 8
"""Indices in a row that are more than an answer has choices, so that the end may be at the first index."""


class Choice(NamedTuple):
    """What one choice of an answer said.

    `index` is as the server sent it; None for all choices beyond those that are kept apart. `tool_calls` are of the
    form ``{"id", "name", "arguments"}``; `finish_reason` is None where the choice has none.
    """

    index: int | None  # type: ignore[assignment]
    text: str
    reasoning: str
    refusal: str
    tool_calls: list[dict[str, Any]]
    finish_reason: str | None


class IndexCount:
    """Whether the index of a choice counts the chunks, as some broken servers have it.

    It does where every chunk has the index after that of the chunk before, and no choice had a finish reason when the
    next one began: the chunks are pieces of a single choice then. Real choices come again, or end one by one. Only
    the last of many chunks, which brings nothing but the finish reason, may go back to the first index.
    """

    __slots__ = ("_broken", "_first", "_last", "_turns")

    def __init__(self) -> None:
        self._first: int | None = None
        self._last: int | None = None
        self._turns = 0
        self._broken = False

    @property
    def counts(self) -> bool:
        """Whether the index has counted the chunks so far."""
        return not self._broken and self._turns >= COUNTED_FROM - 1

    def turn_to(self, index: int, *, alone: bool, ended: bool, ends: bool) -> None:
        """Another index than the last one, `alone` in its chunk or not.

        `ended`: the last one had a finish reason; `ends`: the chunk brings one and nothing else.
        """
        self._first = index if self._first is None else self._first
        if ends and index == self._first and self._turns >= LONG - 1:
            self._last = index
            return
        follows = self._last is None or index == self._last + 1
        self._broken = self._broken or not follows or not alone or ended
        self._turns += self._last is not None
        self._last = index
