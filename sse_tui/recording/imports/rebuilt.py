"""A stream put together again from its messages, for captures that kept the messages and not the bytes."""

from __future__ import annotations

from sse_tui.eventstream import encode
from sse_tui.text.safety import encodable

NOTE = (
    "The stream was put together again from its messages: comments, retry fields and the exact bytes "
    "were not in the capture."
)


class Rebuilder:
    """Makes blocks of messages. An id is written where it changes: captures repeat the last one on each message."""

    def __init__(self) -> None:
        self._id = ""

    def block(self, type: str, data: str, id: str) -> bytes:
        """The block that makes a client dispatch this message."""
        last = _one_line(id).replace("\0", "")
        new = last if last != self._id else None
        self._id = last
        name = _one_line(type)
        return encode(data=encodable(data), type=name if name not in ("", "message") else None, id=new)


def _one_line(value: str) -> str:
    return encodable(value).replace("\r", "").replace("\n", "")
