"""A recording put in order by connections, as every export needs it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from sse_tui.errors import RecordingError
from sse_tui.recording.content import ContentDecoder
from sse_tui.recording.records import Chunk, Close, CloseReason, Header, Phase, Record, Request, Response

_WHOLE = (CloseReason.EOF, CloseReason.CLIENT, CloseReason.REFUSED)


@dataclass
class TapedConnection:
    """One connection. `reads` are (ns, bytes), content coding kept; `began` is the time of its first record."""

    number: int
    turn: int
    began: int
    request: Request | None = None
    response: Response | None = None
    phases: list[Phase] = field(default_factory=list)
    reads: list[tuple[int, bytes]] = field(default_factory=list)
    close: Close | None = None
    damage: str = ""  # of the content coding, once the reads were decoded

    def decoded(self) -> list[tuple[int, bytes]]:
        """The reads with the content coding removed, as many of them, some perhaps empty."""
        decoder = ContentDecoder(self.response.headers if self.response is not None else [])
        reads = [(t, decoder.decode(data)) for t, data in self.reads]
        self.damage = decoder.damage or ""
        return reads

    @property
    def whole(self) -> bool:
        """Whether the HTTP framing was: the body ended in order, or the client ended it."""
        return self.close is not None and self.close.cause in _WHOLE


@dataclass
class Tape:
    """A recording: its connections in order, and the records that belong to none, each with its index."""

    header: Header
    connections: dict[int, TapedConnection] = field(default_factory=dict)
    others: list[tuple[int, Record]] = field(default_factory=list)

    def connection(self, number: int | None) -> TapedConnection:
        """The connection of that number; without one the last that brought a body. Raises RecordingError."""
        if number is not None:
            if number in self.connections:
                return self.connections[number]
            known = ", ".join(map(str, self.connections)) or "none"
            raise RecordingError(
                "no-connection", f"The recording has no connection {number}.", f"Connections: {known}."
            )
        found = [conn for conn in self.connections.values() if conn.reads] or list(self.connections.values())
        if not found:
            raise RecordingError("no-connection", "The recording has no connections.")
        return found[-1]


def read_tape(header: Header, records: Iterable[Record]) -> Tape:
    """Take all records of a recording."""
    tape = Tape(header)
    for index, record in enumerate(records):
        if isinstance(record, Request | Response | Phase | Chunk | Close) and record.conn:
            conn = tape.connections.get(record.conn)
            if conn is None:
                conn = tape.connections[record.conn] = TapedConnection(record.conn, record.turn, record.t)
            _add(conn, record)
        else:
            tape.others.append((index, record))
    return tape


def _add(conn: TapedConnection, record: Record) -> None:
    match record:
        case Request():
            conn.request = record
        case Response():
            conn.response = record
        case Phase():
            conn.phases.append(record)
        case Chunk():
            conn.reads.append((record.t, record.data))
        case Close():
            conn.close = record
