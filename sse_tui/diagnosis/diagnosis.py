"""Runs the rules over a session as it is read, and keeps what they found.

The usual event of a healthy stream costs a few comparisons; a rule runs only on what triggers it. No rule can stop the
reading: one that raises becomes a finding of its own, `internal`, and the other rules still run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from sse_tui.bodies import Form
from sse_tui.diagnosis import registry as triggers
from sse_tui.diagnosis import rules as _rules  # noqa: F401  (registers them)
from sse_tui.diagnosis.bursts import PAUSE_NS, TOGETHER_NS
from sse_tui.diagnosis.call_facts import note_calls
from sse_tui.diagnosis.collector import Collector
from sse_tui.diagnosis.event_words import heartbeat_form, label
from sse_tui.diagnosis.facts import SETTLE, SILENCE_NS, UNREAD, ConnFacts, Facts, SessionFacts, TurnFacts
from sse_tui.diagnosis.finding import Finding, Setting
from sse_tui.diagnosis.registry import Occurrence, Trigger
from sse_tui.diagnosis.scanner import ByteMatch
from sse_tui.diagnosis.synthetic_entry import SyntheticEntry
from sse_tui.diagnosis.view import EntryView, TurnView
from sse_tui.dialects.base import Finish, Meta, Usage
from sse_tui.dialects.bearing import Bearing
from sse_tui.eventstream import Comment, Event, Ignored, Item, NoData, Retry, Tail
from sse_tui.recording.content import ContentDecoder
from sse_tui.recording.records import Chunk, Close, CloseReason, Header, Reconnect, Request, Response

BIG = 64 * 1024  # bytes; a larger event always goes through the rules
_CONNS_KEPT = 64

_LOOK = (
    16  # bytes of a block without an end from which on it is looked at, and again when it has grown by half
)
_OWN_ID = re.compile(rb"(?:^|[\r\n])id[:\r\n]")
_END_NAMES = frozenset({"done", "blocked"})
_TOKEN, _BEAT, _NONE = Bearing.REASONING, Bearing.BEAT, Bearing.NONE

_ITEM_TRIGGERS: dict[type, Trigger[Item]] = {
    Comment: triggers.BEAT,
    Retry: triggers.RETRY,
    Ignored: triggers.IGNORED,
    NoData: triggers.NO_DATA,
    Tail: triggers.TAIL,
}


class Diagnosis:
    """Give it the bytes of every read with `body`, then its entries with `observe`; at the very end, `finish`.

    `findings` is in order of discovery. A finding may still change later: its count rises, and its severity, message
    and evidence can change. `settings` are the user's severities by rule, or "off".
    """

    def __init__(self, header: Header | None = None, settings: Mapping[str, Setting] | None = None) -> None:
        self.session = SessionFacts(header or Header())
        self.findings: list[Finding] = []
        self._collector = Collector(settings or {})
        self._known: Facts | None = None  # those of the running connection

    @property
    def internal_errors(self) -> list[Finding]:
        """The findings that report a defect of this program: one for each rule that raised."""
        return self._collector.internal_errors

    def body(
        self, turn: TurnView, conn: int, data: bytes, t: int, waited: int = 0, more: bool = False
    ) -> None:
        """The next bytes of a connection's body, content coding removed, before the entries that they complete.

        They came at `t`, ns, or up to `waited` ns earlier; `more`: with the same read as those before.
        """
        facts = self._known  # without a call, since this is done for every read
        if facts is None or facts.conn.number != conn or facts.turn.view is not turn:
            facts = self._facts(turn, conn)
        here, timed = facts.conn, facts.timed
        here.reads += not more
        here.continued = more
        if here.refused:
            here.body.take(data)
            return  # not a stream but the text of an error response
        # Most reads of a healthy stream are whole blocks after a complete item: those need no searching.
        window = here.window
        if window.end == here.done and here.scanner.passes(data):
            window.replace(data)
            matches = None
        else:
            window.feed(data, here.done)
            matches = here.scanner.feed(data, more)
            if here.body.form is not Form.EVENTS:
                matches = here.body.take(data, matches)
            if window.end >= here.look_at and here.body.form is Form.EVENTS:
                self._pending(facts, t if timed else None)
        if timed:
            before = here.last_read_t if here.last_read_t is not None else here.opened_t
            gap = here.read_gap = t - before if before is not None else 0
            here.waited = waited > 0
            if waited:
                here.late_reads += 1
                here.longest_wait = max(here.longest_wait, waited)
                gap = here.read_gap = max(0, gap - waited)
                self._run(triggers.LATE_READ, SyntheticEntry("read", t, conn), facts)
            if gap >= SILENCE_NS:
                self._silence(facts)  # of a read before that completed nothing
                here.silence = gap
            here.last_read_t = t
        if matches:
            self._matches(matches, facts, t if timed else None)
        if here.deferred:
            self._resolve_deferred(facts)

    def outgrown(self, turn: TurnView, conn: int, start: int, size: int, t: int) -> None:
        """An event exceeded the parser's limit, so nothing more of this connection is read."""
        facts, item = self._facts(turn, conn), Tail("", start, start + size)
        facts.conn.outgrown = True
        self._run(triggers.TAIL, SyntheticEntry("tail", t if facts.timed else None, conn, item), facts)

    def miscoded(self, turn: TurnView, read: Chunk, decoder: ContentDecoder) -> None:
        """What is wrong with the content coding of a body, as this read shows: reported once."""
        facts = self._facts(turn, read.conn)
        conn = facts.conn
        if conn.miscoded:
            return
        conn.miscoded, conn.damage = True, decoder.damage or ""
        trigger = triggers.STALE_CODING if decoder.stale else triggers.UNDECODABLE
        trigger = triggers.RUNAWAY if decoder.runaway else trigger
        self._run(
            trigger, SyntheticEntry("read", read.t if facts.timed else None, read.conn, record=read), facts
        )

    def observe(self, turn: TurnView, entries: Sequence[EntryView]) -> list[Finding]:
        """The entries of one record, in order; returns the findings that are new since the last call."""
        facts: Facts | None = None
        events = 0
        for entry in entries:
            item = entry.item
            if item is None:
                self._record(turn, entry)
                continue
            if facts is None:
                facts = self._known
                if facts is None or facts.conn.number != entry.conn or facts.turn.view is not turn:
                    facts = self._facts(turn, entry.conn)
                conn = facts.conn
                if conn.silence:
                    self._silence(facts, type(item) is Comment or entry.bearing is _BEAT)
            if type(item) is not Event:
                if not conn.refused:
                    self._other(entry, item, facts)
                continue
            events += 1
            deltas = entry.deltas
            count = len(deltas)
            # The hot path: an event that no rule has anything to say about. Every condition stands for rules that
            # would look at it: ids, size, Unicode line separators, data on several lines.
            if (
                conn.settled
                and (count == 1 or (count == 2 and type(deltas[1]) is Usage))
                and type(deltas[0]) in conn.plain_kinds
                and entry.bearing >= _TOKEN
            ) or (conn.unread and not count and entry.bearing is not _BEAT):
                type_, data, id_, start, end = item
                if (
                    type_ in conn.plain_types
                    and (id_ != conn.last_id or not conn.own_ids)
                    and end - start < BIG
                    and start >= conn.scanner.separators_to
                    and "\n" not in data
                ):
                    if count == 2:
                        facts.turn.running_usages += 1
                    if id_ != conn.last_id:
                        self._identified(entry, item, facts)
                    conn.events += 1
                    conn.token_events += count > 0
                    conn.last_progress_t = conn.last_event_t = entry.t
                    conn.done = end
                    continue
            if not conn.refused:
                self._event(entry, item, facts)
        if events and facts is not None and not conn.refused:
            conn.last_event = entry if type(item) is Event else _last_event(entries)
            conn.event_reads += not conn.continued
            bursts, gap = conn.bursts, conn.read_gap
            if events == 1 and gap < PAUSE_NS and (gap > TOGETHER_NS or bursts.quiet):  # the usual read
                alone = gap > TOGETHER_NS
                bursts.arrivals += alone or bursts.alone
                bursts.last, bursts.alone = conn.last_read_t, alone
            elif facts.timed and conn.burst(events, resumed=len(facts.turn.conns) > 1):
                self._run(triggers.BURST, SyntheticEntry("read", conn.last_read_t, conn.number), facts)
        return self._take_new() if self._collector.new else []

    def finish(self) -> list[Finding]:
        """Nothing follows: run the rules that need to know that, and return their findings. Idempotent."""
        self._over()
        return self._take_new()

    def _take_new(self) -> list[Finding]:
        new, self._collector.new = self._collector.new, []
        self.findings += (finding for finding in new if not finding.hidden)
        return new

    def _pending(self, facts: Facts, t: int | None) -> None:
        """Look at the block that this read did not end, if any: one that never ends shows in no item until the end."""
        conn, window = facts.conn, facts.conn.window
        conn.look_at = window.end + _LOOK
        block = window.open_block(conn.done)
        if block is None:
            return
        if conn.pending[0] != conn.done:
            conn.pending = conn.done, t
        conn.look_at = window.end + max(_LOOK, (window.end - conn.done) // 2)
        item = Tail(block.decode("utf-8", "replace"), conn.done, window.end)
        self._run(triggers.PENDING, SyntheticEntry("read", t, conn.number, item), facts)

    def _event(self, entry: EntryView, item: Event, facts: Facts) -> None:
        """An event that is unusual, or comes before it is known what is usual."""
        conn, turn, deltas = facts.conn, facts.turn, entry.deltas
        if conn.body.form is not Form.EVENTS:
            self._shown(entry, item, facts)
        own_id = item.id != conn.last_id or (
            item.id and _OWN_ID.search(conn.window.whole(item.start, item.end) or b"")
        )
        names = {delta.name for delta in deltas if isinstance(delta, Meta)}
        bearing = entry.bearing
        tokens = bearing >= _TOKEN
        if tokens and not turn.first_token_seen:
            self._run(triggers.FIRST_TOKEN, entry, facts)
            turn.first_token_seen = True
        if deltas:
            note_calls(turn.calls, entry)
            self._run(triggers.DELTAS, entry, facts)
            if not names.isdisjoint(_END_NAMES) or any(type(delta) is Finish for delta in deltas):
                self._run(triggers.FINISH, entry, facts)
        if len(turn.conns) > 1:
            self._run(triggers.RESUMED, entry, facts)
        if conn.body.form is Form.EVENTS and conn.misframing_of(item) is not None:
            self._run(triggers.MISFRAMED, entry, facts)
        self._run(triggers.EVENT, entry, facts)
        if own_id:
            self._identified(entry, item, facts)
        elif conn.own_ids and bearing is not _BEAT and "done" not in names:
            conn.without_id += 1  # nobody resumes after a heartbeat or the end marker: those need no id
        conn.events += 1
        conn.done = item.end
        conn.last_event = entry
        conn.last_event_t = entry.t
        if bearing is _BEAT:
            self._run(triggers.BEAT, entry, facts)
            conn.beat(heartbeat_form(item, names, {type(delta) for delta in deltas}), entry.t)
        elif bearing is not _NONE or not turn.view.dialect.answers:
            conn.last_progress_t = entry.t
        conn.token_events += tokens
        if not turn.first_token_seen and len(turn.before_token) < SETTLE:
            turn.before_token.append(item.type if item.type != "message" else label(deltas, names))
        turn.done = turn.done or "done" in names
        conn.learn(item.type, deltas)
        conn.settled = conn.token_events >= SETTLE and not conn.numbered and turn.is_plain
        conn.unread = conn.events >= UNREAD and facts.is_unread

    def _identified(self, entry: EntryView, item: Event | NoData, facts: Facts) -> None:
        """An item that sets the id, or resets it."""
        conn = facts.conn
        prefix, number = conn.last_number
        following = None if number is None else f"{prefix}{number + 1}"
        if item.id == following and number is not None and following not in conn.ids:
            conn.last_number = prefix, number + 1  # the usual next id: no rule has anything to say
        else:
            self._run(triggers.ID, entry, facts)
        conn.own_ids += 1
        conn.ids.put(item.id, conn.events + 1)
        conn.last_id = facts.turn.last_id = item.id

    def _other(self, entry: EntryView, item: Item | ByteMatch, facts: Facts) -> None:
        """An item that is not an event."""
        conn = facts.conn
        if conn.body.form is not Form.EVENTS:
            self._shown(entry, item, facts)
        # Whether the block has nothing else shows only with the next line, which may not have arrived yet.
        if isinstance(item, Comment | Retry) and (
            0 <= item.start - conn.clean <= 1 or conn.window.blank_before(item.start)
        ):
            conn.clean = item.end
            conn.deferred.append((item, entry))
        self._run(_ITEM_TRIGGERS[type(item)], entry, facts)
        if isinstance(item, Tail):
            conn.tail_bytes = item.end - item.start
        elif isinstance(item, Comment):
            conn.beat("comment", entry.t)
        elif isinstance(item, NoData) and item.id != conn.last_id:
            self._identified(entry, item, facts)
        conn.done = max(conn.done, item.end)
        if conn.deferred:
            self._resolve_deferred(facts)

    def _silence(self, facts: Facts, beaten: bool = False) -> None:
        """Report the silence before the read at hand, now that it is known whether a heartbeat ended it."""
        conn = facts.conn
        if conn.silence:
            conn.silence_beaten = beaten
            self._run(triggers.GAP, SyntheticEntry("read", conn.last_read_t, conn.number), facts)
            conn.silence = 0

    def _shown(self, entry: EntryView, item: Item | ByteMatch, facts: Facts) -> None:
        """An item of a body not known to be an event stream, which it may show to be one."""
        matches, lines = facts.conn.body.shown(entry, item)
        self._matches(matches, facts, entry.t)
        for line in lines:
            self._run(triggers.LATE_FIELD, line, facts)

    def _resolve_deferred(self, facts: Facts) -> None:
        """Run the rules on comments and retry fields whose next line has arrived by now."""
        conn = facts.conn
        deferred, conn.deferred = conn.deferred, []
        for item, entry in deferred:
            blank = conn.window.blank_after(item.end)
            if blank is None:
                conn.deferred.append((item, entry))
            elif blank:
                trigger = triggers.EMPTY_BLOCK if isinstance(item, Comment) else triggers.RETRY_BLOCK
                self._run(trigger, entry, facts)

    def _record(self, turn: TurnView, entry: EntryView) -> None:
        record, known = entry.record, self._known
        if entry.kind == "end" or (
            isinstance(record, Request) and known is not None and known.turn.view is not turn
        ):
            self._over()
        if not isinstance(record, Request | Response | Close | Reconnect):
            return
        facts = self._facts(turn, entry.conn)
        conn = facts.conn
        if isinstance(record, Request):
            conn.request, conn.started_t = record, entry.t
            self._run(triggers.REQUEST, entry, facts)
        elif isinstance(record, Response):
            conn.response, conn.opened_t, conn.refused = record, entry.t, record.is_refusal
            conn.body.opened(record.headers)
            self._run(triggers.RESPONSE, entry, facts)
        elif isinstance(record, Close):
            self._silence(facts)
            self._matches(conn.body.close(conn.scanner.close()), facts, entry.t)
            self._run(triggers.CLOSE, entry, facts)
            if record.cause is CloseReason.CLIENT and turn.dialect.complete is not True:
                self.session.left_running = conn
            conn.deferred = []
            conn.window.data = b""
            conn.window.start = conn.window.end
        else:
            self._run(triggers.RECONNECT, entry, facts)
            facts.turn.last_reconnect_conn = entry.conn
            facts.turn.policy = record.policy
            facts.turn.delays_ms.append(record.delay_ms)
            del facts.turn.delays_ms[:-_CONNS_KEPT]
            if entry.t is not None:
                self.session.reconnect_times.append(entry.t)

    def _over(self) -> None:
        """The current turn gets no further connection."""
        facts = self._known
        if facts is not None and not facts.turn.over:
            facts.turn.over, conn = True, facts.conn
            self._run(triggers.OVER, SyntheticEntry("over", conn.last_read_t, conn.number), facts)

    def _facts(self, turn: TurnView, number: int) -> Facts:
        """Those of this connection, which are new where it is."""
        known = self._known
        if known is None or known.turn.view is not turn:
            here = TurnFacts(turn)
        elif known.conn.number == number:
            return known
        else:
            here = known.turn
        conn = ConnFacts(number, last_id=here.last_id)
        here.conns.append(conn)
        if len(here.conns) > _CONNS_KEPT:
            del here.conns[1]  # not the first: rules ask for its request
        self._known = Facts(self.session, here, conn, self.session.header.clock != "none")
        return self._known

    def _matches(self, matches: Iterable[ByteMatch], facts: Facts, t: int | None) -> None:
        for match in matches:
            self._run(triggers.BYTES[match.kind], SyntheticEntry("read", t, facts.conn.number, match), facts)

    def _run(self, trigger: Trigger[object], entry: EntryView, facts: Facts) -> None:
        facts.entry = entry
        subject = entry.item if entry.item is not None else entry.record
        for rule, check in trigger.checks:
            try:
                found = check(subject, facts)
                for occurrence in (found,) if isinstance(found, Occurrence) else found or ():
                    self._collector.add(rule, occurrence, facts)
            except Exception as error:  # a defect of a rule must not cost the reader the stream
                self._collector.failed(rule, error, facts)


def _last_event(entries: Sequence[EntryView]) -> EntryView:
    return next(entry for entry in reversed(entries) if type(entry.item) is Event)
