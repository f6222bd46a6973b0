"""Shrinks a recording to the smallest one that still shows something, for a bug report that fits in a comment.

Delta debugging: parts are taken away, large ones first, and stay away while the predicate holds. The parts are, one
level after the other, connections, records and reads, events, lines, members of JSON payloads and bytes; then what is
left is put into fewer reads and fewer headers. A try costs as much as reading what is left,
so tries and bytes are bounded: the result may then not be the smallest, but it still shows what it should.

No input or output here; the predicate may be anything.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby, pairwise
from typing import Any, NamedTuple, TypeAlias

import msgspec

from sse_tui import fields
from sse_tui.recording.content import ContentDecoder
from sse_tui.recording.records import Chunk, Record, Request, Response

Predicate: TypeAlias = Callable[[Sequence[Record]], bool]
Progress: TypeAlias = Callable[[str, int, int], None]

MAX_TRIES = 5_000
MAX_BYTES = 2 * 10**9
"""Bytes that all tries together may read: about a minute."""

WHOLE_RATIO = 100
"""A body that needs its content coding and expands by more than this is not taken apart: each try would take long."""

BYTE_LEVEL = 2_000
"""Bodies larger than this in all are not taken apart byte by byte."""

_BLOCK_END = re.compile(rb"(?:\r\n|\r|\n)(?:\r\n|\r|\n)")
_LINE_END = re.compile(rb"\r\n|\r|\n")


class Minimal(NamedTuple):
    """The result. `bytes` and `was` count the bodies' bytes; `exhausted` when a bound ended the search."""

    records: list[Record]
    bytes: int
    was: int
    tries: int
    exhausted: bool


class _Piece(NamedTuple):
    """A part of one read: `number` tells the reads apart."""

    number: int
    read: Chunk
    data: bytes


_Unit: TypeAlias = Record | _Piece


class _Enough(Exception):  # noqa: N818
    """A bound was reached."""


def minimize(
    records: Iterable[Record],
    holds: Predicate,
    *,
    tries: int = MAX_TRIES,
    max_bytes: int = MAX_BYTES,
    progress: Progress = lambda _stage, _tries, _bytes: None,
) -> Minimal:
    """The least records for which `holds` is still true; raises ValueError when it is not true at the start.

    `progress` gets the level, the tries so far and the bytes that are left.
    """
    search = _Search(list(records), holds, tries, max_bytes, progress)
    was = search.size
    if not search.accepts(search.units):
        raise ValueError("the predicate does not hold for the whole recording")
    exhausted = False
    try:
        search.run()
    except _Enough:
        exhausted = True
    return Minimal(_as_records(search.units), search.size, was, search.tries, exhausted)


class _Search:
    def __init__(
        self, records: list[Record], holds: Predicate, tries: int, max_bytes: int, progress: Progress
    ) -> None:
        self.units: list[_Unit] = _decoded(records)
        self.tries = 0
        self._holds = holds
        self._left = tries
        self._bytes_left = max_bytes
        self._progress = progress
        self._weight = 1
        if self.units != records and not holds(_as_records(self.units)):
            # What is to be shown needs the content coding: such bodies are kept whole. They cost what they expand to.
            decoded, self.units = self.units, list(records)
            self._weight = max(1, _effort(decoded) // max(1, _effort(self.units)))

    @property
    def size(self) -> int:
        """Bytes of the bodies that are left."""
        return sum(_size(unit) for unit in self.units)

    def run(self) -> None:
        """All levels, the coarse ones first."""
        self._level("connections", lambda unit: getattr(unit, "conn", 0))
        self._level("records", None)
        if self._weight <= WHOLE_RATIO:
            self._split("events", _BLOCK_END)
            self._split("lines", _LINE_END)
            self._json()
            if self.size <= BYTE_LEVEL:
                self._split("bytes", None)
        self._one_read()
        self._headers()

    def accepts(self, units: list[_Unit]) -> bool:
        """One try: whether the predicate holds for these."""
        cost = self._weight * _effort(units) + 200 * len(units)
        if self._left <= 0 or self._bytes_left < cost:
            raise _Enough
        self._left -= 1
        self._bytes_left -= cost
        self.tries += 1
        return self._holds(_as_records(units))

    def _level(self, name: str, key: Callable[[_Unit], int] | None) -> None:
        """Take away groups of units (single ones without `key`): halves, quarters, and so on down to one."""
        groups = (
            [list(group) for _, group in groupby(self.units, key)] if key else [[unit] for unit in self.units]
        )
        width = max(1, len(groups) // 2)
        while groups:
            at, taken = 0, False
            while at < len(groups):
                rest = groups[:at] + groups[at + width :]
                units = [unit for group in rest for unit in group]
                if self._keep_if_accepted(units):
                    groups, taken = rest, True
                else:
                    at += width
                self._progress(name, self.tries, self.size)
            if width == 1 and not taken:
                return
            width = max(1, min(width // 2, len(groups) // 2))

    def _split(self, name: str, end: re.Pattern[bytes] | None) -> None:
        """Cut the reads at these ends (at every byte without any) and take parts away."""
        units: list[_Unit] = []
        for at, unit in enumerate(self.units):
            piece = _Piece(at, unit, unit.data) if isinstance(unit, Chunk) else unit
            if isinstance(piece, _Piece) and piece.data:
                units += [piece._replace(data=part) for part in _parts(piece.data, end)]
            else:
                units.append(unit)
        self.units = units
        self._level(name, None)

    def _json(self) -> None:
        """Take members out of the JSON in data lines, and shorten strings and lists."""
        for at in range(len(self.units)):
            unit = self.units[at]
            if not isinstance(unit, _Piece) or b"{" not in unit.data:
                continue
            start = unit.data.index(b"{")
            end = unit.data.rstrip(b"\r\n")
            try:
                value = json.loads(end[start:])
            except ValueError:
                continue

            def put(
                value: Any, at: int = at, unit: _Piece = unit, start: int = start, end: bytes = end
            ) -> bool:
                text = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
                data = unit.data[:start] + text + unit.data[len(end) :]
                return len(data) <= _size(self.units[at]) and self._replace(at, unit._replace(data=data))

            _shrink(value, put)
            self._progress("json", self.tries, self.size)

    def _one_read(self) -> None:
        """Join each connection's body into one read, where the reads do not matter."""
        first: dict[int, int] = {}
        units: list[_Unit] = []
        for at, unit in enumerate(self.units):
            piece = _Piece(at, unit, unit.data) if isinstance(unit, Chunk) else unit
            if isinstance(piece, _Piece):
                piece = piece._replace(number=first.setdefault(piece.read.conn, piece.number))
            units.append(piece)
        self._keep_if_accepted(units)

    def _headers(self) -> None:
        """Take headers and request bodies away."""
        for at, unit in enumerate(self.units):
            if not isinstance(unit, Request | Response):
                continue
            if isinstance(unit, Request) and unit.data:
                self._replace(at, msgspec.structs.replace(unit, body=None, body_b64=None))
            for header in unit.headers:
                now = self.units[at]
                assert isinstance(now, Request | Response)
                rest = [other for other in now.headers if other != header]
                self._replace(at, msgspec.structs.replace(now, headers=rest))

    def _replace(self, at: int, unit: _Unit) -> bool:
        return self._keep_if_accepted([*self.units[:at], unit, *self.units[at + 1 :]])

    def _keep_if_accepted(self, units: list[_Unit]) -> bool:
        accepted = self.accepts(units)
        if accepted:
            self.units = units
        return accepted


def _shrink(value: Any, put: Callable[[Any], bool]) -> None:
    """Make `value`, the root of a payload, smaller in place as long as `put` takes it."""
    pending: list[Any] = [value]
    while pending:
        node = pending.pop()
        if isinstance(node, dict | list):
            for key in list(node) if isinstance(node, dict) else list(range(len(node) - 1, -1, -1)):
                kept = node[key]
                del node[key]
                if put(value):
                    continue
                if isinstance(node, list):
                    node.insert(key, kept)
                else:
                    node[key] = kept
                if isinstance(kept, str) and len(kept) > 1:
                    _shorten(node, key, kept, value, put)
                elif isinstance(kept, dict | list):
                    pending.append(kept)


def _shorten(node: Any, key: Any, text: str, root: Any, put: Callable[[Any], bool]) -> None:
    """Cut a string to a half as long as that is taken."""
    while len(text) > 1:
        text = text[: len(text) // 2]
        before, node[key] = node[key], text
        if not put(root):
            node[key] = before
            return


def _effort(units: Sequence[_Unit]) -> int:
    """What reading the bodies costs, as bytes of usual lines: a short line takes as long as a hundred bytes."""
    bodies = (unit.data for unit in units if isinstance(unit, Chunk | _Piece))
    return sum(max(len(data), 100 * data.count(b"\n")) for data in bodies)


def _decoded(records: list[Record]) -> list[_Unit]:
    """The records without content coding, where all of it can be removed; else as they are."""
    out: list[_Unit] = []
    decoders: dict[int, ContentDecoder] = {}
    for record in records:
        if isinstance(record, Response):
            decoder = ContentDecoder(record.headers)
            if decoder.codings and decoder.damage is None:
                decoders[record.conn] = decoder
                headers = fields.without(record.headers, "content-encoding")
                record = msgspec.structs.replace(record, headers=headers)
        elif isinstance(record, Chunk) and record.conn in decoders:
            data = decoders[record.conn].decode(record.data)
            if not data:
                continue
            record = record.holding(data)
        out.append(record)
    return out


def _as_records(units: Sequence[_Unit]) -> list[Record]:
    """The units as records again: the pieces of one read are one read."""
    out: list[Record] = []
    for number, group in groupby(units, lambda unit: unit.number if isinstance(unit, _Piece) else None):
        if number is None:
            out += [unit for unit in group if not isinstance(unit, _Piece)]
            continue
        pieces = [unit for unit in group if isinstance(unit, _Piece)]
        read = pieces[0].read
        data = b"".join(piece.data for piece in pieces)
        out.append(read.holding(data))
    return out


def _parts(data: bytes, end: re.Pattern[bytes] | None) -> list[bytes]:
    ends = [match.end() for match in end.finditer(data)] if end is not None else range(1, len(data) + 1)
    cuts = [0, *ends, len(data)]
    return [part for start, stop in pairwise(cuts) if (part := data[start:stop])]


def _size(unit: _Unit) -> int:
    if isinstance(unit, _Piece):
        return len(unit.data)
    return unit.size if isinstance(unit, Chunk) else 0
