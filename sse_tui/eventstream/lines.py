"""The stateless parts of parsing: cutting bytes into lines, counting what is held, and the value of a number."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import accumulate, repeat
from typing import Any

from sse_tui.eventstream.items import Comment, Ignored, Item, Retry

RETRY_MAX = 2**53 - 1
"""The longest reconnection time in ms. The standard sets no limit; up to this one JSON numbers are exact."""
_RETRY_DIGITS = len(str(RETRY_MAX))

_LF, _COLON = b"\n:"
_new: Callable[[type[Any], tuple[Any, ...]], Any] = tuple.__new__
# The last form is for a line without an end, which is never given: each of its bytes would be tried as a beginning.
_ENDS_ALIKE = re.compile(rb"(?:[^\r\n]*+\r\n)++|(?:[^\r\n]*+\n)++|(?:[^\r\n]*+\r(?!\n))++|[^\r\n]++")


def runs_of_ends(lines: bytes) -> list[bytes]:
    """Cut complete lines into runs that end with CRLF, with LF and with CR."""
    return _ENDS_ALIKE.findall(lines)


def lone_lines(lines: bytes, width: int, start: int, between: bool) -> list[Item] | None:
    """The items of whole lines that are all comments or all ignored, by the first character; None if they are not.

    Each line may have a blank line behind it, if no block is open `between` the events. Line ends are LF here and
    `width` bytes in the body. No loop: a run of items is made in C from first to last.
    """
    first, eol, last = lines[0], lines.find(b"\n"), len(lines) - 1
    kind, prefix = (Comment, 1) if first == _COLON else (Ignored, 0)
    if eol == last or (between and eol == last - 1):
        return [_new(kind, (lines[prefix:eol].decode("utf-8", "replace"), start, start + eol + 1))]
    second = lines[eol + 1]
    if second == first:
        ends = 1
    elif between and second == _LF == lines[last - 1] and lines[eol + 2] == first:
        ends = 2
    else:
        return None
    line = lines[: eol + ends]
    times = len(lines) // len(line)
    if line * times == lines:  # the same heartbeat over and over
        step = eol + ends * width
        stop = start + times * step
        texts = repeat(line[prefix:eol].decode("utf-8", "replace"))
        spans = range(start, stop, step), range(start + eol + 1, stop + eol + 1, step)
        return list(map(_new, repeat(kind), zip(texts, *spans, strict=False)))
    if times < 8:  # not worth the preparation
        return None
    if lines[lines.rfind(b"\n", 0, -ends) + 1] != first:
        return None
    starts_of_lines = lines.count((b"\n" if ends == 1 else b"\n\n") + lines[:1]) + 1
    if starts_of_lines * ends != lines.count(b"\n"):
        return None
    return _each_line(kind, lines[prefix:-ends], b"\n" * ends + lines[:prefix], ends * width, start)


def _each_line(
    kind: type[Comment | Ignored], texts: bytes, between: bytes, width: int, start: int
) -> list[Item]:
    """The items of lines that differ, of which only what lies `between` two texts is alike: `width` bytes of ends."""
    values: Iterable[str]
    if texts.isascii():
        values = texts.decode().split(between.decode())
        sizes = map(len, values)
    else:
        cuts = texts.split(between)
        sizes = map(len, cuts)
        values = [cut.decode("utf-8", "replace") for cut in cuts]
    prefix = between.count(b":")
    starts = list(accumulate(map((prefix + width).__add__, sizes), initial=start))
    stops = starts[1:] if width == 1 else map((1 - width).__add__, starts[1:])
    return list(map(_new, repeat(kind), zip(values, starts, stops, strict=False)))


def held_lines(lines: bytes) -> bytes:
    """Those of the complete lines that are held until the end of their block."""
    return b"".join([line for line in lines.splitlines(keepends=True) if _is_held(line[:-1])])


def within_limit(lines: bytes, held: int, limit: int) -> tuple[int, int]:
    """How many bytes of whole lines come before the line at which more than `limit` would be held.

    Also the size that would be held then, or a size within the limit when there is no such line. `held` is the size
    of the open block before.
    """
    size = passed = 0
    for line in lines.splitlines(keepends=True):
        text = line.rstrip(b"\r\n")
        size = held + len(text)
        if not text:
            held = size = 0
        elif size <= limit and _is_held(text):
            held = size = size + 1
        if size > limit:
            break
        passed += len(line)
    return passed, size


def _is_held(line: bytes) -> bool:
    """Whether a line that is not blank is held until the end of its block."""
    name = line.partition(b":")[0]
    return name in (b"data", b"event") or (name == b"id" and b"\0" not in line)


def retry_of(value: bytes, start: int, end: int) -> Retry:
    """The item of a retry field whose value is digits; int() itself refuses more than 4,300 of them."""
    digits = value.lstrip(b"0") or b"0"
    size = len(digits)
    if size < _RETRY_DIGITS or (size == _RETRY_DIGITS and int(digits) <= RETRY_MAX):
        return Retry(int(digits), start, end)
    return Retry(RETRY_MAX, start, end, digits.decode())
