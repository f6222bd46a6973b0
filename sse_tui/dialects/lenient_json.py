"""Reading JSON that only lenient clients read: constants that JSON lacks, and halves of characters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sse_tui.dialects.base import Delta, Malformed
from sse_tui.dialects.payload import NOT_STRICT, LenientJsonError, decode_exactly, decode_strictly
from sse_tui.dialects.stray_lines import StrayLines
from sse_tui.dialects.surrogates import SurrogateJoiner


class LenientDialect(StrayLines):
    """Reads JSON as lenient clients do, and says where strict ones fail."""

    _joiner: SurrogateJoiner | None = None  # once a string held half of a surrogate pair

    @property
    def waiting_halves(self) -> int:
        """Halves of characters that wait for the other half, so that the text does not have them yet."""
        return self._joiner.waiting if self._joiner is not None else 0

    def _decoded(self, text: str) -> tuple[Any, Sequence[Delta]]:
        """The payload as lenient clients read it, and what is wrong with it. Raises `JsonError` where there is none."""
        try:
            return decode_strictly(text), ()
        except NOT_STRICT:
            return self._leniently(text)

    def _leniently(self, text: str) -> tuple[Any, Sequence[Delta]]:
        """The same for what strict decoders reject. From halves of characters on these are joined."""
        try:
            return decode_exactly(text), ()
        except LenientJsonError as odd:
            if odd.halves:
                self._joiner = self._joiner or SurrogateJoiner()
            return odd.value, (Malformed(f"not JSON: {odd}", "json"),) if odd.constant is not None else ()
