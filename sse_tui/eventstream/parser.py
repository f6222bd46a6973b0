"""Event stream parser: bytes in, items out.

Strategy
========

No I/O and no clock: the caller feeds whatever a read returned, in pieces of any size, and gets the items that this
piece completed. The result depends only on the bytes, never on how they were cut into pieces.

All work is done on bytes, so that sizes are offsets. CR and LF cannot occur inside a multi-byte character, so lines can
be cut before they are decoded, and decoding a single value with U+FFFD for each maximal subpart gives the same result
as decoding the stream. So there is no decoder state between reads, and only what becomes part of an item is decoded.

A read goes through these steps:

- `feed` cuts it after its last line end. What follows is the rest: it is kept as a list of pieces, and a read without a
  line end is just appended, so that a long line in small pieces takes linear time;
- `_read_any_ends` converts the line ends of the complete lines to LF. Nearly always they are all the same, so that a
  single width keeps the offsets exact; otherwise the lines are read in runs with equal line ends;
- `_read` joins the rest with the lines and chooses a reader: `_read_block` for the usual read, one small event;
  `lone_lines` for a run of heartbeats or of lines that do not belong to an event stream; and for everything else
  `_read_lines`, the only one that knows all rules of the standard. All make the same items.

Of a block that has not ended, `_data` holds the values of its data lines and `_raw` all its lines unchanged, for the
`Tail` if the body ends here. The limit applies to `_raw` and the rest together: each ``data``, ``event`` and ``id``
line counts with one byte for its end, whichever it had, and so does the current line. A comment or an ignored line does
not count once it has ended; `_raw` drops those when it seems to be too large. The limit applies to blocks that arrive
complete in one read as well, so that the pieces do not decide whether an event is accepted.
"""

from __future__ import annotations

from sse_tui.eventstream.errors import EventTooLarge
from sse_tui.eventstream.items import Comment, Event, Ignored, Item, NoData, Tail
from sse_tui.eventstream.lines import held_lines, lone_lines, retry_of, runs_of_ends, within_limit
from sse_tui.limits import MAX_EVENT_BYTES

_BOM = b"\xef\xbb\xbf"
_WINDOW = 2**17  # a huge read is split into lines in pieces, not into one list of millions
_LF, _CR, _SPACE, _COLON, _D, _E, _I = b"\n\r :dei"
_FIELD_LETTERS = b"deir"  # what data, event, id and retry start with
_MARK, _END = -1, -2  # see `_ahead`
_new = tuple.__new__  # half the cost of calling the named tuple


class Parser:
    """Reads one event stream body.

    `limit` is the most that is held of an event that has not ended, in bytes. `last_event_id` is the last event ID
    string of the previous connection, which events inherit until the stream sets another.
    """

    # fmt: off
    __slots__ = (
        "_ahead", "_block", "_data", "_id", "_last_event_id", "_limit", "_line", "_look_at", "_mark", "_names_event",
        "_raw", "_raw_held", "_raw_size", "_rest", "_rest_size", "_retry", "_type",
    )
    # fmt: on

    def __init__(self, limit: int = MAX_EVENT_BYTES, last_event_id: str = "") -> None:
        self._limit = limit
        self._last_event_id = last_event_id
        self._id = last_event_id  # read literally, the standard would forget the ID on reconnect
        self._retry: int | None = None
        self._ahead = _MARK  # what the next byte may complete: a byte order mark, CRLF; or the end
        self._mark = b""  # the beginning of what may be a byte order mark
        self._line = 0  # offset of the line that has not ended
        self._rest: list[bytes] = []
        self._rest_size = 0
        self._look_at = 0  # size of the rest from which to check the limit and join its pieces
        self._block = -1  # offset of the open block
        self._type = ""
        self._names_event = False  # the open block has an event or id field
        self._data: list[bytes] = []
        self._raw: list[bytes] = []
        self._raw_size = 0
        self._raw_held = 0  # how many of the raw pieces contain only lines that count towards the limit

    @property
    def last_event_id(self) -> str:
        """The last event ID string as of the last blank line. A reconnect sends it unless it is empty."""
        return self._last_event_id

    @property
    def retry(self) -> int | None:
        """The reconnection time in milliseconds that the stream set last; None if it set none."""
        return self._retry

    @property
    def offset(self) -> int:
        """How many bytes of the body have been fed."""
        return self._line + self._rest_size + len(self._mark)

    def feed(self, chunk: bytes | bytearray | memoryview) -> list[Item]:
        """Take the next bytes of the body; return the items that they completed, in the order of their ends.

        Raises `EventTooLarge`, which carries the items completed before it, and `ValueError` after that or
        `close`.
        """
        if type(chunk) is not bytes:
            chunk = bytes(chunk)
        if self._ahead:
            chunk = self._check_first_byte(chunk)
        has_cr = _CR in chunk
        if not has_cr and _LF not in chunk:
            if chunk:
                self._rest.append(chunk)
                self._rest_size += len(chunk)
                if self._rest_size > self._look_at:
                    self._check_rest([])
            return []
        size = stop = len(chunk)
        if size > _WINDOW:
            return self._feed_in_windows(chunk)
        last = chunk[-1]
        if last == _CR:
            self._ahead = _LF
        elif last != _LF:
            stop = chunk.rfind(b"\n") + 1
            if has_cr:
                cr = chunk.rfind(b"\r", stop)
                stop = cr + 1 if cr >= 0 else stop
        lines = chunk if stop == size else chunk[:stop]
        if self._raw_size + self._rest_size + stop > self._limit:
            items = self._read_within_limit(lines)
        elif has_cr:
            items = self._read_any_ends(lines)
        else:
            items = self._read(lines, 1, stop)
        if stop < size:
            self._rest.append(chunk[stop:])
            self._rest_size = size = size - stop
            if self._raw_size + size > self._limit:
                self._check_rest(items)
        return items

    def close(self) -> list[Item]:
        """The body has ended: return what is unfinished as a `Tail`. Does not commit an id."""
        if self._ahead == _END:
            return []
        start = self._line if self._block < 0 else self._block
        end = self.offset
        whole = self._block < 0 and self._line == end
        if not whole:
            self._drop_lines_not_held()
        text = b"".join((*self._raw, self._mark, *self._rest)).decode("utf-8", "replace")
        self._shut(end)
        return [] if whole else [Tail(text, start, end)]

    def _check_first_byte(self, chunk: bytes) -> bytes:
        """Remove what is not part of this read's lines: a byte order mark, or the LF after a CR in the read before."""
        if self._ahead == _END:
            raise ValueError("feed() on a closed parser")
        if self._ahead == _MARK:
            chunk = self._mark + chunk
            if len(chunk) < len(_BOM) and _BOM.startswith(chunk):
                self._mark = chunk
                return b""
            self._mark = b""
            taken = len(_BOM) if chunk.startswith(_BOM) else 0
        elif not chunk:
            return chunk
        else:
            taken = 1 if chunk[0] == _LF else 0
        self._ahead = 0
        self._line += taken
        return chunk[taken:]

    def _feed_in_windows(self, chunk: bytes) -> list[Item]:
        """Feed a huge read in pieces, so that its lines do not become a list of millions."""
        items: list[Item] = []
        for at in range(0, len(chunk), _WINDOW):
            try:
                items += self.feed(chunk[at : at + _WINDOW])
            except EventTooLarge as error:
                error.items[:0] = items
                raise
        return items

    def _check_rest(self, items: list[Item]) -> None:
        """Apply the limit to what is held, and join the pieces of the rest. Due whenever it has grown by a quarter."""
        size = self._rest_size
        if self._raw_size + size > self._limit:
            self._drop_lines_not_held()
            if self._raw_size + size > self._limit:
                raise self._too_large(self._raw_size + size, self._line, items)
        if len(self._rest) > 1000:
            self._rest[:] = [b"".join(self._rest)]
        self._look_at = min(self._limit - self._raw_size, size + size // 4 + 1000)

    def _read_within_limit(self, lines: bytes) -> list[Item]:
        """Read complete lines, up to the one that makes a block too large, if any."""
        self._drop_lines_not_held()
        passed, size = within_limit(b"".join((*self._rest, lines)), self._raw_size, self._limit)
        items = self._read_any_ends(lines[: passed - self._rest_size]) if passed else []
        if size > self._limit:
            raise self._too_large(size, self._line, items)
        return items

    def _read_any_ends(self, lines: bytes) -> list[Item]:
        """Read complete lines that end with LF, CR or CRLF."""
        size = len(lines)
        if _CR not in lines:
            return self._read(lines, 1, size)
        if _LF not in lines:
            return self._read(lines.replace(b"\r", b"\n"), 1, size)
        with_lf = lines.replace(b"\r", b"")
        if with_lf.replace(b"\n", b"\r\n") == lines:  # ten times as fast as searching for CRLF
            return self._read(with_lf, 2, size)
        items: list[Item] = []
        for run in runs_of_ends(lines):
            items += self._read_any_ends(run)
        return items

    def _read(self, lines: bytes, width: int, size: int) -> list[Item]:
        """Read complete lines, the first of which continues the rest.

        They end with LF here; in the body each line end has `width` bytes, and all lines together have `size`.
        """
        rest = self._rest
        if rest:
            rest.append(lines)
            lines = b"".join(rest)
            rest.clear()
            size += self._rest_size
            self._rest_size = 0
        self._look_at = 0
        start = self._line
        self._line = start + size
        between = self._block < 0
        first = lines[0]
        if between and first == _LF:  # blank lines between blocks
            ends = len(lines)
            lines = lines.lstrip(b"\n")
            if not lines:
                return []
            start += (ends - len(lines)) * width
            first = lines[0]
        if first in _FIELD_LETTERS:
            if between and lines[-2] == _LF:
                event = self._read_block(lines, start, self._line - width + 1)
                if event:
                    return [event]
        elif first != _LF:
            items = lone_lines(lines, width, start, between)
            if items:
                if between and first != _COLON and lines[-2] != _LF:
                    self._block = start
                return items
        return self._read_lines(lines, width, start)

    def _read_block(self, block: bytes, start: int, end: int) -> Event | None:
        """Read a block of one data line, optionally after an ``event`` or ``id`` line; None if it is anything else."""
        name, event_id, at = "message", self._last_event_id, 0
        eol = block.find(b"\n")
        last = len(block) - 2
        if eol != last:
            at = eol + 1
            if block.find(b"\n", at) != last or block[at : at + 6] != b"data: ":
                return None
            if block[:7] == b"event: ":
                name = block[7:eol].decode("utf-8", "replace") or "message"
            elif block[:4] == b"id: " and 0 not in block:
                self._id = self._last_event_id = event_id = block[4:eol].decode("utf-8", "replace")
            else:
                return None
        elif block[:5] != b"data:":
            return None
        at += 6 if block[at + 5] == _SPACE else 5
        return _new(Event, (name, block[at:last].decode("utf-8", "replace"), event_id, start, end))

    def _read_lines(self, lines: bytes, width: int, start: int) -> list[Item]:
        """Read complete lines by the rules of the standard.

        One long loop over local names: a function call per line would cost more than the work itself.
        """
        items: list[Item] = []
        append = items.append
        first_line = start
        block = self._block
        values = self._data
        name, event_id = self._type, self._id
        names_event = self._names_event
        cuts = lines.split(b"\n")
        cuts.pop()
        for line in cuts:
            if not line:
                if block >= 0:
                    if values:
                        data = values[0] if len(values) == 1 else b"\n".join(values)
                        text = data.decode("utf-8", "replace")
                        append(_new(Event, (name or "message", text, event_id, block, start + 1)))
                        values = []
                    elif names_event:
                        append(_new(NoData, (name, event_id, block, start + 1)))
                    if names_event:
                        self._last_event_id = event_id
                        names_event = False
                        name = ""
                    block = -1
                start += width
                continue
            first = line[0]
            if first == _D and line[:6] == b"data: ":
                values.append(line[6:])
            elif first == _COLON:
                end = start + len(line) + 1
                append(_new(Comment, (line[1:].decode("utf-8", "replace"), start, end)))
                start = end if width == 1 else end + 1
                continue
            elif first == _E and line[:7] == b"event: ":
                name = line[7:].decode("utf-8", "replace")
                names_event = True
            elif first == _I and line[:4] == b"id: " and 0 not in line:
                event_id = line[4:].decode("utf-8", "replace")
                names_event = True
            elif first not in _FIELD_LETTERS:
                append(_new(Ignored, (line.decode("utf-8", "replace"), start, start + len(line) + 1)))
            else:
                field, _, value = line.partition(b":")
                if value[:1] == b" ":
                    value = value[1:]
                if field == b"data":
                    values.append(value)
                elif field == b"retry" and value.isdigit():
                    retry = retry_of(value, start, start + len(line) + 1)
                    self._retry = retry.ms
                    append(retry)
                elif field == b"event":
                    name = value.decode("utf-8", "replace")
                    names_event = True
                elif field == b"id" and 0 not in value:
                    event_id = value.decode("utf-8", "replace")
                    names_event = True
                else:
                    append(_new(Ignored, (line.decode("utf-8", "replace"), start, start + len(line) + 1)))
            if block < 0:
                block = start
            start += len(line) + width
        self._block = block
        self._data = values
        self._type = name
        self._id = event_id
        self._names_event = names_event
        if self._raw and (block < 0 or block >= first_line):
            self._raw = []
            self._raw_size = self._raw_held = 0
        if block >= 0:
            blank = lines.rfind(b"\n\n") if block >= first_line else -1
            if blank >= 0:
                lines = lines[blank + 2 :]
            self._raw.append(lines)
            self._raw_size += len(lines)
        return items

    def _drop_lines_not_held(self) -> None:
        """Keep only those lines of the open block that count towards the limit and become the tail."""
        for at in range(self._raw_held, len(self._raw)):
            held = held_lines(self._raw[at])
            self._raw_size -= len(self._raw[at]) - len(held)
            self._raw[at] = held
        self._raw_held = len(self._raw)

    def _too_large(self, size: int, line: int, items: list[Item]) -> EventTooLarge:
        """Close the parser because an event exceeds the limit."""
        start = self._block if self._block >= 0 else line
        self._shut(self.offset)
        return EventTooLarge(size, self._limit, start, items)

    def _shut(self, offset: int) -> None:
        """Drop everything that is held and accept no more."""
        self._ahead = _END
        self._block = -1
        self._line = offset
        self._mark = b""
        self._rest = []
        self._rest_size = 0
        self._data = []
        self._raw = []
