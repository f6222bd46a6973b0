"""Where in a stream things of one kind were: how many in each part of it, and which events."""

from __future__ import annotations

from dataclasses import dataclass, field

from sse_tui.text.wording import listed, many


@dataclass(slots=True)
class _Part:
    alone: str
    first: int
    last: int
    count: int = 1


@dataclass(slots=True)
class EventPlaces:
    """Events by the part of the stream that they are in; the parts are few, and named by a rule."""

    _parts: dict[str, _Part] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """All that were added."""
        return sum(part.count for part in self._parts.values())

    def add(self, alone: str, among: str, event: int) -> None:
        """One in the event of this number: `alone` are the words for it where it is the only one, `among` its part."""
        part = self._parts.get(among)
        if part is None:
            self._parts[among] = _Part(alone, event, event)
        else:
            part.count += 1
            part.last = event

    def words(self, noun: str) -> str:
        """Where they are: "the first chunk", or "5 chunks, 4 before the first token (events 1 to 4) and 1 ..."."""
        if self.count == 1:
            return next(iter(self._parts.values())).alone
        return f"{many(self.count, noun)}, {listed([_words(among, part) for among, part in self._parts.items()])}"


def _words(among: str, part: _Part) -> str:
    if part.count == 1:
        return f"1 {among} (event {part.first})"
    return f"{part.count:,} {among} (events {part.first} to {part.last})"
