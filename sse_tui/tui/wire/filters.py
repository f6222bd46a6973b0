"""Which rows the wire log shows: a filter is a set of labels, applied to a million rows at once."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from dataclasses import dataclass
from itertools import compress

from sse_tui.wirelog.rows import LABELS

_RECORDS = frozenset({"request", "response", "fault", "close", "reconnect", "note", "end"})
_TOKENS = frozenset({"token", "reasoning", "tool", "refusal"})
_QUIET = frozenset({"comment", "ping", "retry", "ignored", "no-data"})


@dataclass(frozen=True, slots=True)
class Filter:
    """`name` is what the pane's title says; the rows with one of `labels` are shown."""

    name: str
    labels: frozenset[str]

    def mask(self, codes: bytes) -> bytes:
        """For each row's label code 1 where it is shown, else 0."""
        table = bytes(int(code < len(LABELS) and LABELS[code] in self.labels) for code in range(256))
        return codes.translate(table)


FILTERS = (
    Filter("all", frozenset(LABELS)),
    Filter("tokens", _TOKENS),
    Filter("no comments", frozenset(LABELS) - _QUIET),
    Filter("connection", _RECORDS | {"retry", "comment", "tail", "error", "done"}),
    Filter(
        "problems",
        frozenset({"error", "malformed", "ignored", "no-data", "tail", "repeat", "fault", "reconnect"}),
    ),
)


class VisibleRows:
    """Which row stands at which position of the wire log under a filter; `seen` counts the hidden ones too."""

    def __init__(self) -> None:
        self.filter = FILTERS[0]
        self._rows: array[int] | None = None
        self.seen = 0

    def __len__(self) -> int:
        return self.seen if self._rows is None else len(self._rows)

    def use(self, chosen: Filter, codes: bytes) -> None:
        """Change the filter; `codes` are the label codes of all rows."""
        self.filter = chosen
        self._rows = None if chosen is FILTERS[0] else array("I")
        self.seen = 0
        self.extend(codes)

    def extend(self, codes: bytes) -> None:
        """Take in the rows that were added; `codes` are those of the new rows only."""
        if self._rows is not None:
            rows = range(self.seen, self.seen + len(codes))
            self._rows.extend(compress(rows, self.filter.mask(codes)))
        self.seen += len(codes)

    def row(self, position: int) -> int:
        return position if self._rows is None else self._rows[position]

    def position(self, row: int) -> int:
        """The position of a row, or of the next one that is shown."""
        if self._rows is None:
            return row
        return bisect_left(self._rows, row)
