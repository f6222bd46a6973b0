"""Which output item of a response an event is about: by its index, or by its ids where servers send none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sse_tui.bounded import Recent

_LIMIT = 2**31


class OutputItems:
    """Gives every output item its position.

    Items with an ``output_index`` have that; others are numbered in the order of their first appearance and known by
    their ids. `shared`: some index began a second item under another id, so that only the ids identify them.
    """

    def __init__(self) -> None:
        self._by_id = Recent[str, int]()
        self._began = Recent[int, str]()
        self._next = 0
        self._unindexed = 0
        self.shared = False

    @property
    def indexed(self) -> bool:
        """Whether every item so far came with an index of its own."""
        return not self._unindexed and not self.shared

    def known(self, name: str | None) -> int | None:
        """The position of the item with this id; None where it has not been seen."""
        return None if name is None else self._by_id.get(name)

    def of(self, index: Any, names: Sequence[str], *, began: bool) -> int:
        """The position of the item with this index, if it is one, and these ids; `began`: the item begins here."""
        known = next((at for name in names if (at := self._by_id.get(name)) is not None), None)
        if type(index) is not int or not 0 <= index < _LIMIT:
            position = self._next if known is None else known
            self._unindexed += known is None
        elif began and names:
            other = self._began.get(index)
            taken = other is not None and other not in names
            self.shared = self.shared or taken
            position = index if not taken else self._next if known is None else known
            self._began.put(index, names[0])
        else:
            position = known if self.shared and known is not None else index
        for name in names:
            self._by_id.put(name, position)
        self._next = max(self._next, position + 1)
        return position
