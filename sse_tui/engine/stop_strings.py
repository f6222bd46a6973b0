"""Finds stop strings in a text that comes in pieces: a few steps a character, however many strings there are.

It is the automaton of Aho and Corasick, "Efficient string matching: an aid to bibliographic search" (CACM 18(6), 1975),
whose state is the longest end of the text that begins a stop string. It is not built, which for 16 long strings would
take milliseconds and a megabyte a request: what comes after a state is looked up in the sorted strings.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence


class StopStrings:
    """Some stop strings; empty ones match nothing. Read-only: a search keeps its own state, "" in the beginning."""

    def __init__(self, stops: Sequence[str]) -> None:
        self._stops = tuple(sorted(filter(None, set(stops))))
        self._first = frozenset(stop[0] for stop in self._stops)

    def step(self, state: str, character: str) -> str:
        """The state after one more character."""
        if not state:
            return character if character in self._first else ""
        state += character
        # Each turn takes away a character that a step has added: amortised, there is less than one a step.
        while state and not self._begins(state):
            state = state[1:]
        return state

    def match(self, state: str) -> int:
        """The length of the longest stop string that ends in a state, 0 if none does."""
        # One that ends here begins in the state, since it would be a longer state otherwise.
        if not state.endswith(self._stops):
            return 0
        return max(len(stop) for stop in self._stops if state.endswith(stop))

    def _begins(self, text: str) -> bool:
        """Whether a stop string begins with the text: then the first that does not come before it does."""
        index = bisect_left(self._stops, text)
        return index < len(self._stops) and self._stops[index].startswith(text)
