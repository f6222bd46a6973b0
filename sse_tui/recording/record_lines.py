"""The lines of a recording: header and records to and from JSON; damage is noted instead of raised.

Only a damaged header makes a file unreadable. Any other damaged line costs just that line, so that a bad sector or a
careless edit does not take the rest of the session with it.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from sse_tui.bounded import FirstFew
from sse_tui.errors import RecordingError
from sse_tui.recording.records import FORMAT, VERSION, Chunk, Header, Record, Request
from sse_tui.text.json_line import one_line
from sse_tui.text.wording import many

# A header has a few hundred bytes. A first line longer than this is not one, and is not read to its end.
HEADER_LIMIT = 1 << 20

LINE_LIMIT = 1 << 28
"""Bytes of a line: no record is as long as that, and a longer line is skipped without being held."""
DAMAGE_KEPT = 100
"""Damaged lines that are described one by one."""

_encoder = msgspec.json.Encoder()
_records: msgspec.json.Decoder[Record] = msgspec.json.Decoder(Record)
_KINDS = frozenset(kind.__struct_config__.tag for kind in Record.__args__)
_KINDS_KEPT = 64  # unknown kinds counted one by one
_KINDS_NAMED = 3
# What decoding a line may raise.
BROKEN = (msgspec.MsgspecError, ValueError, RecursionError)


class _Kind(msgspec.Struct):
    k: str


class _Stamp(msgspec.Struct):
    format: str
    version: int


@dataclass(frozen=True, slots=True)
class Damage:
    """A line that could not be read and was skipped: its number from 1, its byte offset, and the reason."""

    line: int
    offset: int
    reason: str

    def __str__(self) -> str:
        return f"line {self.line} (byte {self.offset}): {self.reason}"


def encode_line(item: Header | Record) -> bytes:
    """One line with its line end. Lone surrogates, which UTF-8 cannot encode, become U+FFFD."""
    try:
        line = _encoder.encode(item)
    except UnicodeEncodeError:
        line = _encoder.encode(_without_surrogates(msgspec.to_builtins(item, builtin_types=())))
    return one_line(line) + b"\n"


def _without_surrogates(value: object) -> object:
    match value:
        case str():
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        case list() | tuple():
            return [_without_surrogates(item) for item in value]
        case dict():
            return {key: _without_surrogates(item) for key, item in value.items()}
    return value


def decode_record(line: bytes) -> Record:
    """One record, with its base64 checked. Raises an error of msgspec, ValueError or RecursionError."""
    record = _records.decode(line)
    if type(record) is Chunk:
        _check_base64(record.b64)
    elif type(record) is Request:
        _check_base64(record.body_b64)
    return record


def _check_base64(text: str | None) -> None:
    if text is not None and base64.b64encode(base64.b64decode(text, validate=True)) != text.encode():
        raise binascii.Error("base64 is not in its canonical form")


def decode_header(line: bytes, name: str) -> Header:
    """The header of the file `name` from its first line. Raises RecordingError if this version cannot read it."""
    try:
        stamp = msgspec.json.decode(line, type=_Stamp)
    except BROKEN as error:
        raise RecordingError(
            "recording-header",
            f"{name} is not a recording: its first line is not a header ({error}).",
            "A recording is written by sse-tui and starts with "
            f'{{"format":"{FORMAT}","version":{VERSION},...}}.',
        ) from None
    if stamp.format != FORMAT:
        raise RecordingError(
            "recording-format", f"{name} is not a recording: its format is {stamp.format!r}, not {FORMAT!r}."
        )
    if stamp.version != VERSION:
        newer = stamp.version > VERSION
        raise RecordingError(
            "recording-version",
            f"{name} has format version {stamp.version}; this version of sse-tui reads version {VERSION}.",
            "Update sse-tui."
            if newer
            else "No release of sse-tui wrote this version: check where the file comes from.",
        )
    try:
        return msgspec.json.decode(line, type=Header)
    except BROKEN as error:
        raise RecordingError("recording-header", f"The header of {name} is damaged: {error}.") from None


class LineDecoder:
    """Decodes the lines after the header and keeps count of what it cannot read.

    `damage` lists the first damaged lines and counts the others, `unknown` counts the records of unknown kinds: a
    newer sse-tui may add kinds without a new format version.
    """

    def __init__(self) -> None:
        self.damage = FirstFew[Damage](DAMAGE_KEPT)
        self.unknown: dict[str, int] = {}

    @property
    def notes(self) -> list[str]:
        """What was skipped, in words: each damaged line, and the records of unknown kinds together."""
        notes = [str(damage) for damage in self.damage]
        if self.damage.others:
            notes.append(f"and {many(self.damage.others, 'more damaged line')}")
        if self.unknown:
            count = sum(self.unknown.values())
            kinds = ", ".join(repr(kind[:40]) for kind in list(self.unknown)[:_KINDS_NAMED])
            more = ", ..." if len(self.unknown) > _KINDS_NAMED else ""
            notes.append(
                f"{many(count, 'record')} of unknown kind left out ({kinds}{more}): "
                "a newer sse-tui may know more"
            )
        return notes

    def decode(self, line: bytes, number: int, offset: int, *, ended: bool = True) -> Record | None:
        """The record in line `number` at byte `offset`; None if there is none, with the reason noted.

        `ended` says whether the line had a line end: a last line without one was cut off while being written.
        """
        try:
            return decode_record(line)
        except BROKEN as error:
            if not line.strip():
                return None
            kind = _kind(line)
            if kind is not None and kind not in _KINDS:
                kind = kind if kind in self.unknown or len(self.unknown) < _KINDS_KEPT else "..."
                self.unknown[kind] = self.unknown.get(kind, 0) + 1
                return None
            reason = (
                str(error) if ended else "the last line is incomplete: it was cut off while being written"
            )
            self.damage.append(Damage(number, offset, reason))
            return None

    def too_long(self, number: int, offset: int, size: int) -> None:
        """Note a line of `size` bytes that was not read."""
        self.damage.append(Damage(number, offset, f"it is {size:,} bytes long, which no record is"))


def _kind(line: bytes) -> str | None:
    try:
        return msgspec.json.decode(line, type=_Kind).k
    except BROKEN:
        return None


class RecordLine(NamedTuple):
    """A line without its line end, if it had one; `data` is None where it was too long to be held."""

    data: bytes | None
    size: int
    ended: bool


def split_lines(
    blocks: Iterable[bytes], *, first_limit: int = HEADER_LIMIT, limit: int = LINE_LIMIT
) -> Iterator[RecordLine]:
    """The lines of `blocks`. Takes linear time, however the input is cut, and memory for a line up to `limit` bytes.

    If the first line is longer than `first_limit` bytes, what has been read of it is returned as the only line.
    """
    pieces: list[bytes] = []
    size = 0
    first = True

    def line(*, ended: bool) -> RecordLine:
        return RecordLine(b"".join(pieces) if size <= limit else None, size, ended)

    for block in blocks:
        head, *rest = block.split(b"\n")
        size += len(head)
        if size <= limit:
            pieces.append(head)
        else:
            pieces.clear()
        if first and size > first_limit:
            yield RecordLine(b"".join(pieces), size, False)
            return
        for following in rest:
            yield line(ended=True)
            pieces, size = [following], len(following)
            first = False
    if size:
        yield line(ended=False)
