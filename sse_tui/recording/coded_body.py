"""Masks secrets in a body with a content coding: decoded, masked and encoded anew, read by read.

What a read decodes to keeps its size and its place, and the body ends, or breaks off, where it did; only the encoded
bytes are not the server's. A secret that is masked in the middle of a compressed stream leaves no other way: what
follows refers back to it.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable

from sse_tui.recording.content import ContentDecoder
from sse_tui.recording.records import Headers

# As a block of deflate of a reserved type, and no beginning of a gzip member.
_INVALID = b"\xff"
_WINDOW_BITS = {"gzip": zlib.MAX_WBITS | 16, "x-gzip": zlib.MAX_WBITS | 16, "deflate": zlib.MAX_WBITS}


def recoded(headers: Headers, data: bytes, mask: Callable[[bytes], bytes]) -> bytes | None:
    """A whole body under a content coding, masked; None if it is not complete, or cannot be decoded here.

    The size of what it decodes to may change. If nothing is masked, it is the same body.
    """
    decoder = ContentDecoder(headers)
    decoded = decoder.decode(data)
    if decoder.identity or decoder.damage is not None or decoder.unfinished:
        return None
    masked = mask(decoded)
    if masked == decoded:
        return data
    if decoder.stale:
        return masked
    for coding in decoder.codings:
        encoder = zlib.compressobj(6, zlib.DEFLATED, _WINDOW_BITS[coding])
        masked = encoder.compress(masked) + encoder.flush()
    return masked


class CodedBody:
    """One body under the content coding of its `headers`; `mask` gives back the next bytes of it, masked, size kept."""

    def __init__(self, headers: Headers, mask: Callable[[bytes], bytes]) -> None:
        self._decoder = ContentDecoder(headers)
        self._mask = mask
        self._encoders: list[zlib._Compress] = []
        self._ended = False

    @property
    def plain(self) -> bool:
        """True if there is nothing to decode, or nothing that can be decoded here."""
        return self._decoder.identity

    def masked(self, data: bytes) -> bytes:
        """The read that takes the place of `data`.

        What decodes to nothing, since it is damaged or follows the end, becomes bytes that do the same.
        """
        out: list[bytes] = []
        begun = False
        for piece in self._decoder.slices(data):
            if self._decoder.stale:  # plain text that only claims to be coded: it stays that
                out.append(self._mask(piece))
                continue
            begun = True
            out.append(self._encode(self._mask(piece)))
        if self._decoder.stale:
            return b"".join(out)
        if self._decoder.damage is not None:
            return b"".join(
                [*out, self._encode(b"", zlib.Z_SYNC_FLUSH) if begun else b"", _INVALID * len(data)]
            )
        unfinished = self._decoder.unfinished
        if self._ended and not (self._encoders or begun or unfinished):
            return _INVALID * len(data)
        out.append(self._encode(b"", zlib.Z_SYNC_FLUSH if unfinished else zlib.Z_FINISH))
        if not unfinished:
            self._encoders, self._ended = [], True
        return b"".join(out)

    def _encode(self, data: bytes, flush: int | None = None) -> bytes:
        if not self._encoders:
            self._encoders = [
                zlib.compressobj(1, zlib.DEFLATED, _WINDOW_BITS[coding]) for coding in self._decoder.codings
            ]
        for encoder in self._encoders:
            data = encoder.compress(data) + (encoder.flush(flush) if flush is not None else b"")
        return data
