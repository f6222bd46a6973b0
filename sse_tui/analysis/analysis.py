"""The one reader of records: what every pane, report and JSON output is derived from.

Live or reopened, headless or in the TUI, records go in one by one and entries come out; the turns keep what was
assembled. Nothing here does input or output, and the only time is that of the records.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from sse_tui import dialects, fields
from sse_tui.analysis.entry import ITEM_KINDS, Entry
from sse_tui.analysis.pulse import Pulse
from sse_tui.analysis.turn import Connection, Turn
from sse_tui.analysis.wire_state import LARGEST_READ, WireState
from sse_tui.bounded import FirstFew
from sse_tui.diagnosis import Diagnosis, Finding, Setting
from sse_tui.dialects.base import Delta
from sse_tui.dialects.bearing import Bearing
from sse_tui.dialects.markup import deltas_of, deltas_of_line, rest_of
from sse_tui.eventstream import Comment, Event, EventTooLarge, Ignored, Item, Retry, Tail
from sse_tui.limits import MAX_EVENT_BYTES
from sse_tui.metrics import Idle
from sse_tui.recording.records import (
    Chunk,
    Close,
    End,
    Header,
    Note,
    Phase,
    Reconnect,
    Record,
    Request,
    Response,
)

_NONE = Bearing.NONE  # read at every event

TURNS = 10_000
"""Turns that are read: no person asks more in one session, and a file may claim any number."""
NOTE_LENGTH = 10_000
"""Characters of a note that are kept."""


class Analysis:
    """Takes the records of a session in order and keeps what they mean.

    `dialect` overrides what each request's record says; "auto" detects it. `rules` are the user's severities by rule,
    `ignored` patterns of text that is left out of answers.
    `turns` is in order, the last one is the running one. `idle` holds the three idle clocks of the running connection.
    `decoded` are the bytes of the last chunk or slice of one, its content coding removed; None where it has none.
    """

    def __init__(
        self,
        header: Header | None = None,
        *,
        dialect: str | None = None,
        max_event_bytes: int = MAX_EVENT_BYTES,
        ignored: Sequence[str] = (),
        rules: Mapping[str, Setting] | None = None,
    ) -> None:
        self.header = header or Header()
        self.turns: list[Turn] = []
        self.idle = Idle()
        self.reads = 0
        self.decoded: bytes | None = None
        self.notes = FirstFew[str]()
        self.end: End | None = None
        self.problems = FirstFew[str]()
        self.diagnosis = Diagnosis(self.header, rules)
        self._dialect = dialect
        self._ignored = ignored
        self._limit = max_event_bytes
        self._wire: WireState | None = None
        self._any_coded = False  # so that the usual read needs no look
        self._timed = self.header.clock != "none"
        self._full = False

    @property
    def turn(self) -> Turn | None:
        """The running turn, or the last one."""
        return self.turns[-1] if self.turns else None

    @property
    def findings(self) -> list[Finding]:
        """What the rules found so far, in the order of its discovery; each turn has its own of them too."""
        return self.diagnosis.findings

    def adopt(self, header: Header) -> None:
        """Take the recording's header when it was not there at the start: a followed file may still be empty."""
        self.header = self.diagnosis.session.header = header
        self._timed = header.clock != "none"

    def feed(self, record: Record) -> list[Entry]:
        """The entries that this record completes, in order; a coded body may make millions, see `slices`."""
        if self._full:
            return []
        if type(record) is not Chunk:
            entries = self._other(record)
        elif self._any_coded and self._decodes(record):
            return [entry for entries in self._slices(record) for entry in entries]
        else:
            entries = self._chunk(record)
        # As `_observe`, without a call: this is done for every record.
        if self.turns and (found := self.diagnosis.observe(self.turns[-1], entries)):
            self._keep(found)
        return entries

    def slices(self, record: Record) -> Iterable[list[Entry]]:
        """The same entries in parts, each made when it is asked for: what a read expands to is never held as a whole.

        All parts must be taken before the next record.
        """
        if type(record) is Chunk and not self._full and (record.size > LARGEST_READ or self._decodes(record)):
            return self._slices(record)
        return (self.feed(record),)

    def _observe(self, entries: list[Entry]) -> None:
        if self.turns and (found := self.diagnosis.observe(self.turns[-1], entries)):
            self._keep(found)

    def finish(self) -> list[Finding]:
        """No further record of these turns follows: gives what the rules find only then. Idempotent."""
        for turn in self.turns:
            turn.finished = True
        return self._keep(self.diagnosis.finish())

    def _keep(self, found: list[Finding]) -> list[Finding]:
        for finding in found:
            for turn in reversed(self.turns):
                if turn.number == finding.turn:
                    (turn.hidden if finding.hidden else turn.findings).append(finding)
                    break
        return found

    def _time(self, t: int) -> int | None:
        return t if self._timed else None

    def _other(self, record: Record) -> list[Entry]:
        """A record that is not a read has an entry of its own; a close also completes what its body left open."""
        entries: list[Entry] = []
        match record:
            case Request():
                self._request(record)
            case Phase():
                turn, _ = self._current(record)
                if len(turn.connections) == 1:
                    turn.clocks.phase(record.name, record.t, record.dt)
            case Response():
                self._response(record)
            case Close():
                entries = self._close(record)
            case Reconnect() if self.turns:
                self.turns[-1].reconnecting = True
            case Note():
                self.notes.append(record.text[:NOTE_LENGTH])
            case End():
                self.end = record
                if self.turns:
                    self.turns[-1].reconnecting = False
        entries.append(Entry(record.kind, self._time(record.t), record.turn, record.conn, record=record))
        return entries

    def _request(self, record: Request) -> None:
        turn = self.turn
        if turn is None or turn.number != record.turn:
            if len(self.turns) >= TURNS:
                self._full = True
                self.problems.append(
                    f"The recording has more than {TURNS:,} turns; the others were not read."
                )
                return
            turn = self._new_turn(record.turn, self._dialect or self._known(record.dialect))
        self.idle = Idle()
        self._connect(turn, Connection(record.conn, request=record))
        turn.dialect.request_seen(record.headers, record.body or "")
        turn.reconnecting = False
        turn.clocks.started(record.t)

    def _connect(self, turn: Turn, conn: Connection) -> WireState:
        turn.connect(conn)
        pulse = Pulse(turn, self.idle, conn.number)
        self._wire = WireState(conn, self._limit, turn.last_event_id or "", pulse)
        return self._wire

    def _known(self, dialect: str | None) -> str | None:
        """A recorded dialect; None, which detects it, for one that a later version of the program may have had."""
        if dialect is None or dialect in (*dialects.names(), "auto"):
            return dialect
        self.problems.append(f"The recording names an unknown dialect, {dialect!r}; it was detected instead.")
        return None

    def _new_turn(self, number: int, dialect: str | None) -> Turn:
        turn = Turn(number, dialects.create(dialect or "auto", self._ignored))
        turn.clocks.timed = turn.gaps.timed = self._timed
        self.turns.append(turn)
        return turn

    def _current(self, record: Record) -> tuple[Turn, WireState]:
        """The turn and wire of a record; made up for recordings that begin in the middle, as imported bytes do."""
        turn = self.turn or self._new_turn(record.turn or 1, self._dialect)
        wire = self._wire
        if wire is None or wire.conn.number != record.conn:
            wire = self._connect(turn, Connection(record.conn))
        return turn, wire

    def _response(self, record: Response) -> None:
        turn, wire = self._current(record)
        wire.opened(record)
        self._any_coded = self._any_coded or wire.decoder is not None
        if wire.conn.undecoded:
            self.problems.append(wire.conn.undecoded)
        if record.status == 204:
            turn.continuity.nothing_more()
        elif not record.is_refusal:
            request = wire.conn.request
            asked = fields.first(request.headers if request is not None else (), "last-event-id")
            turn.continuity.connected(asked or "", fields.first(record.headers, "last-event-id"))
        turn.dialect.headers_seen(record.headers)

    def _chunk(self, record: Chunk, piece: bytes | None = None, more: bool = False) -> list[Entry]:
        """The entries of a read, or of a `piece` of it, perhaps decoded; `more`: not the first piece.

        One function, since it runs for every read.
        """
        wire = self._wire
        if wire is None or wire.conn.number != record.conn:
            turn, wire = self._current(record)
        else:
            turn = self.turns[-1]
        conn, t, waited = wire.conn, record.t, record.waited
        data = record.data if piece is None else piece
        if more:
            waited = 0
        else:
            size = len(data) if piece is None else record.size
            self.reads += 1
            conn.reads += 1
            conn.bytes += size
            turn.bytes += size
            self.idle.last_bytes = t
            if waited:
                # When its first event came is not known, nor is the gap before that.
                wire.last_event_t = None
                turn.gaps.unobserved(self.reads, conn.number)
        self.decoded = None if wire.decoder is None else data
        self.diagnosis.body(turn, conn.number, data, t, waited, more)
        if wire.broken:
            return []
        try:
            items = wire.parser.feed(data)
        except EventTooLarge as exc:
            wire.broken = True
            self.problems.append(exc.message)
            self.diagnosis.outgrown(turn, conn.number, exc.start, exc.size, t)
            items = exc.items
        before = conn.events
        entries = self._items(turn, wire, items, t)
        if piece is None:
            turn.gaps.read(conn.events - before)
        return entries

    def _decodes(self, record: Chunk) -> bool:
        wire = self._wire
        return wire is not None and wire.decoder is not None and wire.conn.number == record.conn

    def _slices(self, record: Chunk) -> Iterator[list[Entry]]:
        """A read whose body has a content coding, or that is larger than one of ours."""
        turn, wire = self._current(record)
        decoder, before = wire.decoder, wire.conn.events
        more = False
        for piece in wire.pieces(record.data):
            entries = self._chunk(record, piece, more)
            self._observe(entries)
            yield entries
            more = True
        if not more:  # a read that brought only headers of the coding is a read all the same
            self._chunk(record, b"")
        turn.gaps.read(wire.conn.events - before)
        if decoder is None or not (decoder.damage or decoder.stale):
            return
        wire.conn.undecoded = decoder.damage or ""
        if wire.broken:
            return
        if decoder.runaway:
            wire.broken = True
            self.problems.append(
                f"The body of connection {record.conn} was not read to its end: {decoder.damage}."
            )
        self.diagnosis.miscoded(turn, record, decoder)
        self._keep(self.diagnosis.observe(turn, ()))

    def _items(self, turn: Turn, wire: WireState, items: Iterable[Item], t: int) -> list[Entry]:
        """The entries of the items that one read, or the end, completed."""
        entries = []
        for item in items:
            entries.append(
                self._event(turn, wire, item, t) if type(item) is Event else self._item(turn, wire, item, t)
            )
        last_event_id = wire.parser.last_event_id
        if last_event_id != (turn.last_event_id or ""):
            turn.last_event_id = last_event_id
            turn.ids = True
        return entries

    def _item(self, turn: Turn, wire: WireState, item: Item, t: int) -> Entry:
        entry = Entry(
            ITEM_KINDS[type(item)], self._time(t), turn.number, wire.conn.number, item=item, read=self.reads
        )
        if isinstance(item, Comment):
            turn.comments += 1
            self.idle.beat(t)
            turn.dialect.comment_seen(item.text)
        elif isinstance(item, Retry):
            turn.retries.append(item.ms)
        elif isinstance(item, Ignored):
            turn.ignored_fields.add(item.line.partition(":")[0])
        elif isinstance(item, Tail):
            turn.discarded_tail = True
        if text := dialects.stray_text(item):
            self._line(turn, wire, text, t, entry)
        return entry

    def _line(self, turn: Turn, wire: WireState, line: str, t: int, entry: Entry) -> None:
        """A line that the standard ignores may still mean something: JSON lines, an error without a field."""
        entry.deltas = deltas_of_line(turn.dialect, line)
        if entry.deltas:
            entry.span = turn.write(entry.deltas)
            entry.bearing = wire.pulse.weigh(entry.deltas, t, self.reads)

    def _event(self, turn: Turn, wire: WireState, item: Event, t: int) -> Entry:
        conn, read = wire.conn, self.reads
        turn.events += 1
        types = turn.event_types
        if item.type in types:  # without a call: this is done for every event
            types[item.type] += 1
        else:
            types.add(item.type)
        conn.events += 1
        same_read = wire.last_event_read == read
        gap_ms = since = None
        if self._timed and wire.last_event_t is not None:
            since = t - wire.last_event_t
            gap_ms = None if same_read else since / 1e6
        wire.last_event_t, wire.last_event_read = t, read
        self.idle.last_event = t
        if turn.clocks.first_event is None:
            turn.clocks.event(t)
        continuity = turn.continuity
        repeat = (item.id or continuity.watching) and not continuity.event(item.id, item.data)
        deltas: Sequence[Delta] = ()
        span = None
        bearing = _NONE
        if repeat:
            turn.repeats += 1
        else:
            deltas = deltas_of(turn.dialect, item)
            span = turn.write(deltas)
            bearing = wire.pulse.weigh(deltas, t, read, item, since)
        # By position: this is done for every event.
        return Entry(
            "event",
            t if self._timed else None,
            turn.number,
            conn.number,
            item,
            None,
            deltas,
            read,
            conn.events,
            gap_ms,
            same_read,
            span,
            repeat,
            bearing,
        )

    def _close(self, record: Close) -> list[Entry]:
        if self.turns and self.turns[-1].reconnecting:
            # Given up while waiting for the next connection: the last one is closed once more, for another reason.
            turn = self.turns[-1]
            turn.reconnecting = False
            if turn.connections and turn.connections[-1].number == record.conn:
                turn.connections[-1].close = record
                turn.clocks.end(record.t)
                return []
        turn, wire = self._current(record)
        wire.conn.close = record
        entries = [] if wire.broken else self._items(turn, wire, wire.parser.close(), record.t)
        wire.pulse.close()
        turn.write(rest_of(turn.dialect))
        turn.clocks.end(record.t)
        self._wire = None
        return entries
