"""The texts of a response, which the protocol repeats: in deltas, when a part is done, with its item, in the response.

Servers do not agree on the indices of parts: some count from 1, some leave items out of the final response, some give
every event another id. So what an event repeats is told by its text where its place does not tell: of each text that
the deltas brought, the length and a checksum are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias
from zlib import crc32

from sse_tui import bounded
from sse_tui.bounded import Seen
from sse_tui.dialects.content_parts import Kind

ITEM = 2**20
"""Room for the parts of one item in the number of a part."""

_Digest: TypeAlias = tuple[int, int]
_Key: TypeAlias = tuple[Kind, int]


class FinalPart(NamedTuple):
    """The whole text of a part, as a final event has it."""

    kind: Kind
    part: int
    text: str


class ResponseTexts:
    """What was brought of each part, by its kind and its number: the position of its item times `ITEM`, and more."""

    def __init__(self) -> None:
        self._brought: dict[_Key, _Digest] = {}
        self._totals: dict[_Key, _Digest] = {}  # by kind and item, all parts together in the order of arrival
        self._any_done = False  # so that the usual piece needs no look
        self._done = Seen[_Key]()
        self._items_done = Seen[int]()
        self._repeated = Seen[tuple[bool, _Key]]()  # by a final event: of a part, or with True of an item

    def characters(self, kind: Kind) -> int:
        """Characters of all texts of a kind."""
        return sum(length for (known, _), (length, _) in self._brought.items() if known is kind)

    def add(self, kind: Kind, part: int, text: str) -> bool:
        """A piece of a part; whether the part, or its item, was said to be done already."""
        key, before = (kind, part), self._brought.get((kind, part))
        if before is not None or len(self._brought) < bounded.RECENT:
            before = before or (0, 0)
            self._brought[key] = digest = _digest(text, before)
            total = kind, part // ITEM
            total_before = self._totals.get(total, (0, 0))
            # As long as the item has one part, its text is the part's.
            self._totals[total] = digest if total_before == before else _digest(text, total_before)
        return self._any_done and (key in self._done or part // ITEM in self._items_done)

    def part_done(self, final: FinalPart) -> tuple[bool, int | None]:
        """A part is done: whether its text is new, and if it is another one than was brought, how long that was."""
        key, item = (final.kind, final.part), final.part // ITEM
        open_ = [
            known
            for known in self._brought
            if known == key
            or (known[0] is final.kind and known[1] // ITEM == item and known not in self._done)
        ]
        new, differing = self._compare([final], open_)
        self._done.add(key)
        self._any_done = True
        return bool(new), next(iter(differing), None)

    def item_done(self, item: int | None, finals: Sequence[FinalPart]) -> tuple[list[FinalPart], list[int]]:
        """An item, or with None the response, is done: its texts that are new, and the lengths of those that differ."""
        found = self._compare(
            finals, [key for key in self._brought if item is None or key[1] // ITEM == item], whole=True
        )
        if item is not None:
            self._items_done.add(item)
            self._any_done = True
        return found

    def _compare(
        self, finals: Sequence[FinalPart], keys: list[_Key], *, whole: bool = False
    ) -> tuple[list[FinalPart], list[int]]:
        """Match texts with what was brought under `keys`: by place and text, by text, then by place or kind."""
        left = {key: self._brought[key] for key in keys}
        unlike: list[FinalPart] = []
        for final in finals:
            key = final.kind, final.part
            if left.get(key) == _digest(final.text):
                del left[key]
                self._repeated.add((whole, key))
            else:
                unlike.append(final)
        new: list[FinalPart] = []
        differing: list[int] = []
        for final in unlike:
            digest = _digest(final.text)
            equal = next((key for key in left if key[0] is final.kind and left[key] == digest), None)
            if equal is not None:
                del left[equal]
                self._repeated.add((whole, equal))
                continue
            alike = [key for key in left if key[0] is final.kind]
            if whole and alike and self._total(alike) == digest:
                for key in alike:
                    del left[key]
            elif alike:
                key = (final.kind, final.part) if (final.kind, final.part) in left else alike[0]
                differing.append(left.pop(key)[0])
            elif not self._elsewhere(final, digest, whole=whole):
                new.append(final)
                self._repeated.add((whole, (final.kind, final.part)))
        return new, differing

    def _elsewhere(self, final: FinalPart, digest: _Digest, *, whole: bool) -> bool:
        """Whether another item was given this text, and nothing repeated it: its deltas had a wrong index."""
        found = (
            key
            for key, brought in self._brought.items()
            if key[0] is final.kind and brought == digest and (whole, key) not in self._repeated
        )
        key = next(found, None)
        if key is not None:
            self._repeated.add((whole, key))
        return key is not None

    def _total(self, keys: list[_Key]) -> _Digest | None:
        """What these parts, all of one item, say together; None for parts of several items."""
        items = {(kind, part // ITEM) for kind, part in keys}
        return self._totals.get(items.pop()) if len(items) == 1 else None


def _digest(text: str, before: _Digest = (0, 0)) -> _Digest:
    """Length and checksum of a text in UTF-16, after another one: a character may come in two halves, or whole."""
    units = text.encode("utf-16-le", "surrogatepass")
    return before[0] + len(units) // 2, crc32(units, before[1])
