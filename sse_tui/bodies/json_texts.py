"""Reads a body of JSON that is no event stream: an array of payloads, or one object after the other.

Gemini without ``alt=sse`` sends an array, element by element; a server that ignores ``"stream": true`` sends one
object. Each element, and each object outside an array, becomes an event without a name.
"""

from __future__ import annotations

import re

from sse_tui.bodies.json_scan import JsonScan
from sse_tui.eventstream import Event, EventTooLarge, Item, Parser, Tail

_SPACE = b" \t\r\n\x1e\xef\xbb\xbf"
_BETWEEN = _SPACE + b","
_SCALAR_END = re.compile(rb"[,\] \t\r\n]")


class JsonTexts:
    """Reads one body, in pieces of any size.

    `limit` is the most that is held of one value, in bytes. What follows the JSON and is none is read as an event
    stream.
    """

    def __init__(self, limit: int, last_event_id: str = "") -> None:
        self._limit = limit
        self._id = last_event_id
        self._held = bytearray()
        self._start = 0  # offset of the first byte held
        self._scanned = 0  # how many of those were looked at
        self._scan: JsonScan | None = None  # of the value that has begun
        self._scalar = False
        self._in_array = False
        self._rest: Parser | None = None

    @property
    def last_event_id(self) -> str:
        """The last event ID, which JSON never sets."""
        return self._rest.last_event_id if self._rest is not None else self._id

    def feed(self, data: bytes) -> list[Item]:
        """The values that the next bytes complete. Raises `EventTooLarge`."""
        if self._rest is not None:
            return self._read_rest(data)
        self._held += data
        items: list[Item] = []
        while self._rest is None and (item := self._next()) is not None:
            items.append(item)
        if self._rest is not None:
            return items + self._read_rest(bytes(self._held))
        self._drop(0 if self._begun else self._scanned)
        if len(self._held) > self._limit:
            raise EventTooLarge(len(self._held), self._limit, self._start, items)
        return items

    def close(self) -> list[Item]:
        """What is unfinished at the end of the body."""
        if self._rest is not None:
            return [_moved(item, self._start) for item in self._rest.close()]
        if not self._begun:
            return []
        end = self._start + len(self._held)
        text = self._held.decode("utf-8", "replace")
        if self._scalar:
            return [Event("message", text, self._id, self._start, end)]
        return [Tail(text, self._start, end)]

    @property
    def _begun(self) -> bool:
        return self._scalar or self._scan is not None

    def _next(self) -> Event | None:
        """The next value that is complete; None where more bytes are needed, or what follows is not JSON."""
        if not self._begun and not self._begin():
            return None
        held = self._held
        if self._scan is not None:
            end = self._scan.end(held, self._scanned)
        else:
            found = _SCALAR_END.search(held, self._scanned)
            end = found.start() if found is not None else -1
        if end < 0:
            self._scanned = len(held)
            return None
        start = self._start
        text = held[:end].decode("utf-8", "replace")
        self._scan, self._scalar = None, False
        self._drop(end)
        return Event("message", text, self._id, start, start + end)

    def _begin(self) -> bool:
        """Whether a value begins in what is held; it is at its very beginning then."""
        held = self._held
        while True:
            at = self._scanned
            while at < len(held) and held[at] in _BETWEEN:
                at += 1
            self._scanned = at
            if at == len(held):
                return False
            first = held[at : at + 1]
            if first == b"]" and self._in_array:
                self._in_array = False
            elif first == b"[" and not self._in_array:
                self._in_array = True
            else:
                break
            self._scanned += 1
        self._drop(at)
        if first in b'{["' and (self._in_array or first == b"{"):
            self._scan = JsonScan()
        elif self._in_array:
            self._scalar = True
        else:
            self._rest = Parser(self._limit, self._id)
            return False
        return True

    def _drop(self, size: int) -> None:
        del self._held[:size]
        self._start += size
        self._scanned = max(0, self._scanned - size)

    def _read_rest(self, data: bytes) -> list[Item]:
        assert self._rest is not None
        self._held.clear()
        try:
            return [_moved(item, self._start) for item in self._rest.feed(data)]
        except EventTooLarge as error:
            error.items[:] = [_moved(item, self._start) for item in error.items]
            raise


def _moved(item: Item, by: int) -> Item:
    return item._replace(start=item.start + by, end=item.end + by)
