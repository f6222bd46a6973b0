"""What the parser finds in an event stream.

`start` and `end` are byte offsets in the body, counted from 0 with a byte order mark included; `end` is one
past the last byte that belongs to the item. They never depend on how the bytes were cut into reads: of a CRLF
that ends an item only the CR counts, because a reader that sees the CR cannot know whether an LF will follow.

A block starts at its first line that is not a comment and ends with its blank line. Comments, `Retry` and `Ignored`
items are made at their own line, so those inside a block come before its event and lie within its span.

The items are named tuples because nothing else that is immutable and typed is as quick to make. Unlike plain tuples,
they only equal items of the same type.

Terms are those of the HTML standard, section 9.2 "Server-sent events".
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias, TypeVar

_T = TypeVar("_T", bound=tuple[object, ...])


def _equal_by_type(cls: type[_T]) -> type[_T]:
    """Make a `Comment` differ from a `Tail` with the same text and offsets."""

    def eq(self: _T, other: object) -> bool:
        return type(other) is cls and tuple.__eq__(self, other)

    def ne(self: _T, other: object) -> bool:
        return not eq(self, other)

    cls.__eq__ = eq  # type: ignore[method-assign, assignment]
    cls.__ne__ = ne  # type: ignore[method-assign, assignment]
    return cls


@_equal_by_type
class Event(NamedTuple):
    """A dispatched event. `id` is the last event ID string at the time of dispatch, inherited or not."""

    type: str
    data: str
    id: str
    start: int
    end: int


@_equal_by_type
class Comment(NamedTuple):
    """A line that starts with a colon; `text` is what follows the colon, a leading space included."""

    text: str
    start: int
    end: int


@_equal_by_type
class Retry(NamedTuple):
    """A valid ``retry`` field: the reconnection time is now `ms` milliseconds, from this line on.

    `beyond` are the digits that the stream had where they are more than `ms` can be; "" where `ms` says it all.
    """

    ms: int
    start: int
    end: int
    beyond: str = ""

    @property
    def digits(self) -> str:
        """The number as the stream had it, without leading zeros."""
        return self.beyond or str(self.ms)


@_equal_by_type
class Ignored(NamedTuple):
    """A line the standard ignores: an unknown field name, an id with NUL, a retry that is not a number."""

    line: str
    start: int
    end: int


@_equal_by_type
class NoData(NamedTuple):
    """A block that ended without a ``data`` field, so that no event was dispatched.

    `type` is the value of its ``event`` field ("" without one) and `id` the last event ID, which even such a
    block sets. A block of only comments, ``retry`` and ignored lines does not make a `NoData`.
    """

    type: str
    id: str
    start: int
    end: int


@_equal_by_type
class Tail(NamedTuple):
    """Bytes at the end of the body that did not become an event: the standard discards them, a viewer shows them.

    There is one if the body ends inside a line or a block. `text` contains the ``data``, ``event`` and ``id`` lines of
    that block, each ended by LF, and the incomplete line. Comments, ``retry`` and ignored lines are items of their own
    and not included, so `text` may be empty.
    """

    text: str
    start: int
    end: int


Item: TypeAlias = Event | Comment | Retry | Ignored | NoData | Tail
