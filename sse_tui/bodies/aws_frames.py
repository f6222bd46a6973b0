"""AWS event stream frames, ``application/vnd.amazon.eventstream``: Bedrock, Transcribe, Kinesis, S3 Select.

A frame (AWS calls it a message) is binary, numbers are big-endian:

- 4 bytes: length of the whole frame; 4 bytes: length of its headers; 4 bytes: CRC-32 of those eight bytes;
- the headers, each a name (1 byte of length), a type (1 byte) and a value;
- the payload; 4 bytes: CRC-32 of everything before.

``:message-type`` is "event", whose kind is in ``:event-type``; "exception", named by ``:exception-type``; or "error",
with ``:error-code`` and ``:error-message``. A frame becomes an event of that name whose data is the payload, so that
everything behind a parser takes it like any other.

Source: the "Amazon Event Stream" chapter of the Smithy specification.
"""

from __future__ import annotations

import base64
import json
import uuid
import zlib
from collections.abc import Callable
from typing import NamedTuple

from sse_tui.eventstream import Event, EventTooLarge, Ignored, Item, Tail

PRELUDE = 12
"""Bytes of the two lengths and their checksum."""
_CRC = 4
LARGEST = 24 * 2**20
"""The longest frame there is: 16 MiB of payload and 128 KiB of headers, with room for services that send more."""

Value = bool | int | str | bytes


class Frame(NamedTuple):
    """One whole frame."""

    headers: dict[str, Value]
    payload: bytes


class FrameError(ValueError):
    """The bytes are no frame; the message says why, as a phrase."""


def _number(size: int) -> Callable[[bytes, int], tuple[int, int]]:
    def read(data: bytes, at: int) -> tuple[int, int]:
        return int.from_bytes(_cut(data, at, size), "big", signed=True), at + size

    return read


def _bytes(data: bytes, at: int) -> tuple[bytes, int]:
    size = int.from_bytes(_cut(data, at, 2), "big")
    return _cut(data, at + 2, size), at + 2 + size


def _text(data: bytes, at: int) -> tuple[str, int]:
    value, end = _bytes(data, at)
    return value.decode("utf-8", "replace"), end


def _uuid(data: bytes, at: int) -> tuple[str, int]:
    return str(uuid.UUID(bytes=_cut(data, at, 16))), at + 16


def _cut(data: bytes, at: int, size: int) -> bytes:
    if at + size > len(data):
        raise FrameError("a header goes beyond the end of the headers")
    return data[at : at + size]


# What reads the value of a header, by its type. A timestamp (8) is milliseconds since 1970.
_VALUES: tuple[Callable[[bytes, int], tuple[Value, int]], ...] = (
    lambda _, at: (True, at),
    lambda _, at: (False, at),
    _number(1),
    _number(2),
    _number(4),
    _number(8),
    _bytes,
    _text,
    _number(8),
    _uuid,
)


def is_prelude(data: bytes | bytearray, at: int = 0) -> bool:
    """Whether a frame with possible lengths and the right checksum of them begins at `at`."""
    prelude = bytes(data[at : at + PRELUDE])
    if len(prelude) < PRELUDE or zlib.crc32(prelude[:8]) != int.from_bytes(prelude[8:], "big"):
        return False
    return _wrong_lengths(prelude) == ""


def _wrong_lengths(prelude: bytes) -> str:
    total, headers = int.from_bytes(prelude[:4], "big"), int.from_bytes(prelude[4:8], "big")
    if not PRELUDE + _CRC <= total <= LARGEST:
        return f"its length is given as {total:,} bytes"
    if headers > total - PRELUDE - _CRC:
        return f"its headers are given as {headers:,} bytes, the whole frame as {total:,}"
    return ""


def frame_of(data: bytes) -> Frame:
    """The frame that is in `data`, which is as long as its prelude says. Raises `FrameError`."""
    found, given = zlib.crc32(data[:-_CRC]), int.from_bytes(data[-_CRC:], "big")
    if found != given:
        raise FrameError(f"its checksum is {found:#010x}, but {given:#010x} is given")
    end = PRELUDE + int.from_bytes(data[4:8], "big")
    return Frame(_headers(data[PRELUDE:end]), data[end:-_CRC])


def _headers(data: bytes) -> dict[str, Value]:
    headers: dict[str, Value] = {}
    at = 0
    while at < len(data):
        size = data[at]
        name = _cut(data, at + 1, size).decode("utf-8", "replace")
        kind = _cut(data, at + 1 + size, 1)[0]
        if kind >= len(_VALUES):
            raise FrameError(f"the header {name[:40]!r} has the unknown type {kind}")
        headers[name], at = _VALUES[kind](data, at + 2 + size)
    return headers


def event_of(frame: Frame, event_id: str, start: int, end: int) -> Event:
    """The frame as an event. A payload that is not UTF-8 is given in base64.

    An "error", which has no payload, becomes an event named "error" whose data is its code and its message.
    """
    headers = frame.headers
    if headers.get(":message-type") == "error":
        said = {name: str(headers.get(f":error-{name}", "")) for name in ("code", "message")}
        return Event("error", json.dumps(said, ensure_ascii=False), event_id, start, end)
    name = next(
        (str(headers[name]) for name in (":event-type", ":exception-type") if name in headers), "message"
    )
    try:
        data = frame.payload.decode("utf-8")
    except UnicodeDecodeError:
        data = base64.b64encode(frame.payload).decode("ascii")
    return Event(name, data, event_id, start, end)


class AwsFrames:
    """Reads one body of frames, in pieces of any size.

    A frame that is damaged becomes an `Ignored` whose line says how, and reading goes on with the next one: after a
    wrong prelude that is the next place with a right one. `limit` is the most that is held of a frame, in bytes.
    """

    def __init__(self, limit: int, last_event_id: str = "") -> None:
        self._limit = limit
        self.last_event_id = last_event_id
        self._held = bytearray()
        self._start = 0
        self._damage = ""  # of the bytes that are held up to the next frame
        self._searched = 0  # how many of those were looked at

    def feed(self, data: bytes) -> list[Item]:
        """The frames that the next bytes complete. Raises `EventTooLarge`."""
        self._held += data
        items: list[Item] = []
        while (item := self._next(items)) is not None:
            items.append(item)
        return items

    def close(self) -> list[Item]:
        """What is unfinished at the end of the body."""
        size = len(self._held)
        if not size:
            return []
        if self._damage:
            return [self._ignored(size)]
        return [Tail(f"{self._kind()}, of which {size:,} bytes came", self._start, self._start + size)]

    def _kind(self) -> str:
        if len(self._held) < PRELUDE:
            return "a frame"
        return f"a frame of {int.from_bytes(self._held[:4], 'big'):,} bytes"

    def _next(self, items: list[Item]) -> Item | None:
        held = self._held
        if self._damage:
            return self._resume()
        if len(held) < PRELUDE:
            return None
        prelude = bytes(held[:PRELUDE])
        given = int.from_bytes(prelude[8:], "big")
        wrong = _wrong_lengths(prelude)
        if zlib.crc32(prelude[:8]) != given:
            wrong = (
                wrong or f"the checksum of its lengths is {zlib.crc32(prelude[:8]):#010x}, not {given:#010x}"
            )
        if wrong:
            self._damage, self._searched = wrong, 1
            return self._resume()
        total = int.from_bytes(prelude[:4], "big")
        if total > self._limit:
            raise EventTooLarge(total, self._limit, self._start, items)
        if len(held) < total:
            return None
        raw, start = bytes(held[:total]), self._start
        try:
            item: Item = event_of(frame_of(raw), self.last_event_id, start, start + total)
        except FrameError as bad:
            self._damage = str(bad)
            return self._ignored(total)
        self._drop(total)
        return item

    def _resume(self) -> Item | None:
        """The damaged bytes, once a whole prelude follows them. The first byte of a frame is always 0."""
        held, at = self._held, self._searched
        while 0 <= (at := held.find(b"\0", at)) <= len(held) - PRELUDE:
            if is_prelude(held, at):
                return self._ignored(at)
            at += 1
        self._searched = max(1, len(held) - PRELUDE + 1)
        if len(held) > self._limit:  # there is nothing to wait for: let go of what was looked at
            return self._ignored(self._searched)
        return None

    def _ignored(self, size: int) -> Ignored:
        line = f"a frame of {size:,} bytes: {self._damage}"
        item = Ignored(line, self._start, self._start + size)
        self._damage = ""
        self._drop(size)
        return item

    def _drop(self, size: int) -> None:
        del self._held[:size]
        self._start += size
