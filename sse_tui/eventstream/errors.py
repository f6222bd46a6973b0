"""What can go wrong between bytes and items."""

from __future__ import annotations

from typing import Any

from sse_tui.errors import SseTuiError, StreamError
from sse_tui.eventstream.items import Item


class EventTooLarge(StreamError):  # noqa: N818
    """A line or an open block outgrew the parser's limit; the parser that raised it is closed.

    `size` bytes were held when it was noticed (the more, the larger the reads), `limit` were allowed, and
    `start` is the offset in the body of the block, or of the line where no block was open. `items` are those
    that the same `feed` had completed before: take them from here, they are not given again.
    """

    def __init__(self, size: int, limit: int, start: int, items: list[Item]) -> None:
        super().__init__(
            "event-too-large",
            f"The event that starts at byte {start} has grown to {size} bytes; the limit is {limit}.",
            "Raise the limit, max_event_bytes in the [recording] table of the configuration, "
            "if events of this size are expected.",
        )
        self.size = size
        self.limit = limit
        self.start = start
        self.items = items

    def __reduce__(self) -> Any:
        return type(self), (self.size, self.limit, self.start, self.items)


class FieldError(SseTuiError, ValueError):
    """A value that no event stream can carry in the field it was given for."""
