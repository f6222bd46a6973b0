"""Event stream parser: bytes in, items out.

Strategy
========

No I/O and no clock: the caller feeds whatever a read returned, in pieces of any size, and gets the items
which that piece completed. The result is a function of the bytes alone, never of the pieces.

Everything is found in bytes. CR and LF cannot occur inside a multi-byte character, so lines can be cut before
they are decoded, and decoding a whole line (or a whole run of lines) with U+FFFD for each maximal subpart
gives what decoding the stream would. That leaves no decoder state between reads.

There are four readers, from the narrow and quick to the wide and slow; all make the same items:

- `feed` itself takes the commonest read there is: one block of ``data``, with an ``event`` or ``id`` line or
  not;
- `data_events` takes a run of nothing but such blocks of one ``data`` line, at the speed of C;
- `_read_blocks` takes a run of whole blocks without any CR and sees whether they are alike;
- `_read_lines` takes whole lines of any kind, and alone knows all rules of the standard.

They read decoded text and count bytes: where every character is one byte the two are the same, and else the
bytes are cut at the same places to be measured. What is held for a later read is

- `_rest`, the line that has not ended, in the pieces that came, and perhaps the first line of its block
  before it. A read without a line end is appended and not looked at again, so that a long line in small
  pieces stays linear; tiny pieces are joined now and then;
- `_data`, the values of the open block's data lines, and `_raw`, its ``data``, ``event`` and ``id`` lines as
  they came, which make the `Tail` if the body ends here;
- `_after_cr`: a CR ended the last line at once, so an LF at the start of the next read is part of that line
  end.

`_raw` and `_rest` together are what the limit bounds: each held line with one byte for its end, whichever end
it had, plus the line under way. A comment or an ignored line is not held once it has ended. The limit applies
to blocks that come complete in one read too, so that the pieces do not decide whether an event passes.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat

from sse_tui.eventstream.errors import EventTooLarge
from sse_tui.eventstream.items import Comment, Event, Ignored, Item, NoData, Retry, Tail
from sse_tui.eventstream.lines import data_events, milliseconds, split_lines, within_limit

LIMIT = 16 * 2**20
_BOM = b"\xef\xbb\xbf"
_WINDOW = 2**20  # a huge read is split into lines by pieces, not into one list of millions
_LF, _CR, _SPACE = b"\n\r "
_WAITING = (b"data: ", b"event: ")  # starts of lines that have no effect before their block ends
_FIELD_LETTERS = "deir"  # what data, event, id and retry begin with
_new = tuple.__new__  # half the cost of calling a named tuple


class Parser:
    """Reads one event stream body.

    `limit` bounds in bytes what may be held of an event that has not ended; `last_event_id` is the last event
    ID string of the connection before, which events inherit until the stream sets another.
    """

    # fmt: off
    __slots__ = (
        "_after_cr", "_begun", "_between", "_block", "_closed", "_data", "_id", "_last_event_id", "_limit", "_line",
        "_look_at", "_mark", "_names_event", "_raw", "_raw_size", "_rest", "_rest_size", "_retry", "_type",
    )
    # fmt: on

    def __init__(self, limit: int = LIMIT, last_event_id: str = "") -> None:
        self._limit = limit
        self._last_event_id = last_event_id
        self._id = last_event_id  # the id buffer, seeded: read literally, a reconnect would forget the id
        self._retry: int | None = None
        self._begun = False  # the place of a byte order mark has been passed
        self._between = False  # nothing is held: the next byte starts a block
        self._closed = False
        self._after_cr = False
        self._mark = b""  # what may become a byte order mark
        self._line = 0  # offset of the line that has not ended
        self._rest: list[bytes] = []
        self._rest_size = 0
        self._look_at = 0  # size of the rest at which to see to the limit and to its pieces
        self._block = -1  # offset of the open block
        self._type = ""
        self._names_event = False  # the open block has an event or id field
        self._data: list[str] = []
        self._raw: list[str] = []
        self._raw_size = 0

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
        return self._line + self._rest_size + len(self._mark)

    def feed(self, chunk: bytes | bytearray | memoryview) -> list[Item]:
        """Take the next bytes of the body; return the items that they completed, in the order of their ends.

        Raises `EventTooLarge`, which carries the items completed before it, and `ValueError` after that or
        `close`.
        """
        if type(chunk) is not bytes:
            chunk = bytes(chunk)
        rest = self._rest
        if rest:
            if b"\n" not in chunk and b"\r" not in chunk:
                rest.append(chunk)
                self._rest_size += len(chunk)
                if self._rest_size > self._look_at:
                    self._look_after_rest([])
                return []
            if self._block < 0:
                rest.append(chunk)
                chunk = b"".join(rest)
                rest.clear()
                self._rest_size = 0
                self._between = True
        size = len(chunk)
        if (
            self._between
            and size <= self._limit
            and b"\r" not in chunk
            and (stop := _end_of_blocks(chunk)) >= 0
        ):
            start = self._line
            self._line = end = start + stop
            if stop < size:
                rest.append(chunk[stop:])
                self._rest_size = size - stop
                self._look_at = 0
                self._between = False
                if not stop:
                    return []
                chunk = chunk[:stop]
                size = stop
            eol = chunk.find(b"\n")
            if eol == size - 2:
                if chunk[:5] == b"data:":
                    data = chunk[6 if chunk[5] == _SPACE else 5 : -2].decode("utf-8", "replace")
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
        items = []
        if self._between and chunk[-4:] == b"\r\n\r\n" and self._read_crlf_block(chunk, items):
            return items
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
        start = self._line if self._block < 0 else self._block
        end = self.offset
        whole = self._block < 0 and self._line == end
        text = "".join(self._raw) + b"".join((self._mark, *self._rest)).decode("utf-8", "replace")
        self._shut(end)
        return [] if whole else [Tail(text, start, end)]

    def _read(self, chunk: bytes, items: list[Item]) -> None:
        """Join the read to what is held, give whole lines to the readers, hold the unterminated line."""
        if self._closed:
            raise ValueError("feed() on a closed parser")
        if not self._begun:
            chunk = self._mark + chunk
            if len(chunk) < len(_BOM) and _BOM.startswith(chunk):
                self._mark = chunk
                return
            self._begun = True
            self._mark = b""
            if chunk.startswith(_BOM):
                chunk = chunk[len(_BOM) :]
                self._line = len(_BOM)
        if self._after_cr and chunk:
            self._after_cr = False
            if chunk[0] == _LF:
                chunk = chunk[1:]
                self._line += 1
        stop = chunk.rfind(b"\n") + 1
        if b"\r" in chunk:
            stop = max(stop, chunk.rfind(b"\r") + 1)
            self._after_cr = chunk[-1] == _CR
        rest = self._rest
        if stop:
            lines = chunk if stop == len(chunk) else chunk[:stop]
            if rest:
                rest.append(lines)
                lines = b"".join(rest)
                rest.clear()
            start = self._line
            self._line = start + len(lines)
            self._rest_size = 0
            if self._raw_size + len(lines) > self._limit:
                self._read_within_limit(lines, start, items)
            elif lines.find(b"\n") == len(lines) - 1 and b"\r" not in lines:
                line = lines[:-1].decode("utf-8", "replace")
                self._read_lines((line,), (len(lines) - 1,), (1,), start, items)
            else:
                self._read_whole_lines(lines, start, items)
            chunk = chunk[stop:]
        if chunk:
            rest.append(chunk)
            self._rest_size += len(chunk)
            self._look_after_rest(items)
        self._between = self._block < 0 and not rest and not self._after_cr

    def _look_after_rest(self, items: list[Item]) -> None:
        """Apply the limit to what is held; join the pieces of the rest when it has grown by a quarter."""
        size = self._rest_size
        if self._raw_size + size > self._limit:
            raise self._too_large(self._raw_size + size, self._line, items)
        if len(self._rest) > 1000:
            self._rest[:] = [b"".join(self._rest)]
        self._look_at = min(self._limit - self._raw_size, size + size // 4 + 1000)

    def _read_within_limit(self, lines: bytes, start: int, items: list[Item]) -> None:
        """Read whole lines up to the one that makes a block too large, if one does."""
        passed, size = within_limit(lines, self._raw_size, self._limit)
        self._read_whole_lines(lines[:passed], start, items)
        if size > self._limit:
            raise self._too_large(size, start + passed, items)

    def _read_whole_lines(self, lines: bytes, start: int, items: list[Item]) -> None:
        """Choose the readers: the quick one for the run of whole blocks in the middle, if there is one."""
        if b"\r" in lines:
            self._read_lines(*split_lines(lines), start, items)
            return
        first = 0 if self._block < 0 else lines.find(b"\n\n") + 2
        last = lines.rfind(b"\n\n") + 2
        if last - first < 2:
            self._read_lines(*split_lines(lines), start, items)
            return
        if first:
            self._read_lines(*split_lines(lines[:first]), start, items)
        self._read_blocks(lines[first:last], start + first, items)
        if last < len(lines):
            self._read_lines(*split_lines(lines[last:]), start + last, items)

    def _read_blocks(self, blocks: bytes, start: int, items: list[Item]) -> None:
        """Read a run of blocks that starts between blocks, ends with a blank line and has no CR."""
        ends = blocks.count(b"\n")
        text = blocks.decode("utf-8", "replace")
        plain = len(text) == len(blocks)
        if text[:6] == "data: ":
            values = text.split("\n\ndata: ")
            if ends == 2 * len(values):
                cuts = values if plain else blocks.split(b"\n\ndata: ")
                items.extend(data_events(values, map(len, cuts), start, self._last_event_id))
                return
        lines = text.split("\n")
        lines.pop()
        sizes = list(map(len, lines if plain else blocks.split(b"\n")[:-1]))
        if ends % 2 == 0 and not any(lines[1::2]):
            self._read_blocks_of_one(lines, sizes, start, items)
        elif ends % 3 == 0 and not any(lines[2::3]):
            self._read_blocks_of_two(lines, sizes, start, items)
        else:
            self._read_lines(lines, sizes, repeat(1), start, items)

    def _read_crlf_block(self, chunk: bytes, items: list[Item]) -> bool:
        """Read what `feed` itself reads, with CRLF. False, and nothing done, if it is anything else."""
        size = len(chunk)
        eol = chunk.find(b"\r")
        name, at = "message", 0
        if eol != size - 4:
            if chunk[:7] != b"event: " or chunk[eol + 1] != _LF or chunk.find(b"\r", eol + 1) != size - 4:
                return False
            name, at = chunk[7:eol].decode("utf-8", "replace") or "message", eol + 2
        if (
            not chunk.startswith(b"data: ", at)
            or chunk.count(b"\n") != (3 if at else 2)
            or size > self._limit
        ):
            return False
        data = chunk[at + 6 : -4].decode("utf-8", "replace")
        items.append(_new(Event, (name, data, self._last_event_id, self._line, self._line + size - 1)))
        self._line += size
        return True

    def _read_blocks_of_one(self, lines: list[str], sizes: list[int], start: int, items: list[Item]) -> None:
        """Read blocks of which the second line is the blank one."""
        append = items.append
        for line, size in zip(lines[::2], sizes[::2], strict=True):
            end = start + size + 2
            if line[:6] == "data: ":
                append(_new(Event, ("message", line[6:], self._last_event_id, start, end)))
            elif line[:1] == ":":
                append(_new(Comment, (line[1:], start, end - 1)))
            elif line[:5] == "data:":
                append(_new(Event, ("message", line[5:], self._last_event_id, start, end)))
            elif line and line[0] not in _FIELD_LETTERS:
                append(_new(Ignored, (line, start, end - 1)))
            elif line:
                self._read_lines((line, ""), (size, 0), repeat(1), start, items)
            start = end

    def _read_blocks_of_two(self, lines: list[str], sizes: list[int], start: int, items: list[Item]) -> None:
        """Read blocks of which the third line is the blank one."""
        append = items.append
        last_event_id = self._last_event_id
        for first, second, size, more in zip(lines[::3], lines[1::3], sizes[::3], sizes[1::3], strict=True):
            end = start + size + more + 3
            if second[:6] == "data: " and first[:7] == "event: ":
                append(_new(Event, (first[7:] or "message", second[6:], last_event_id, start, end)))
            elif second[:6] == "data: " and first[:4] == "id: " and "\0" not in first:
                self._id = self._last_event_id = last_event_id = first[4:]
                append(_new(Event, ("message", second[6:], last_event_id, start, end)))
            else:
                self._read_lines((first, second, ""), (size, more, 0), repeat(1), start, items)
                last_event_id = self._last_event_id
            start = end

    def _read_lines(
        self, lines: Iterable[str], sizes: Iterable[int], widths: Iterable[int], start: int, items: list[Item]
    ) -> None:
        """Read whole lines by the standard's rules.

        `sizes` are the lines' sizes in bytes, `widths` those of their line ends. One long loop over local names:
        a call for each line would cost more than what it does.
        """
        append = items.append
        block = self._block
        values = self._data
        held: list[str] = []
        held_size = 0
        for line, size, width in zip(lines, sizes, widths, strict=False):
            if line[:6] == "data: ":
                if block < 0:
                    block = start
                values.append(line[6:])
                held.append(line)
                held_size += size + 1
            elif not line:
                self._last_event_id = self._id
                if values:
                    data = values[0] if len(values) == 1 else "\n".join(values)
                    append(_new(Event, (self._type or "message", data, self._id, block, start + 1)))
                    self._data = values = []
                elif self._names_event:
                    append(NoData(self._type, self._id, block, start + 1))
                if block >= 0:
                    block = -1
                    self._type = ""
                    self._names_event = False
                    held = []
                    held_size = 0
                    if self._raw_size:
                        self._raw = []
                        self._raw_size = 0
            elif line[0] == ":":
                append(_new(Comment, (line[1:], start, start + size + 1)))
            elif line[0] not in _FIELD_LETTERS:
                if block < 0:
                    block = start
                append(_new(Ignored, (line, start, start + size + 1)))
            elif line[:7] == "event: ":
                if block < 0:
                    block = start
                self._type = line[7:]
                self._names_event = True
                held.append(line)
                held_size += size + 1
            else:
                if block < 0:
                    block = start
                name, _, value = line.partition(":")
                if value[:1] == " ":
                    value = value[1:]
                if name == "data":
                    values.append(value)
                elif name == "event":
                    self._type = value
                    self._names_event = True
                elif name == "id" and "\0" not in value:
                    self._id = value
                    self._names_event = True
                elif name == "retry" and value.isascii() and value.isdigit():
                    self._retry = milliseconds(value)
                    append(Retry(self._retry, start, start + size + 1))
                    start += size + width
                    continue
                else:
                    append(_new(Ignored, (line, start, start + size + 1)))
                    start += size + width
                    continue
                held.append(line)
                held_size += size + 1
            start += size + width
        self._block = block
        if held:
            self._raw.append("\n".join(held) + "\n")
            self._raw_size += held_size

    def _too_large(self, size: int, line: int, items: list[Item]) -> EventTooLarge:
        """Close the parser over an event that outgrew the limit."""
        start = self._block if self._block >= 0 else line
        self._shut(self.offset)
        return EventTooLarge(size, self._limit, start, items)

    def _shut(self, offset: int) -> None:
        """Let go of all that is held and take no more."""
        self._closed = True
        self._between = False
        self._block = -1
        self._line = offset
        self._mark = b""
        self._rest = []
        self._rest_size = 0
        self._data = []
        self._raw = []


def _end_of_blocks(chunk: bytes) -> int:
    """Where the last whole block ends, 0 if none does; -1 if what stands behind it cannot wait as it is.

    What can wait: part of a line, or one line that has no effect before its block ends and part of a second.
    """
    if chunk[-2:] == b"\n\n":
        return len(chunk)
    stop = chunk.rfind(b"\n\n") + 2
    if stop == 1:
        stop = 0
    eol = chunk.find(b"\n", stop)
    if eol < 0 or (chunk.startswith(_WAITING, stop) and chunk.find(b"\n", eol + 1) < 0):
        return stop
    return -1
