"""Pieces of a text of which each comes twice in a row, because something sends every event again."""

from __future__ import annotations

_ENOUGH = 3  # pairs
_LEAST = 8  # characters of them


class Pairs:
    """Takes the pieces of a text; `broken` once one has come alone. `text` is that of the pairs so far, taken once."""

    __slots__ = ("_half", "broken", "established", "pairs", "text")

    def __init__(self) -> None:
        self._half = ""
        self.broken = False
        self.established = False
        self.pairs = 0
        self.text = ""

    def add(self, piece: str) -> bool:
        """Take a piece; whether the pieces have just shown to come twice each."""
        if self.broken or self.established or not piece:
            return False
        if not self._half:
            self._half = piece
            return False
        if piece != self._half or (self.text and self.text.endswith(piece) and piece.strip()):
            self.broken = True
            return False
        self.pairs += 1
        self.text += piece
        self._half = ""
        self.established = self.pairs >= _ENOUGH and len(self.text) >= _LEAST
        return self.established
