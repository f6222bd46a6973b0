"""Content codings of a response body: records keep the encoded bytes, the parser needs them decoded.

Only those that the standard library can decode (gzip, deflate). An unknown coding is reported, and its bytes are
passed through, so that there is something to look at.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable

from sse_tui import fields

# The most that one read may expand to. 64 KiB of gzip expand to 66 MiB at most; more takes several codings.
MOST = 128 * 2**20
_GZIP_MAGIC = b"\x1f\x8b"


class ContentDecoder:
    """Decodes the body of one response read by read, returning whatever can be decoded so far."""

    def __init__(self, headers: Iterable[tuple[str, str]]) -> None:
        """`headers` are those of the response; several ``content-encoding`` fields form one list."""
        codings = [coding.lower() for coding in fields.elements(headers, "content-encoding")]
        self.codings = tuple(coding for coding in codings if coding != "identity")
        self.damage: str | None = None
        known = [coding in ("gzip", "x-gzip", "deflate") for coding in codings]
        self._stages = (
            [_Deflate() if coding == "deflate" else _Gzip() for coding in reversed(codings)]
            if all(known)
            else []
        )
        if not all(known):
            self.damage = f"cannot decode content-encoding: {', '.join(codings)}"

    @property
    def identity(self) -> bool:
        """True if there is nothing to decode: the bytes of the records are those of the event stream."""
        return not self._stages

    @property
    def unfinished(self) -> bool:
        """True if the encoded data has started but not ended, so something is missing."""
        return self.damage is None and any(stage.unfinished for stage in self._stages)

    def decode(self, data: bytes) -> bytes:
        """The bytes that `data` decodes to; b"" once the encoded data has turned out to be damaged (see `damage`)."""
        if not self._stages or not data:
            return data
        if self.damage is not None:
            return b""
        try:
            for stage in self._stages:
                data = stage.decompress(data)
        except zlib.error as exc:
            self.damage = f"the body is not valid {', '.join(self.codings)}: {exc}"
            return b""
        return data


class _Deflate:
    """By RFC 9110 "deflate" is the zlib format, but some servers send raw deflate; the first bytes show which."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj()
        self._first = True

    @property
    def unfinished(self) -> bool:
        return not self._first and not self._inner.eof

    def decompress(self, data: bytes) -> bytes:
        try:
            out = _expand(self._inner, data)
        except zlib.error:
            if not self._first:
                raise
            self._inner = zlib.decompressobj(-zlib.MAX_WBITS)
            out = _expand(self._inner, data)
        self._first = False
        return out


class _Gzip:
    """gzip, also with several members in a row. As in browsers, anything else after a member is ignored."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(zlib.MAX_WBITS | 16)
        self._begun = self._over = False

    @property
    def unfinished(self) -> bool:
        return self._begun and not self._inner.eof

    def decompress(self, data: bytes) -> bytes:
        if self._over:
            return b""
        self._begun = True
        out = _expand(self._inner, data)
        while self._inner.eof and self._inner.unused_data:
            rest = self._inner.unused_data
            if not _GZIP_MAGIC.startswith(rest[:2]):
                self._over = True
                break
            self._inner = zlib.decompressobj(zlib.MAX_WBITS | 16)
            out += _expand(self._inner, rest)
        return out


def _expand(inner: zlib._Decompress, data: bytes) -> bytes:
    out = inner.decompress(data, MOST)
    if inner.unconsumed_tail:
        raise zlib.error(f"one read expands to more than {MOST} bytes")
    return out
