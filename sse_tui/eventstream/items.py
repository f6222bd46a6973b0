"""What a parser takes out of an event stream.

`start` and `end` are byte offsets in the body, counted from 0 with a byte order mark included; `end` is one past
the last byte that belongs to the item. They never depend on how the bytes were cut into reads: of a CRLF that
ends an item only the CR counts, because a reader that sees the CR cannot know whether an LF will follow.

Terms are those of the HTML standard, section 9.2 "Server-sent events".
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias


class Event(NamedTuple):
    """A dispatched event. `id` is the last event ID string at the time of dispatch, inherited or not."""

    type: str
    data: str
    id: str
    start: int
    end: int


class Comment(NamedTuple):
    """A line that starts with a colon; `text` is what follows the colon, a leading space included."""

    text: str
    start: int
    end: int


class Retry(NamedTuple):
    """A valid ``retry`` field: the reconnection time is now `ms` milliseconds. Acts at its line, not at dispatch."""

    ms: int
    start: int
    end: int


class Ignored(NamedTuple):
    """A line the standard ignores: an unknown field name, an id with NUL, a retry that is not ASCII digits."""

    line: str
    start: int
    end: int


class NoData(NamedTuple):
    """A block that ended without a ``data`` field, so that no event was dispatched.

    `type` is the value of its ``event`` field ("" without one) and `id` the last event ID, which such a block
    commits all the same. Blocks of nothing but comments, ``retry`` or ignored lines make no `NoData`.
    """

    type: str
    id: str
    start: int
    end: int


class Tail(NamedTuple):
    """Bytes at the end of the body that never became an event: discarded by the standard, shown by a viewer."""

    text: str
    start: int
    end: int


Item: TypeAlias = Event | Comment | Retry | Ignored | NoData | Tail
