"""The answer in the order of arrival, as a reader saw it grow: runs of text by channel."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

LOOSE = 512


class Piece(NamedTuple):
    """A run of the transcript: `channel` is "text", "reasoning", "refusal" or "tool"."""

    channel: str
    text: str


class Transcript:
    """Grows by `append`, O(1) amortised, and is read from any character on by `since`.

    What one channel says without another between is kept in few strings, since a stream may say it a token at a time.
    `length` counts characters. Iterating gives the pieces in order; how they are cut means nothing.
    """

    __slots__ = ("_channel", "_loose", "_pieces", "_starts", "length")

    def __init__(self) -> None:
        self.length = 0
        self._pieces: list[Piece] = []
        self._starts: list[int] = []
        self._channel = ""
        self._loose: list[str] = []

    def append(self, channel: str, text: str) -> None:
        """Add text that this channel said."""
        if channel != self._channel or len(self._loose) >= LOOSE:
            self._settle()
            self._channel = channel
        self._loose.append(text)
        self.length += len(text)

    def since(self, offset: int) -> Iterator[Piece]:
        """What stands from character `offset` on."""
        if offset >= self.length:
            return
        self._settle()
        first = max(0, bisect_right(self._starts, offset) - 1)
        for place in range(first, len(self._pieces)):
            piece, start = self._pieces[place], self._starts[place]
            yield piece if start >= offset else Piece(piece.channel, piece.text[offset - start :])

    def __iter__(self) -> Iterator[Piece]:
        return self.since(0)

    def _settle(self) -> None:
        """Make what is loose one piece, of the last one where that is short and of the same channel."""
        if not self._loose:
            return
        text = "".join(self._loose)
        start = self.length - len(text)
        self._loose.clear()
        last = self._pieces[-1] if self._pieces else None
        # A reader that comes after every token must not cost a piece each; a piece of bounded size is joined again.
        if last is not None and last.channel == self._channel and len(last.text) < 4 * LOOSE:
            self._pieces[-1] = Piece(last.channel, last.text + text)
        else:
            self._starts.append(start)
            self._pieces.append(Piece(self._channel, text))
