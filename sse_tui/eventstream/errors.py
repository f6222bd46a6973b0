"""What can go wrong between bytes and items."""

from __future__ import annotations

from typing import Any

from sse_tui.errors import SseTuiError, StreamError
from sse_tui.eventstream.items import Item


class EventTooLarge(StreamError):  # noqa: N818
    """A line or an open block exceeded the limit of the parser, which is closed now.

    `size` bytes were held when this was noticed (more with larger reads), `limit` were allowed. `start` is the offset
    of the block in the body, or of the line if no block was open. `items` are those that the same `feed` completed
    before: they are not returned again.
    """

    def __init__(self, size: int, limit: int, start: int, items: list[Item]) -> None:
        super().__init__(
            "event-too-large",
            f"The event that starts at byte {start} has grown to {size} bytes; the limit is {limit}.",
            "If events of this size are expected, raise max_event_bytes under [recording] in the configuration.",
        )
        self.size = size
        self.limit = limit
        self.start = start
        self.items = items

    def __reduce__(self) -> Any:
        return type(self), (self.size, self.limit, self.start, self.items)


class FieldError(SseTuiError, ValueError):
    """A value that cannot be written in this field of an event stream."""
