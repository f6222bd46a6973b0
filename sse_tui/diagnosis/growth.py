"""Texts of which each piece repeats all the pieces before: cumulative where clients expect increments."""

from __future__ import annotations

from dataclasses import dataclass

_STEPS = 2  # pieces in a row that begin with the piece before them: it shows from the third piece on,
_SHORT = 6  # but of fewer characters than this one more is wanted


@dataclass(slots=True)
class Growth:
    """Takes the pieces of one text; `established` once they have shown to be cumulative, `broken` once one is not.

    `text` is the last piece: while the pieces are cumulative, the text that the server means. `appended` are the
    characters of all pieces, which is what a client shows that appends them. `what` holds each piece, in words;
    `at_least` are the characters without which nothing is shown.
    """

    what: str
    at_least: int = 0
    text: str = ""
    pieces: int = 0
    appended: int = 0
    steps: int = 0
    broken: bool = False
    established: bool = False

    def add(self, piece: str) -> bool:
        """Take a piece; whether the text has just shown to be cumulative."""
        if self.broken or not piece:
            return False
        self.pieces += 1
        self.appended += len(piece)
        if self.pieces == 1:
            self.text = piece
        elif _grown(self.text, piece):
            self.steps += 1
            self.text = piece
        elif piece != self.text or not self.established:
            self.broken = True
            self.text = ""
        size = len(self.text)
        if self.broken or self.established or size < self.at_least or self.steps < _STEPS + (size < _SHORT):
            return False
        self.established = True
        return True


def _grown(before: str, piece: str) -> bool:
    """Whether `piece` is the text before and more. A text that only repeats itself ("ha", "haha") proves nothing."""
    if len(piece) <= len(before) or not piece.startswith(before):
        return False
    times, rest = divmod(len(piece), len(before))
    return rest > 0 or piece != before * times
