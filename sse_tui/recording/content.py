"""Codings of a response body: records keep the encoded bytes, the parser needs them decoded.

Content codings, and the same as transfer codings, which are put on after those (RFC 9112, section 7): some servers send
``Transfer-Encoding: gzip, chunked``.

Only those that the standard library can decode (gzip, deflate). An unknown coding is reported, and its bytes are
passed through, so that there is something to look at. What a body expands to is bounded (see `limits`), and is given
in slices, so that a few bytes neither fill the memory nor keep the program busy.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from sse_tui import fields
from sse_tui.limits import EXPANSION_BYTES, EXPANSION_LINES, EXPANSION_LINES_RATIO, EXPANSION_RATIO

SLICE = 16 * 1024
"""The most bytes that are decoded at once: a signal is obeyed between two slices, each perhaps of 8,000 lines."""

DECODABLE = frozenset(("gzip", "x-gzip", "deflate"))
"""The codings that can be decoded."""

_GZIP_MAGIC = b"\x1f\x8b"
_TEXT = re.compile(rb"(?:\xef\xbb\xbf)?[\t\r\n -~]")
_BEGINNING = re.compile(
    rb"(?:\xef\xbb\xbf)?\s{0,64}(?:data: |data:[{\[]|event: |id: |retry: ?\d|: ?[ -~]|\{\s*\"|\[\s*[{\[\"]|<[!?a-z])",
    re.I,
)


class ContentDecoder:
    """Decodes the body of one response read by read, returning whatever can be decoded so far.

    `damage` is what is wrong with the coding, None for nothing. `runaway`: the damage is that the body expands beyond
    what a real stream does, so that decoding it was given up. `stale`: the body is plain text although the headers name
    a coding, as behind a proxy that decodes the body and forwards the header; it is passed through.
    """

    def __init__(self, headers: Iterable[tuple[str, str]]) -> None:
        """`headers` are those of the response; several fields of one name form one list."""
        given = list(headers)
        codings = [coding.lower() for coding in fields.elements(given, "content-encoding")]
        transfer = [coding.lower() for coding in fields.elements(given, "transfer-encoding")]
        codings += [coding for coding in transfer if coding != "chunked"]
        self.codings = tuple(coding for coding in codings if coding != "identity")
        self.damage: str | None = None
        self.runaway = self.stale = False
        self._begun = False
        self._coded = self._decoded = self._lines = 0
        known = [coding in DECODABLE for coding in self.codings]
        self._stages: Sequence[_Stage] = (
            [_Deflate() if coding == "deflate" else _Gzip() for coding in reversed(self.codings)]
            if all(known)
            else []
        )
        if not all(known):
            self.damage = f"cannot decode the coding {', '.join(self.codings)}"

    @property
    def identity(self) -> bool:
        """True if there is nothing to decode: the bytes of the records are those of the event stream."""
        return not self._stages

    @property
    def unfinished(self) -> bool:
        """True if the encoded data has started but not ended, so something is missing."""
        return self.damage is None and not self.stale and any(stage.unfinished for stage in self._stages)

    def decode(self, data: bytes) -> bytes:
        """The bytes that `data` decodes to; b"" once the encoded data has turned out to be damaged (see `damage`)."""
        return data if not self._stages else b"".join(self.slices(data))

    def slices(self, data: bytes) -> Iterator[bytes]:
        """The same in pieces of at most `SLICE` bytes, decoded one by one; all of it where there is no coding."""
        if not self._stages:
            if data:
                yield data
            return
        if data and not self._begun:
            self._begun = True
            self.stale = _is_plain(self.codings[-1], data)
        if self.stale:
            yield from (data[at : at + SLICE] for at in range(0, len(data), SLICE))
            return
        if self.damage is not None:
            return
        self._coded += len(data)
        try:
            yield from self._through(self._stages, data)
        except zlib.error as exc:
            self.damage = f"the body is not valid {', '.join(self.codings)}: {exc}"
        except _Runaway as exc:
            self.damage, self.runaway = str(exc), True

    def _through(self, stages: Sequence[_Stage], data: bytes) -> Iterator[bytes]:
        stage, rest = stages[0], stages[1:]
        for piece in stage.pieces(data):
            # What any of several codings makes counts: the last may swallow all of it.
            self._decoded += len(piece)
            most = EXPANSION_BYTES + EXPANSION_RATIO * self._coded
            if self._decoded > most:
                raise _Runaway(f"{self._coded:,} bytes expand to more than {most:,}")
            if rest:
                yield from self._through(rest, piece)
                continue
            self._lines += max(piece.count(b"\n"), piece.count(b"\r"))
            most = EXPANSION_LINES + EXPANSION_LINES_RATIO * self._coded
            if self._lines > most:
                raise _Runaway(f"{self._coded:,} bytes expand to more than {most:,} lines")
            yield piece


def _is_plain(coding: str, first: bytes) -> bool:
    """Whether a body is text by its first bytes, not data under this coding.

    Those of gzip are no text. Raw deflate may begin with any byte, so there it takes the beginning of a field, of JSON
    or of a page.
    """
    return (_BEGINNING if coding == "deflate" else _TEXT).match(first) is not None


class _Runaway(Exception):  # noqa: N818
    """The body expands beyond the limits."""


class _Deflate:
    """By RFC 9110 "deflate" is the zlib format, but some servers send raw deflate; the first two bytes show which."""

    def __init__(self) -> None:
        self._inner: zlib._Decompress | None = None
        self._begun = b""

    @property
    def unfinished(self) -> bool:
        return not self._inner.eof if self._inner is not None else bool(self._begun)

    def pieces(self, data: bytes) -> Iterator[bytes]:
        if self._inner is None:
            self._begun += data
            if len(self._begun) < 2:
                return
            data = self._begun
            # RFC 1950, section 2.2: the method is 8, and the two bytes are a multiple of 31.
            wrapped = data[0] & 15 == 8 and int.from_bytes(data[:2], "big") % 31 == 0
            self._inner = zlib.decompressobj(zlib.MAX_WBITS if wrapped else -zlib.MAX_WBITS)
        yield from _expand(self._inner, data)


class _Gzip:
    """gzip, also with several members in a row. As in browsers, anything else after a member is ignored."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(zlib.MAX_WBITS | 16)
        self._begun = self._over = False

    @property
    def unfinished(self) -> bool:
        return self._begun and not self._inner.eof

    def pieces(self, data: bytes) -> Iterator[bytes]:
        if self._over:
            return
        self._begun = True
        yield from _expand(self._inner, data)
        while self._inner.eof and self._inner.unused_data:
            rest = self._inner.unused_data
            if not _GZIP_MAGIC.startswith(rest[:2]):
                self._over = True
                break
            self._inner = zlib.decompressobj(zlib.MAX_WBITS | 16)
            yield from _expand(self._inner, rest)


_Stage: TypeAlias = _Deflate | _Gzip


def _expand(inner: zlib._Decompress, data: bytes) -> Iterator[bytes]:
    while True:
        out = inner.decompress(data, SLICE)
        if out:
            yield out
        data = inner.unconsumed_tail
        # With its input used up, zlib may still hold output that did not fit.
        if not data and len(out) < SLICE:
            return
