"""Finds stop strings in a text that comes in pieces: one step a character, however many strings there are.

The automaton of Aho and Corasick, "Efficient string matching: an aid to bibliographic search" (CACM 18(6), 1975).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence


class StopStrings:
    """The automaton of some strings; empty ones match nothing. It is read-only: a search keeps its own state.

    A state stands for the longest suffix of the text that is a prefix of a stop string, and `depth` is that suffix's
    length; state 0 is the empty one. `match` is the length of the longest stop string that ends in a state, 0 if none
    does.
    """

    def __init__(self, stops: Sequence[str]) -> None:
        self._next: list[dict[str, int]] = [{}]
        self._fallback = [0]
        self.depth = [0]
        self.match = [0]
        for stop in filter(None, stops):
            self._add(stop)
        self._link()

    def step(self, state: int, character: str) -> int:
        """The state after one more character. Amortised constant: a fallback undoes an earlier step."""
        while (following := self._next[state].get(character)) is None:
            if not state:
                return 0
            state = self._fallback[state]
        return following

    def _add(self, stop: str) -> None:
        state = 0
        for character in stop:
            following = self._next[state].setdefault(character, len(self._next))
            if following == len(self._next):
                self._next.append({})
                self._fallback.append(0)
                self.depth.append(self.depth[state] + 1)
                self.match.append(0)
            state = following
        self.match[state] = len(stop)

    def _link(self) -> None:
        """Set the fallback of each state, the longest proper suffix that is a state too: breadth first, shorter ones
        first."""
        queue = deque(self._next[0].values())
        while queue:
            state = queue.popleft()
            for character, following in self._next[state].items():
                fallback = self._fallback[following] = self.step(self._fallback[state], character)
                # A stop string that ends here by itself is longer than any that ends in the suffix.
                self.match[following] = self.match[following] or self.match[fallback]
                queue.append(following)
