"""Which tool call a piece belongs to: by its index and its id, of which servers leave out or repeat either.

A piece goes to the call with its id; else to the one that runs at its index, unless it brings another id and a name, or
a new name after the arguments have begun: that is the next call, whatever its index. A piece without index, id and
name goes to the last call.
"""

from __future__ import annotations

from typing import NamedTuple

from sse_tui.bounded import NAME_LENGTH, Recent


class CallPiece(NamedTuple):
    """What identifies a piece of a call: `choice` and `index` as sent, None for what it does not have."""

    choice: int
    place: int | str | None
    ident: str | None
    name: str | None
    arguments: str


_GROWN = 3
"""Characters of a name from which a longer one that begins with it is the same name, grown."""


def added_to_name(known: str, piece: str) -> str:
    """What a piece adds to the name of a call so far: "" where it repeats it, and the rest where it begins with it."""
    if piece == known:
        return ""
    return piece[len(known) :] if len(known) >= _GROWN and piece.startswith(known) else piece


class _Running:
    """A call so far: the index and the id that it began with, its name, and whether its arguments have begun."""

    __slots__ = ("begun", "ident", "name", "place", "slot")

    def __init__(self, slot: int, piece: CallPiece) -> None:
        self.slot = slot
        self.place = piece.place
        self.ident = piece.ident
        self.name = ""
        self.begun = False

    def take(self, piece: CallPiece) -> None:
        self.ident = self.ident or piece.ident
        self.begun = self.begun or bool(piece.arguments)
        if piece.name:
            self.name = (self.name + added_to_name(self.name, piece.name))[:NAME_LENGTH]

    def renamed_by(self, name: str | None) -> bool:
        """Whether a name comes too late to be part of this call's."""
        return bool(name and self.name and self.begun and name != self.name)


class CallSlots:
    """Numbers the calls of one response from 0, in the order of their first appearance."""

    def __init__(self) -> None:
        self._at = Recent[tuple[int, int | str | None], _Running]()
        self._by_id = Recent[tuple[int, str], _Running]()
        self._last: _Running | None = None
        self._last_of = Recent[int, _Running]()
        self._slots = 0

    def of(self, piece: CallPiece) -> tuple[int, bool]:
        """The slot of the call that a piece belongs to, and whether the call is new."""
        key = piece.choice, piece.place
        running = self._at.get(key)
        call = self._named(piece, running) if piece.ident is not None else self._unnamed(piece, running)
        new = call is None
        if call is None:
            call = _Running(self._slots, piece)
            self._slots += 1
        call.take(piece)
        if call is not running:
            self._at.put(key, call)
        if piece.ident is not None and self._by_id.get((piece.choice, piece.ident)) is not call:
            self._by_id.put((piece.choice, piece.ident), call)
        if call is not self._last:
            self._last = call
            self._last_of.put(piece.choice, call)
        return call.slot, new

    def _named(self, piece: CallPiece, running: _Running | None) -> _Running | None:
        """The call of a piece with an id; None for a new one."""
        assert piece.ident is not None
        if running is not None and running.ident == piece.ident:
            return running
        known = self._by_id.get((piece.choice, piece.ident))
        if known is not None:
            # Some servers give all calls one id: their names tell them apart.
            numbered = None not in (known.place, piece.place) and known.place != piece.place
            return None if numbered and known.renamed_by(piece.name) else known
        if running is None or running.renamed_by(piece.name):
            return None
        # An id that comes late, or one that a broken server makes anew for every piece of a numbered call.
        late = running.ident is None
        remade = piece.name is None and bool(running.name) and piece.place is not None
        return running if late or remade else None

    def _unnamed(self, piece: CallPiece, running: _Running | None) -> _Running | None:
        """The call of a piece without an id; None for a new one."""
        if running is not None:
            # Without an index calls come whole, so that a name after arguments is the next call's.
            whole = piece.place is None and piece.name is not None and running.begun and bool(running.name)
            return None if whole or running.renamed_by(piece.name) else running
        if piece.name is not None:
            return None
        # Where the index of the choice counts the chunks, the last call is that of another choice.
        return self._last_of.get(piece.choice) or self._last
