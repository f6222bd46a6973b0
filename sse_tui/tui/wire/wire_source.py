"""What the wire pane reads: the rows of the session, one at a time, and what the find bar searches in them."""

from __future__ import annotations

from sse_tui.analysis.turn import Turn
from sse_tui.errors import RecordingError
from sse_tui.session.live import Live
from sse_tui.tui.wire.wire_row import content
from sse_tui.wirelog.rows import Row


class WireSource:
    """The rows of a session, read back from its recording when asked for."""

    def __init__(self, session: Live) -> None:
        self.table = session.rows
        self.found = session.found
        self._session = session

    def row(self, index: int) -> Row:
        """A whole row. Raises `RecordingError` when it cannot be read back."""
        if self._session.reader is None:
            raise RecordingError("recording-gone", "The recording is not open.")
        return self.table.row(index, self._session.reader)

    def turn(self, index: int) -> Turn | None:
        turns = self._session.analysis.turns
        position = self.table.turn_of(index)
        if 0 <= position < len(turns):
            return turns[position]
        return turns[0] if turns else None

    def t0(self, index: int) -> int | None:
        """The session time of the request of a row's turn, ns: what ``t+ms`` counts from."""
        turn = self.turn(index)
        if turn is None or not turn.connections:
            return 0
        request = turn.connections[0].request
        return request.t if request is not None else 0

    def text(self, index: int) -> str:
        """What the find bar searches: the content as shown, so that every match can be seen."""
        try:
            return content(self.row(index))
        except RecordingError:
            return ""
