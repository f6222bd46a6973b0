"""What rules know of a tool call that the assembled answer no longer tells: where its pieces were, what repeated."""

from __future__ import annotations

from dataclasses import dataclass

from sse_tui.bounded import NAME_LENGTH, Recent
from sse_tui.diagnosis.view import EntryView
from sse_tui.dialects.base import ToolCall
from sse_tui.dialects.call_slots import added_to_name
from sse_tui.eventstream import Event

_FREE_FORM = ('"custom"', "custom_tool_call")
_LEGACY = '"function_call"'


@dataclass(slots=True)
class CallFacts:
    """One call so far. `first` and `last` are the entries of its first and its last piece.

    `name_pieces` brought something new of the name, `name_repeats` did not, the first of them at `repeated_at`;
    `id_repeats` and `id_changes` count ids after the first, the first other one at `changed_at`. `free_form`: its
    arguments need not be JSON. `legacy`: of the older form without ids.
    """

    first: EntryView
    last: EntryView
    free_form: bool
    legacy: bool
    choice: int
    name: str = ""
    name_pieces: int = 0
    name_repeats: int = 0
    repeated_at: EntryView | None = None
    ident: str | None = None
    id_repeats: int = 0
    id_changes: int = 0
    changed_at: EntryView | None = None

    def take(self, piece: ToolCall, entry: EntryView) -> None:
        """One more piece of it, in this entry."""
        self.last = entry
        if piece.name and not self._renames(piece.name):
            self.name_repeats += 1
            self.repeated_at = self.repeated_at or entry
        if piece.id is None:
            return
        if self.ident is None:
            self.ident = piece.id[:NAME_LENGTH]
        elif self.ident == piece.id[:NAME_LENGTH]:
            self.id_repeats += 1
        else:
            self.id_changes += 1
            self.changed_at = self.changed_at or entry

    def _renames(self, piece: str) -> bool:
        """Take a piece of the name; whether it added anything."""
        added = added_to_name(self.name, piece)
        self.name = (self.name + added)[:NAME_LENGTH]
        self.name_pieces += bool(added)
        return bool(added)


def note_calls(calls: Recent[int, CallFacts], entry: EntryView) -> None:
    """Take the pieces of calls in an entry's deltas, by slot."""
    for delta in entry.deltas:
        if not isinstance(delta, ToolCall):
            continue
        known = calls.get(delta.slot)
        if known is None:
            data = entry.item.data if isinstance(entry.item, Event) else ""
            known = CallFacts(
                entry, entry, any(word in data for word in _FREE_FORM), _LEGACY in data, delta.index
            )
            calls.put(delta.slot, known)
        known.take(delta, entry)
