"""IDs that count: whole numbers, or a prefix and a number ("stream-17"), in equal steps."""

from __future__ import annotations

import re

_NUMBERED = re.compile(r"(.*?)([0-9]{1,18})\Z", re.DOTALL)
# A first number this large is more likely a time than a count, and one event does not show the step.
_LARGE = 10**9


class Numbering:
    """Learns from the IDs of a stream whether they count, and then knows the successor of each.

    Only the last number is kept, so a stream of any length costs the same.
    """

    def __init__(self) -> None:
        self._prefix = ""
        self._last: int | None = None
        self._step: int | None = None
        self._regular = True

    def saw(self, id: str) -> None:
        """The next ID of the stream, in order."""
        prefix, number = split(id)
        if number is None or not self._regular:
            self._regular = False
            return
        if self._last is not None:
            step = number - self._last
            self._regular = prefix == self._prefix and step > 0 and step == (self._step or step)
            self._step = step
        self._prefix, self._last = prefix, number

    def jumped(self, id: str) -> None:
        """The next ID, after a gap: the distance says nothing about the step."""
        prefix, number = split(id)
        if number is None:
            self._regular = False
        elif prefix != self._prefix:
            self._step = None
        self._prefix, self._last = prefix, number

    def distance(self, id: str) -> int | None:
        """How many steps `id` is after the last one: 1 for the successor, 0 or less for an old one; None if unknown."""
        prefix, number = split(id)
        if number is None or self._last is None or not self._regular or prefix != self._prefix:
            return None
        step = self._step or (1 if self._last < _LARGE else 0)
        if not step or (number - self._last) % step:
            return None
        return (number - self._last) // step

    def elsewhere(self, id: str) -> bool:
        """Whether `id` counts too, but with another prefix than a stream that is known to count."""
        prefix, number = split(id)
        return self._regular and self._step is not None and number is not None and prefix != self._prefix


def split(id: str) -> tuple[str, int | None]:
    match = _NUMBERED.match(id)
    return (match.group(1), int(match.group(2))) if match else (id, None)
