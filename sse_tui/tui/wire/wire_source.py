"""What the wire pane reads: the rows of the session, one at a time, and what the find bar searches in them."""

from __future__ import annotations

from collections.abc import Sequence

from sse_tui.analysis.turn import Turn
from sse_tui.errors import RecordingError
from sse_tui.recording import BodyReader
from sse_tui.tui.wire.wire_row import content
from sse_tui.wirelog.finding_rows import Found
from sse_tui.wirelog.rows import Row, RowTable


class WireSource:
    """The rows behind the pane. `reader` is there once the recording's file is."""

    def __init__(
        self,
        rows: RowTable,
        turns: Sequence[Turn],
        reader: BodyReader | None = None,
        found: Found | None = None,
    ) -> None:
        self.rows = rows
        self.found = found
        self.turns = turns
        self.reader = reader

    def codes(self, start: int) -> bytes:
        """The label codes of the rows from `start` on, a byte each."""
        return self.rows.codes(start)

    def row(self, index: int) -> Row:
        """A whole row. Raises `RecordingError` when it cannot be read back."""
        if self.reader is None:
            raise RecordingError("recording-gone", "The recording is not open.")
        return self.rows.row(index, self.reader)

    def severity(self, index: int) -> str:
        """The worst severity among the findings about a row; "" for none."""
        return self.found.worst(index) if self.found is not None else ""

    def turn(self, index: int) -> Turn | None:
        """The turn that a row belongs to."""
        place = self.rows.turn_of(index)
        if 0 <= place < len(self.turns):
            return self.turns[place]
        return self.turns[0] if self.turns else None

    def t0(self, index: int) -> int | None:
        """The session time of the request of a row's turn, ns: what ``t+ms`` counts from."""
        turn = self.turn(index)
        if turn is None or not turn.connections:
            return 0
        request = turn.connections[0].request
        return request.t if request is not None else 0

    def text(self, index: int) -> str:
        """What the find bar searches: the content as shown, which is what can be seen to match."""
        try:
            return content(self.row(index))
        except RecordingError:
            return ""
