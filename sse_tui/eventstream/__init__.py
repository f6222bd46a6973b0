"""The text/event-stream format by the HTML standard, section 9.2. No I/O, no clock, no third party."""

from sse_tui.eventstream.encoder import comment, encode
from sse_tui.eventstream.errors import EventTooLarge, FieldError
from sse_tui.eventstream.items import Comment, Event, Ignored, Item, NoData, Retry, Tail
from sse_tui.eventstream.lines import RETRY_MAX
from sse_tui.eventstream.parser import Parser

__all__ = [
    "RETRY_MAX",
    "Comment",
    "Event",
    "EventTooLarge",
    "FieldError",
    "Ignored",
    "Item",
    "NoData",
    "Parser",
    "Retry",
    "Tail",
    "comment",
    "encode",
]
