"""Event stream parser: bytes in, items out.

Strategy
========

No I/O and no clock: the caller feeds whatever a read returned, in pieces of any size, and gets the items
which that piece completed. The result is a function of the bytes alone, never of the pieces.

Everything is found in bytes. CR and LF cannot occur inside a multi-byte character, so lines can be cut before
they are decoded, and decoding a whole line (or a whole run of lines) with U+FFFD for each maximal subpart
gives what decoding the stream would. That leaves no decoder state between reads.

There are three readers, from the narrow and quick to the wide and slow; all make the same items:

`feed` itself takes the commonest read there is, exactly one block of ``data`` or of ``event`` and ``data``;
`_read_blocks` takes a run of whole blocks without any CR: it decodes once and splits at the blank lines;
`_read_lines` takes whole lines of any kind, and alone knows all rules of the standard.

The quick ones apply only "between" blocks, when nothing is held. What is held for a later read is

- `_rest`, the bytes of the line that has not ended. A read without a line end is appended and not looked at
  again, so that a long line in small pieces stays linear;
- `_data`, the standard's data buffer: each value followed by LF. Still UTF-8; it is decoded once, at
  dispatch;
- `_raw`, the ``data``, ``event`` and ``id`` lines of the open block, which make the `Tail` if the body ends
  here;
- `_after_cr`: a CR ended the last line at once, so an LF at the start of the next read is part of that line
  end.

`_raw` and `_rest` together are what the limit bounds: each held line with one byte for its end, whichever end
it had, plus the line under way. A comment or an ignored line is not held once it has ended. `_read_lines`
also applies the limit to blocks that come complete in one read, so that the pieces do not decide whether an
event passes.
"""

from __future__ import annotations

from sse_tui.eventstream.errors import EventTooLarge
from sse_tui.eventstream.items import Comment, Event, Ignored, Item, NoData, Retry, Tail

LIMIT = 16 * 2**20
RETRY_MAX = 2**53 - 1
"""The longest reconnection time in ms: the standard sets no bound, this one is exact in JSON too."""

_BOM = b"\xef\xbb\xbf"
_WINDOW = 2**20  # a huge read is split into lines by pieces, not into one list of millions
_LF, _CR, _COLON = b"\n\r:"
_new = tuple.__new__  # half the cost of calling a named tuple


class Parser:
    """Reads one event stream body.

    `limit` bounds in bytes what may be held of an event that has not ended; `last_event_id` is the last event
    ID string of the connection before, which events inherit until the stream sets another.
    """

    __slots__ = (
        "_after_cr",
        "_begun",
        "_between",
        "_block",
        "_closed",
        "_data",
        "_id",
        "_last_event_id",
        "_limit",
        "_names_event",
        "_offset",
        "_raw",
        "_rest",
        "_retry",
        "_type",
    )

    def __init__(self, limit: int = LIMIT, last_event_id: str = "") -> None:
        self._limit = limit
        self._last_event_id = last_event_id
        self._id = last_event_id  # the id buffer, seeded: read literally, a reconnect would forget the id
        self._retry: int | None = None
        self._offset = 0
        self._begun = False  # the place of a byte order mark has been passed
        self._between = False  # nothing is held: the next byte starts a block
        self._closed = False
        self._after_cr = False
        self._rest = bytearray()
        self._block = -1  # offset of the open block
        self._type = ""
        self._names_event = False  # the open block has an event or id field
        self._data = bytearray()
        self._raw = bytearray()

    @property
    def last_event_id(self) -> str:
        """The last event ID string, as of the last blank line: what a reconnect sends, if it is not empty."""
        return self._last_event_id

    @property
    def retry(self) -> int | None:
        """The reconnection time in milliseconds that the stream last set, if it did."""
        return self._retry

    @property
    def offset(self) -> int:
        """How many bytes of the body were fed."""
        return self._offset

    def feed(self, chunk: bytes | bytearray | memoryview) -> list[Item]:
        """Take the next bytes of the body; return the items that they completed, in the order of their ends.

        Raises `EventTooLarge`, which carries the items completed before it, and `ValueError` after that or
        `close`.
        """
        if type(chunk) is not bytes:
            chunk = bytes(chunk)
        size = len(chunk)
        if self._between and chunk[-2:] == b"\n\n" and size <= self._limit and b"\r" not in chunk:
            start = self._offset
            self._offset = end = start + size
            eol = chunk.find(b"\n")
            if eol == size - 2:
                if chunk[:6] == b"data: ":
                    data = chunk[6:-2].decode("utf-8", "replace")
                    return [_new(Event, ("message", data, self._last_event_id, start, end))]
            elif chunk.startswith(b"data: ", eol + 1) and chunk.find(b"\n", eol + 1) == size - 2:
                if chunk[:7] == b"event: ":
                    name = chunk[7:eol].decode("utf-8", "replace") or "message"
                    data = chunk[eol + 7 : -2].decode("utf-8", "replace")
                    return [_new(Event, (name, data, self._last_event_id, start, end))]
                if chunk[:4] == b"id: " and b"\0" not in chunk:
                    self._id = self._last_event_id = chunk[4:eol].decode("utf-8", "replace")
                    data = chunk[eol + 7 : -2].decode("utf-8", "replace")
                    return [_new(Event, ("message", data, self._id, start, end))]
            items: list[Item] = []
            self._read_blocks(chunk, start, items)
            return items
        if self._closed:
            raise ValueError("feed() on a closed parser")
        items = []
        if size <= _WINDOW:
            self._read(chunk, items)
        else:
            for at in range(0, size, _WINDOW):
                self._read(chunk[at : at + _WINDOW], items)
        return items

    def close(self) -> list[Item]:
        """Say that the body has ended; return what it left unfinished as a `Tail`. Commits no id."""
        if self._closed:
            return []
        self._closed = True
        self._between = False
        if self._block < 0 and not self._rest:
            return []
        start = self._block if self._block >= 0 else self._offset - len(self._rest)
        text = (self._raw + self._rest).decode("utf-8", "replace")
        self._rest, self._data, self._raw = bytearray(), bytearray(), bytearray()
        return [Tail(text, start, self._offset)]

    def _read(self, chunk: bytes, items: list[Item]) -> None:
        """Join the read to what is held, give whole lines to the readers, hold the unterminated line."""
        start = self._offset
        self._offset += len(chunk)
        if self._after_cr and chunk:
            self._after_cr = False
            if chunk[0] == _LF:
                chunk = chunk[1:]
                start += 1
        rest = self._rest
        if self._begun and b"\n" not in chunk and b"\r" not in chunk:
            rest += chunk
        else:
            if rest:
                start -= len(rest)
                chunk = bytes(rest) + chunk
                rest.clear()
            if not self._begun:
                if len(chunk) < len(_BOM) and _BOM.startswith(chunk):
                    rest += chunk
                    return
                self._begun = True
                if chunk.startswith(_BOM):
                    chunk = chunk[len(_BOM) :]
                    start += len(_BOM)
            stop = max(chunk.rfind(b"\n"), chunk.rfind(b"\r")) + 1
            if stop:
                self._after_cr = chunk[-1] == _CR
                self._read_whole_lines(chunk[:stop], start, items)
            rest += chunk[stop:]
        held = len(self._raw) + len(rest)
        if held > self._limit:
            raise self._too_large(held, self._offset - len(rest), items)
        self._between = self._block < 0 and not rest and not self._after_cr

    def _read_whole_lines(self, lines: bytes, start: int, items: list[Item]) -> None:
        """Choose the readers: the quick one for the run of whole blocks in the middle, if there is one."""
        if b"\r" not in lines and len(self._raw) + len(lines) <= self._limit:
            first = 0 if self._block < 0 else lines.find(b"\n\n") + 2
            last = lines.rfind(b"\n\n") + 2
            if last - first >= 2:
                if first:
                    self._read_lines(lines[:first], start, items)
                self._read_blocks(lines[first:last], start + first, items)
                if last < len(lines):
                    self._read_lines(lines[last:], start + last, items)
                return
        self._read_lines(lines, start, items)

    def _read_blocks(self, blocks: bytes, start: int, items: list[Item]) -> None:
        """Read a run of blocks that starts between blocks, ends with a blank line and has no CR."""
        text = blocks.decode("utf-8", "replace")
        plain = len(text) == len(blocks)  # every character is one byte, so the same offsets serve both
        last_event_id = self._last_event_id
        add = items.append
        if blocks[:6] == b"data: ":
            # Perhaps all are blocks of one data line: then splitting at what lies between gives the values.
            values = text[6:-2].split("\n\ndata: ")
            if blocks.count(b"\n") == 2 * len(values):
                sizes = map(len, values if plain else blocks[6:-2].split(b"\n\ndata: "))
                for data, size in zip(values, sizes, strict=True):
                    end = start + size + 8
                    add(_new(Event, ("message", data, last_event_id, start, end)))
                    start = end
                return
        origin = start
        parts = text[:-2].split("\n\n")
        for part, size in zip(parts, map(len, parts if plain else blocks[:-2].split(b"\n\n")), strict=True):
            end = start + size + 2
            head, eol, line = part.partition("\n")
            if not eol:
                if head[:6] == "data: ":
                    add(_new(Event, ("message", head[6:], last_event_id, start, end)))
                    start = end
                    continue
                if head[:1] == ":":
                    add(_new(Comment, (head[1:], start, end - 1)))
                    start = end
                    continue
            elif line[:6] == "data: " and "\n" not in line:
                if head[:7] == "event: ":
                    add(_new(Event, (head[7:] or "message", line[6:], last_event_id, start, end)))
                    start = end
                    continue
                if head[:4] == "id: " and "\0" not in head:
                    self._id = self._last_event_id = last_event_id = head[4:]
                    add(_new(Event, ("message", line[6:], last_event_id, start, end)))
                    start = end
                    continue
            self._read_lines(blocks[start - origin : end - origin], start, items)
            last_event_id = self._last_event_id
            start = end

    def _read_lines(self, lines: bytes, start: int, items: list[Item]) -> None:
        """Read whole lines by the rules of the standard, section 9.2.6."""
        raw: list[bytes] = []
        values: list[bytes] = []
        block = self._block
        held = len(self._raw)
        limited = held + len(lines) > self._limit
        crlf = b"\r\n" in lines
        origin = start
        for line in lines.splitlines():
            end = start + len(line) + 1
            if limited and line and held + len(line) > self._limit:
                raise self._too_large(held + len(line), start, items)
            if not line:
                self._last_event_id = self._id
                if block >= 0:
                    self._dispatch(values, block, end, items)
                    block = self._block = -1
                    held = 0
                    raw = []
                    values = []
            elif line[0] == _COLON:
                items.append(_new(Comment, (line[1:].decode("utf-8", "replace"), start, end)))
            else:
                if block < 0:
                    block = self._block = start
                if line[:6] == b"data: ":
                    values.append(line[6:])
                    raw.append(line)
                    held += len(line) + 1
                elif line[:5] == b"data:":
                    values.append(line[5:])
                    raw.append(line)
                    held += len(line) + 1
                elif line == b"data":
                    values.append(b"")
                    raw.append(line)
                    held += len(line) + 1
                elif self._field(line, start, end, items):
                    raw.append(line)
                    held += len(line) + 1
                if limited and held > self._limit:
                    raise self._too_large(held, start, items)
            start = end
            if crlf and lines[end - origin - 1 : end - origin + 1] == b"\r\n":
                start += 1
        if raw:
            self._raw += b"\n".join(raw) + b"\n"
        if values:
            self._data += b"\n".join(values) + b"\n"

    def _field(self, line: bytes, start: int, end: int, items: list[Item]) -> bool:
        """Process a field other than data. False if nothing of it waits for the end of the block."""
        name, _, value = line.partition(b":")
        if value[:1] == b" ":
            value = value[1:]
        if name == b"event":
            self._type = value.decode("utf-8", "replace")
        elif name == b"id" and b"\0" not in value:
            self._id = value.decode("utf-8", "replace")
        elif name == b"retry" and value.isdigit():  # of bytes: ASCII digits only
            self._retry = _milliseconds(value)
            items.append(Retry(self._retry, start, end))
            return False
        else:
            items.append(Ignored(line.decode("utf-8", "replace"), start, end))
            return False
        self._names_event = True
        return True

    def _dispatch(self, values: list[bytes], start: int, end: int, items: list[Item]) -> None:
        """End the open block: its event, if it has data, of what earlier reads left and `values`."""
        if self._data:
            data = self._data + b"\n".join(values) if values else self._data[:-1]
            text = data.decode("utf-8", "replace")
            items.append(Event(self._type or "message", text, self._id, start, end))
            self._data = bytearray()
        elif values:
            text = b"\n".join(values).decode("utf-8", "replace")
            items.append(_new(Event, (self._type or "message", text, self._id, start, end)))
        elif self._names_event:
            items.append(NoData(self._type, self._id, start, end))
        self._type = ""
        self._names_event = False
        if self._raw:
            self._raw = bytearray()

    def _too_large(self, size: int, line: int, items: list[Item]) -> EventTooLarge:
        """Close the parser over an event that outgrew the limit."""
        start = self._block if self._block >= 0 else line
        self._closed = True
        self._between = False
        self._rest, self._data, self._raw = bytearray(), bytearray(), bytearray()
        return EventTooLarge(size, self._limit, start, items)


def _milliseconds(digits: bytes) -> int:
    """The number of a valid retry field, at most `RETRY_MAX`; int() itself refuses more than 4,300 digits."""
    digits = digits.lstrip(b"0")
    return RETRY_MAX if len(digits) > len(str(RETRY_MAX)) else min(int(digits or b"0"), RETRY_MAX)
