"""Text that arrives in small pieces, kept in few: a million tokens would otherwise cost a string object each."""

from __future__ import annotations

LOOSE = 512
"""Pieces that are kept as they came before they become one."""


class Pieces:
    """A text that grows at its end. Adding is O(1) amortised; reading joins what was not joined before."""

    __slots__ = ("_blocks", "_loose")

    def __init__(self) -> None:
        self._blocks: list[str] = []
        self._loose: list[str] = []

    def append(self, text: str) -> None:
        """Add text at the end."""
        self._loose.append(text)
        if len(self._loose) >= LOOSE:
            self._settle()

    def _settle(self) -> None:
        self._blocks.append("".join(self._loose))
        self._loose.clear()

    @property
    def text(self) -> str:
        """All of it; the same object until more is added."""
        if self._loose:
            self._settle()
        if len(self._blocks) > 1:
            self._blocks = ["".join(self._blocks)]
        return self._blocks[0] if self._blocks else ""
