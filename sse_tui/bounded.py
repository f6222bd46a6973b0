"""Collections that stay small whatever a server or a file puts into them.

Everything that is kept under a name, an id or an index that comes from outside is kept in one of these. What no longer
fits is counted or forgotten, never an error: a stream with a million event names is still read to its end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from hashlib import blake2b
from itertools import islice
from typing import Any, Generic, TypeVar

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

NAMES = 64
"""Names that are counted one by one."""
NAME_LENGTH = 200
"""Characters of a name that are kept."""
FIRST = 1_000
"""Items kept of a list."""
RECENT = 1_024
"""Keys that a reader remembers: more than any answer has choices, blocks and tool calls in progress."""
_KEY_LENGTH = 128


class Tally(Counter[str]):
    """How often each name came: of the first `NAMES` one by one, of all others together, in `others`."""

    others = 0

    def add(self, name: str) -> None:
        """Count a name once; of a long one only the beginning is looked at."""
        if len(name) > NAME_LENGTH:
            name = name[:NAME_LENGTH] + "…"
        if name in self or len(self) < NAMES:
            self[name] += 1
        else:
            self.others += 1


class FirstFew(list[T]):
    """A list that takes the first `limit` items that are appended; `others` counts the rest."""

    def __init__(self, limit: int | None = None) -> None:
        super().__init__()
        self.limit = FIRST if limit is None else limit
        self.others = 0

    def append(self, item: T) -> None:
        """Add an item at the end, or count it where the list is full."""
        if len(self) < self.limit:
            super().append(item)
        else:
            self.others += 1


class Recent(Generic[K, V]):
    """A dictionary of at least the last `limit` keys that were put in, and at most twice as many.

    A long text in a key is kept as its digest, so that the size is bounded too.
    """

    __slots__ = ("_kept", "_limit")

    def __init__(self, limit: int | None = None) -> None:
        self._kept: dict[Any, V] = {}
        self._limit = RECENT if limit is None else limit

    def __len__(self) -> int:
        return len(self._kept)

    def __contains__(self, key: K) -> bool:
        return _short(key) in self._kept

    def get(self, key: K) -> V | None:
        """The value of a key, None where it is not known or no longer."""
        return self._kept.get(_short(key))

    def put(self, key: K, value: V) -> None:
        """Set the value of a key. A new one may cost the oldest, which are forgotten many at a time."""
        self._kept[_short(key)] = value
        if len(self._kept) > 2 * self._limit:
            self._kept = dict(islice(self._kept.items(), self._limit, None))

    def pop(self, key: K) -> V | None:
        """Forget a key; its value, None where it is not known."""
        return self._kept.pop(_short(key), None)


class Seen(Generic[K]):
    """The keys that were added, at least the last `RECENT` of them."""

    __slots__ = ("_keys",)

    def __init__(self) -> None:
        self._keys = Recent[K, None]()

    def __len__(self) -> int:
        return len(self._keys)

    def __contains__(self, key: K) -> bool:
        return key in self._keys

    def add(self, key: K) -> bool:
        """Add a key; whether it is new."""
        new = key not in self._keys
        if new:
            self._keys.put(key, None)
        return new

    def discard(self, key: K) -> None:
        """Forget a key."""
        self._keys.pop(key)


class Slots(Generic[K]):
    """Numbers keys from 0 in the order of their first appearance. A key that was forgotten gets a new number."""

    __slots__ = ("_next", "_numbers")

    def __init__(self) -> None:
        self._numbers = Recent[K, int]()
        self._next = 0

    def __len__(self) -> int:
        return len(self._numbers)

    def __contains__(self, key: K) -> bool:
        return key in self._numbers

    def of(self, *keys: K) -> int:
        """The number of the thing with these keys: that of the first known one, else the next."""
        for key in keys:
            number = self._numbers.get(key)
            if number is not None:
                break
        else:
            number = self._next
            self._next += 1
        for key in keys:
            self._numbers.put(key, number)
        return number

    def renew(self, key: K) -> int:
        """Give a key the next number, whether it has one or not."""
        self._numbers.pop(key)
        return self.of(key)


def _short(key: Any) -> Any:
    if type(key) is str:
        return key if len(key) <= _KEY_LENGTH else blake2b(key.encode("utf-8", "surrogatepass")).digest()
    return tuple(map(_short, key)) if type(key) is tuple else key
