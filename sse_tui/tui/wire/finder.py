"""Finding text in the wire log: a search that is run a slice at a time."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable


class Finder:
    """Looks for `query` in rows. `text_of` gives a row's searchable text; the search ignores case.

    Rows are visited in order; `matches` grows, always sorted. Rows that are added later are found by going on.
    """

    def __init__(self, query: str, text_of: Callable[[int], str]) -> None:
        self.query = query
        self._needle = query.casefold()
        self._text_of = text_of
        self.matches: array[int] = array("I")
        self.scanned = 0

    def scan(self, total: int, clock: Callable[[], float], budget_s: float) -> bool:
        """Search on for about `budget_s` seconds of `clock`, up to row `total`; True when all rows were seen."""
        deadline = clock() + budget_s
        while self.scanned < total:
            end = min(total, self.scanned + 64)
            for row in range(self.scanned, end):
                if self._needle in self._text_of(row).casefold():
                    self.matches.append(row)
            self.scanned = end
            if clock() >= deadline:
                break
        return self.scanned >= total

    def after(self, row: int) -> int | None:
        """The first match after a row, from the top again when there is none."""
        return self.matches[bisect_right(self.matches, row) % len(self.matches)] if self.matches else None

    def before(self, row: int) -> int | None:
        """The last match before a row, from the bottom again when there is none."""
        return self.matches[bisect_left(self.matches, row) - 1] if self.matches else None

    def rank(self, row: int) -> int:
        """Which match the row is, from 1; 0 when it is not one."""
        index = bisect_left(self.matches, row)
        return index + 1 if index < len(self.matches) and self.matches[index] == row else 0


def ranges(text: str, query: str) -> list[tuple[int, int]]:
    """Where the query occurs in a text, case ignored, as (first, last + 1)."""
    folded, needle = text.casefold(), query.casefold()
    # Some characters fold to two: positions in such a line are not those of the text, so it gets no highlight.
    if not needle or len(folded) != len(text):
        return []
    found: list[tuple[int, int]] = []
    start = folded.find(needle)
    while start >= 0:
        found.append((start, start + len(needle)))
        start = folded.find(needle, start + len(needle))
    return found
