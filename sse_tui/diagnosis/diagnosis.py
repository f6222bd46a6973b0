"""Runs the rules over a session as it is read, and keeps what they found.

The usual event of a healthy stream passes by a few comparisons; rules are run on what triggers them only. No rule can
stop the reading: one that raises is noted in `failures` and the next one goes on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sse_tui.diagnosis.facts import ConnFacts, Facts, SessionFacts, TurnFacts
from sse_tui.diagnosis.finding import Finding, Hit
from sse_tui.diagnosis.keeping import KEPT, Keeper
from sse_tui.diagnosis.meaning import PLAIN, bearing, is_beat_or_end, what
from sse_tui.diagnosis.registry import CHECKS
from sse_tui.diagnosis.rules import all_rules as _catalogue  # noqa: F401  (registers the rules)
from sse_tui.diagnosis.scanner import Mark
from sse_tui.diagnosis.view import Seen, TurnView
from sse_tui.dialects.base import Delta, Finish, Meta, StreamFault
from sse_tui.eventstream import Comment, Event, Item, NoData, Retry, Tail
from sse_tui.recording.records import Close, Header, Reconnect, Record, Request, Response

SETTLE = 8  # token events after which the usual ones pass by
BIG = 64 * 1024  # bytes of an event that are worth a look
SILENCE_NS = 15_000_000_000
BURST_EVENTS = 4
BURST_GAP_NS = 250_000_000
_CONNS_KEPT = 64

_OWN_ID = re.compile(rb"(?:^|[\r\n])id[:\r\n]")


class Spot(NamedTuple):
    """A place in a connection that is no entry of the wire log: a read, or the end of a turn."""

    kind: str
    t: int | None
    turn: int
    conn: int
    item: Item | None = None
    record: Record | None = None
    deltas: Sequence[Delta] = ()
    read: int = 0
    number: int = 0
    repeat: bool = False


class Diagnosis:
    """Give it every read's bytes with `body` and then its entries with `observe`; at the end of all, `finish`.

    `findings` is in the order of their discovery. A finding may still change after it was given out: its count rises,
    and what comes later can change its severity or add evidence.
    """

    def __init__(self, header: Header | None = None) -> None:
        self.session = SessionFacts(header or Header())
        self.findings: list[Finding] = []
        self.failures: list[str] = []
        self._turn: TurnFacts | None = None
        self._conn: ConnFacts | None = None
        self._keeper = Keeper()
        self._known: Facts | None = None  # those of the running connection

    @property
    def timed(self) -> bool:
        """Whether the times of the records mean anything."""
        return self.session.header.clock != "none"

    def body(self, turn: TurnView, conn: int, data: bytes, t: int) -> None:
        """The next bytes of a connection's body, coding removed, before the entries that they complete."""
        facts = self._known
        if facts is None or facts.conn.number != conn or facts.turn.view is not turn:
            facts = self._facts(turn, conn)
        here, timed = facts.conn, facts.timed
        here.reads += 1
        if here.refused:
            return
        if here.window.end == here.done and here.scanner.passes(data):
            here.window.replace(data)
            marks = None
        else:
            here.window.feed(data, here.done)
            marks = here.scanner.feed(data)
        if timed:
            before = here.last_read_t if here.last_read_t is not None else here.opened_t
            here.read_gap = t - before if before is not None else 0
            if here.read_gap >= SILENCE_NS:
                self._run("gap", Spot("read", t, turn.number, conn), facts)
            here.last_read_t = t
        if marks:
            self._marks(marks, facts, t if timed else None)
        if here.deferred:
            self._look_again(facts)

    def outgrown(self, turn: TurnView, conn: int, start: int, size: int, t: int) -> None:
        """An event outgrew the reader's limit, so that nothing further is read of this connection."""
        facts = self._facts(turn, conn)
        item = Tail("", start, start + size)
        self._run("tail", Spot("tail", t if facts.timed else None, turn.number, conn, item), facts)

    def observe(self, turn: TurnView, entries: Sequence[Seen]) -> list[Finding]:
        """The entries of one record, in order; gives the findings that are new since the last call."""
        conn: ConnFacts | None = None
        events = 0
        for entry in entries:
            item = entry.item
            if item is None:
                self._record(turn, entry)
                continue
            if conn is None:
                known = self._known
                if known is None or known.conn.number != entry.conn or known.turn.view is not turn:
                    known = self._facts(turn, entry.conn)
                facts = known
                conn = facts.conn
            if conn.response is not None and conn.response.status != 200:
                continue
            if type(item) is not Event:
                self._other(entry, item, facts)
                continue
            events += 1
            deltas = entry.deltas
            if conn.settled and len(deltas) == 1 and type(deltas[0]) in PLAIN:
                type_, data, id_, start, end = item
                if (
                    type_ in conn.plain_types
                    and (id_ != conn.last_id or not conn.own_ids)
                    and end - start < BIG
                    and start >= conn.scanner.separators_to
                    and "\n" not in data
                ):
                    if id_ != conn.last_id:
                        self._identified(entry, item, facts)
                    conn.events += 1
                    conn.token_events += 1
                    conn.last_progress_t = conn.last_event_t = entry.t
                    conn.done = end
                    continue
            self._event(entry, item, facts)
        if conn is not None and events:
            conn.event_reads += 1
            if events >= BURST_EVENTS and conn.read_gap >= BURST_GAP_NS:
                self._burst(events, facts)
        return self._take_new() if self._keeper.new else []

    def finish(self) -> list[Finding]:
        """Nothing follows; gives what only that tells. Idempotent."""
        self._over()
        return self._take_new()

    def _take_new(self) -> list[Finding]:
        new, self._keeper.new = self._keeper.new, []
        self.findings += new
        return new

    def _burst(self, events: int, facts: Facts) -> None:
        """One read brought several events after a pause."""
        conn = facts.conn
        conn.bursts += 1
        if len(conn.burst_sizes) < 64:
            conn.burst_sizes.append(events)
        self._run("burst", Spot("read", conn.last_read_t, facts.turn.view.number, conn.number), facts)

    def _event(self, entry: Seen, item: Event, facts: Facts) -> None:
        """An event that is not the usual one, or not yet known to be."""
        conn, turn = facts.conn, facts.turn
        facts.own_id = bool(item.id or conn.last_id) and self._has_own_id(item, facts)
        tokens, kinds = bearing(entry.deltas)
        if tokens and not turn.first_token_seen:
            self._run("first-token", entry, facts)
            turn.first_token_seen = True
        if entry.deltas:
            self._run("deltas", entry, facts)
        if len(turn.conns) > 1:
            self._run("resumed", entry, facts)
        self._run("event", entry, facts)
        self._follow_id(entry, item, facts)
        conn.events += 1
        conn.done = item.end
        conn.last_event_t = entry.t
        ping = any(isinstance(delta, Meta) and delta.name == "ping" for delta in entry.deltas)
        if ping or item.type in ("ping", "heartbeat", "keepalive"):
            self._run("beat", entry, facts)
            conn.heartbeats.beat("ping event" if item.data else "empty event", entry.t)
        elif tokens or not turn.known:
            conn.last_progress_t = entry.t
        conn.token_events += tokens
        if not turn.first_token_seen and len(turn.before_token) < SETTLE:
            turn.before_token.append(item.type if item.type != "message" else what(entry.deltas))
        turn.finish_seen = turn.finish_seen or Finish in kinds
        turn.fault_seen = turn.fault_seen or StreamFault in kinds
        if turn.done_at is None and any(isinstance(d, Meta) and d.name == "done" for d in entry.deltas):
            turn.done_at = conn.events
        conn.types[item.type] += 1
        if conn.types[item.type] >= SETTLE // 2:
            conn.plain_types.add(item.type)
        conn.settled = conn.token_events >= SETTLE and turn.done_at is None and not conn.numbered

    def _has_own_id(self, item: Event, facts: Facts) -> bool:
        if item.id != facts.conn.last_id:
            return True
        raw = facts.conn.window.whole(item.start, item.end)
        return raw is not None and _OWN_ID.search(raw) is not None

    def _follow_id(self, entry: Seen, item: Event | NoData, facts: Facts) -> None:
        conn = facts.conn
        if facts.own_id:
            self._identified(entry, item, facts)
        elif conn.own_ids and isinstance(item, Event) and not is_beat_or_end(item, entry.deltas):
            conn.without_id += 1

    def _identified(self, entry: Seen, item: Event | NoData, facts: Facts) -> None:
        """An item that brings an id, or resets it."""
        conn = facts.conn
        prefix, number = conn.last_number
        following = None if number is None else f"{prefix}{number + 1}"
        if item.id == following and number is not None and following not in conn.ids:
            conn.last_number = prefix, number + 1  # the usual next one: nothing to say of it
        else:
            self._run("id", entry, facts)
        conn.own_ids += 1
        conn.remember_id(item.id, conn.events + 1)
        conn.last_id = facts.turn.last_id = item.id

    def _other(self, entry: Seen, item: Item, facts: Facts) -> None:
        conn = facts.conn
        if isinstance(item, Comment | Retry):
            block = self._own_block(item.start, facts)
            if block:
                conn.clean = item.end
                kind = "empty-block" if isinstance(item, Comment) else "retry-block"
                conn.deferred.append((kind, entry, item.end))
        self._run(entry.kind, entry, facts)
        if isinstance(item, Comment):
            self._run("beat", entry, facts)
            conn.comments += 1
            conn.heartbeats.beat("comment", entry.t)
        elif isinstance(item, NoData):
            facts.own_id = item.id != conn.last_id
            self._follow_id(entry, item, facts)
        conn.done = max(conn.done, item.end)
        if conn.deferred:
            self._look_again(facts)

    def _own_block(self, start: int, facts: Facts) -> bool:
        """Whether nothing but comments and retry fields stand in the block before `start`."""
        conn = facts.conn
        return 0 <= start - conn.clean <= 1 or conn.window.blank_before(start)

    def _look_again(self, facts: Facts) -> None:
        """Judge the comments and retry fields whose next line has come meanwhile."""
        conn = facts.conn
        deferred, conn.deferred = conn.deferred, []
        for kind, entry, end in deferred:
            blank = conn.window.blank_after(end)
            if blank is None:
                conn.deferred.append((kind, entry, end))
            elif blank:
                self._run(kind, entry, facts)

    def _record(self, turn: TurnView, entry: Seen) -> None:
        record = entry.record
        if isinstance(record, Request):
            if self._turn is not None and self._turn.view is not turn:
                self._over()
            facts = self._facts(turn, entry.conn)
            facts.conn.request = record
            facts.conn.started_t = entry.t
            self._run("request", entry, facts)
        elif isinstance(record, Response):
            facts = self._facts(turn, entry.conn)
            facts.conn.response = record
            facts.conn.opened_t = entry.t
            self._run("response", entry, facts)
        elif isinstance(record, Close):
            self._closed(self._facts(turn, entry.conn), record, entry)
        elif isinstance(record, Reconnect):
            facts = self._facts(turn, entry.conn)
            self._run("reconnect", entry, facts)
            facts.turn.reconnects += 1
            facts.turn.last_reconnect_conn = entry.conn
            facts.turn.policy = record.policy
            facts.turn.delays_ms.append(record.delay_ms)
            if entry.t is not None:
                self.session.reconnect_times.append(entry.t)
        elif entry.kind == "end":
            self._over()

    def _closed(self, facts: Facts, record: Close, entry: Seen) -> None:
        conn = facts.conn
        conn.close = record
        self._marks(conn.scanner.close(), facts, entry.t)
        self._run("close", entry, facts)
        if record.reason == "client" and facts.turn.view.dialect.complete is not True:
            self.session.left_running = conn
        conn.deferred = []
        conn.window.data = b""
        conn.window.start = conn.window.end

    def _over(self) -> None:
        """The running turn gets no further connection."""
        if self._turn is None or self._turn.over or self._conn is None:
            return
        self._turn.over = True
        facts = Facts(self.session, self._turn, self._conn, self.timed)
        number = self._turn.view.number
        self._run("over", Spot("over", self._conn.last_read_t, number, self._conn.number), facts)

    def _facts(self, turn: TurnView, number: int) -> Facts:
        known = self._known
        if known is not None and known.conn.number == number and known.turn.view is turn:
            return known
        here = self._turn
        if here is None or here.view is not turn:
            here = self._turn = TurnFacts(turn)
            self._conn = None
        conn = self._conn
        if conn is None or conn.number != number:
            conn = self._conn = ConnFacts(number)
            conn.last_id = here.last_id
            here.conns.append(conn)
            if len(here.conns) > _CONNS_KEPT:
                del here.conns[1]
        self._known = Facts(self.session, here, conn, self.timed)
        return self._known

    def _marks(self, marks: Iterable[Mark], facts: Facts, t: int | None) -> None:
        for mark in marks:
            facts.mark = mark
            spot = Spot("read", t, facts.turn.view.number, facts.conn.number)
            self._run(f"bytes:{mark.kind}", spot, facts)
        facts.mark = None

    def _run(self, trigger: str, at: Seen, facts: Facts) -> None:
        for rule, check in CHECKS[trigger]:
            try:
                hits = check(at, facts)
                if hits is None:
                    continue
                for hit in (hits,) if isinstance(hits, Hit) else hits:
                    self._keeper.found(rule, hit, at, facts)
            except Exception as error:  # a defect of a rule must not cost the reader the stream
                if len(self.failures) < KEPT * KEPT:
                    self.failures.append(f"{rule.id}: {type(error).__name__}: {error}")
