"""Content codings of a response body: records keep the coded bytes, readers of events need them decoded.

Only what the standard library decodes (gzip, deflate). A coding that is not known is reported as such and its bytes
are passed through, so that a viewer shows what came instead of nothing.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable

from sse_tui import fields

# What one read may grow to: 64 KiB expand to 66 MiB at most, and more only where codings are stacked on purpose.
MOST = 128 * 2**20
_GZIP_MAGIC = b"\x1f\x8b"


class ContentDecoder:
    """Decodes the body of one response, read by read, without holding back what can be decoded."""

    def __init__(self, headers: Iterable[tuple[str, str]]) -> None:
        """`headers` are the response's; several ``content-encoding`` fields are one list."""
        codings = [coding.lower() for coding in fields.elements(headers, "content-encoding")]
        self.codings = tuple(coding for coding in codings if coding != "identity")
        self.damage: str | None = None
        known = [coding in ("gzip", "x-gzip", "deflate") for coding in codings]
        self._stages = [_inflater(coding) for coding in reversed(codings)] if all(known) else []
        if not all(known):
            self.damage = f"cannot decode content-encoding: {', '.join(codings)}"

    @property
    def identity(self) -> bool:
        """True when nothing is decoded: the bytes of the records are the bytes of the event stream."""
        return not self._stages

    @property
    def unfinished(self) -> bool:
        """True when coded data has begun and its end has not come, so that something is missing."""
        return self.damage is None and any(stage.unfinished for stage in self._stages)

    def decode(self, data: bytes) -> bytes:
        """The decoded bytes that `data` completes; b"" after the coding turned out damaged (see `damage`)."""
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
    """HTTP's "deflate" is zlib by the book and raw deflate in practice; the first bytes tell which."""

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
    """gzip, several members in a row included; what follows them is no member and is let go, as browsers do."""

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


def _inflater(coding: str) -> _Gzip | _Deflate:
    return _Deflate() if coding == "deflate" else _Gzip()
