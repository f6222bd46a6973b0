"""Finds where JSON values begin and end in a text that comes in pieces, without decoding them."""

from __future__ import annotations

import re

_OUTSIDE = re.compile(rb'["{}\[\]]')
_INSIDE = re.compile(rb'["\\]')
_LINE_END = re.compile(rb"[\r\n]")


class JsonScan:
    """Follows one value, an object, an array or a string, from its first byte on.

    `line_end` tells where in it the first line end is: "inside" a string, which JSON does not allow, or "outside"; ""
    for none so far.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._in_string = False
        self._escaped = False
        self.line_end = ""

    def end(self, data: bytes | bytearray, at: int) -> int:
        """Where the value ends in `data`, read from `at`; -1 if it does not, and goes on in the next piece."""
        size = len(data)
        while at < size:
            if self._escaped:
                self._escaped = False
                at += 1
                continue
            found = (_INSIDE if self._in_string else _OUTSIDE).search(data, at)
            if not self.line_end and _LINE_END.search(data, at, size if found is None else found.start()):
                self.line_end = "inside" if self._in_string else "outside"
            if found is None:
                break
            at, char = found.end(), data[found.start()]
            if char == 0x5C:
                self._escaped = True
            elif char == 0x22:
                self._in_string = not self._in_string
            else:
                self._depth += 1 if char in b"{[" else -1
            if self._depth <= 0 and not self._in_string:
                return at
        return -1
