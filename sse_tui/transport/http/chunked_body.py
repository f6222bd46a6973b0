"""A chunked body as curl reads it: by llhttp where that can, which is five times as fast as Python, else by our own."""

from __future__ import annotations

import re

import httptools

from sse_tui.recording.chunked import ChunkedError, Dechunker
from sse_tui.recording.records import Irregularity

_HEAD = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
_REGULAR = re.compile(rb"[0-9A-Fa-f]+(?:[ \t]*|;\S*)\r")
_SIZE_LINE_LIMIT = 4096
_BESIDES_LIMIT = 64 * 1024
_WATCHED = 64 * 1024


class ChunkedBody:
    """Feed it the coded body; it gives the bytes within. `complete` once its end came, `broken` says what is wrong.

    `irregular` is what was read although the grammar does not have it. The first size line decides who reads: llhttp
    has no leniency for lines that end with LF alone, nor for spaces in extensions, and who writes one such line writes
    them all.
    """

    def __init__(self) -> None:
        self._begun = b""
        self._reading: _Llhttp | Dechunker | None = None
        self.broken = ""

    @property
    def complete(self) -> bool:
        """The last chunk and the trailers came."""
        return self._reading is not None and self._reading.complete

    @property
    def irregular(self) -> set[Irregularity]:
        """What was not regular so far."""
        return self._reading.irregular if self._reading is not None else set()

    def feed(self, data: bytes) -> bytes:
        """The decoded bytes in `data`; nothing more may be fed once the body is `complete` or `broken`."""
        if self._reading is None:
            self._begun += data
            line, ended, _ = self._begun.partition(b"\n")
            if not ended and len(line) < _SIZE_LINE_LIMIT:
                return b""
            self._reading = _Llhttp() if _REGULAR.fullmatch(line) else Dechunker()
            data, self._begun = self._begun, b""
        try:
            return self._reading.feed(data)
        except ChunkedError as error:
            self.broken = str(error)
            return error.before


class _Llhttp:
    """As a `Dechunker`, but for what llhttp is not lenient about."""

    def __init__(self) -> None:
        self.complete = False
        self.irregular: set[Irregularity] = set()
        self._pieces: list[bytes] = []
        self._besides = 0
        self._parser = httptools.HttpResponseParser(self)
        # Fixed-width size lines are padded with spaces, but not where the size is long.
        self._parser.set_dangerous_leniencies(
            lenient_spaces_after_chunk_size=True, lenient_optional_cr_before_lf=True
        )
        self._parser.feed_data(_HEAD)
        # A strict one beside it, for a while, tells whether leniency was needed.
        self._watch: _Watch | None = _Watch()

    def feed(self, data: bytes) -> bytes:
        error = ""
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as exc:
            if not self.complete:  # what comes after the end of the response does not matter
                error = str(exc) or type(exc).__name__
        body = b"".join(self._pieces) if len(self._pieces) != 1 else self._pieces[0]
        self._pieces.clear()
        # httptools collects trailers.
        self._besides = 0 if body else self._besides + len(data)
        if self._besides > _BESIDES_LIMIT and not self.complete:
            error = f"the trailers, or a chunk's extensions, are longer than {_BESIDES_LIMIT} bytes"
        if error:
            raise ChunkedError(error[:1].lower() + error[1:], body)
        if self._watch is not None:
            if kind := self._watch.irregularity(data):
                self.irregular.add(kind)
            if kind or self._watch.seen > _WATCHED:
                self._watch = None
        return body

    # httptools calls these.

    def on_body(self, body: bytes) -> None:
        if not self.complete:
            self._pieces.append(body)

    def on_message_complete(self) -> None:
        self.complete = True


class _Watch:
    """The same body by the letter of the standard."""

    def __init__(self) -> None:
        self.seen = 0
        self._over = False
        self._parser = httptools.HttpResponseParser(self)
        self._parser.feed_data(_HEAD)

    def irregularity(self, data: bytes) -> Irregularity | None:
        """What a strict reader refuses in the next bytes; None for nothing."""
        self.seen += len(data)
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            if not self._over:
                spaces = str(error) == "Invalid character in chunk size"
                return Irregularity.SPACE_AFTER_SIZE if spaces else Irregularity.LF_IN_CHUNKED
        return None

    def on_message_complete(self) -> None:
        self._over = True
