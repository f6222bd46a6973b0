"""What rules know besides the entry at hand: facts of the connection, the turn and the session."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from sse_tui import fields
from sse_tui.bounded import Recent, Seen, Tally
from sse_tui.diagnosis import reframing
from sse_tui.diagnosis.body_look import BodyLook
from sse_tui.diagnosis.bursts import Bursts
from sse_tui.diagnosis.call_facts import CallFacts
from sse_tui.diagnosis.growth import Growth
from sse_tui.diagnosis.pairs import Pairs
from sse_tui.diagnosis.places import EventPlaces
from sse_tui.diagnosis.reframing import Misframing
from sse_tui.diagnosis.rereading import Rereading
from sse_tui.diagnosis.response_ids import ResponseIds
from sse_tui.diagnosis.scanner import Scanner
from sse_tui.diagnosis.view import EntryView, TurnView
from sse_tui.diagnosis.window import Window
from sse_tui.dialects.base import Delta, Reasoning, StreamFault, Text
from sse_tui.dialects.provenance import of_headers
from sse_tui.dialects.registry import READERS
from sse_tui.eventstream import Comment, Event, Retry, Tail
from sse_tui.metrics import Beats
from sse_tui.recording.records import Header, Request, Response

SETTLE = 8
"""Token events of a connection after which the usual ones skip the rules."""
UNREAD = 512
"""Events of an unknown dialect after which the usual ones skip the rules."""

_PLAIN = frozenset({Text, Reasoning})  # the deltas of the usual event in a model's answer

SILENCE_NS = 18_000_000_000
"""A silence worth a finding: 15 s, as the standard advises for comments (HTML 9.2.7), and a fifth for delays."""

_KINDS = 32
ANSWERS = frozenset(
    name
    for name, dialect in READERS.items()
    if dialect.answers and dialect.json_due and not dialect.line_based
) - {"langgraph"}  # whose events are the states of a run
"""The dialects whose every event is a JSON payload of a model's answer."""


@dataclass(slots=True)
class Placeholder:
    """Text that came before the answer and is not part of it: the first of its kind, and the time of the last."""

    text: str
    entry: EntryView
    count: int = 0
    t: int | None = None
    blank: bool = False  # white space, which is a placeholder only if nothing follows for a while
    told: bool = False


@dataclass(slots=True)
class Stall:
    """A time without progress in which heartbeats came, from `since`, ns; `longest` is the longest reported, s."""

    since: int | None = None
    beats: int = 0
    longest: float = 0.0


@dataclass(slots=True)
class Unprefixed:
    """A payload whose lines after the first had no ``data:`` in front, put together as it comes.

    `start` and `end` are offsets: of the first line without, and after the last; `lines` counts those.
    """

    text: str
    start: int
    end: int
    lines: int = 0
    tries: int = 0  # to read it as JSON


@dataclass(slots=True)
class ConnFacts:
    """One connection so far. Times are ns, None where the recording has no clock."""

    number: int
    request: Request | None = None
    response: Response | None = None
    refused: bool = False  # the body is the text of an error, not a stream
    opened_t: int | None = None
    started_t: int | None = None
    window: Window = field(default_factory=Window)
    scanner: Scanner = field(default_factory=Scanner)
    done: int = 0  # offset after the last complete item
    clean: int = -1  # offset after comments and retry fields in a block of their own
    reads: int = 0
    events: int = 0
    token_events: int = 0
    last_id: str = ""
    own_ids: int = 0
    without_id: int = 0
    lone_comments: int = 0  # those in a block of their own, before any id
    nul_ids: int = 0  # ids with NUL, which are ignored
    ids: Recent[str, int] = field(default_factory=Recent)  # the most recent ones, and which event set each
    last_number: tuple[str, int | None] = "", None  # prefix and number of the last id that was set
    last_read_t: int | None = None
    last_event_t: int | None = None
    last_progress_t: int | None = None
    read_gap: int = 0  # ns before the read at hand
    silence: int = 0  # ns, before the read at hand, if that is worth a finding
    silence_beaten: bool = False  # a heartbeat ended it
    stall: Stall = field(default_factory=Stall)
    late_reads: int = 0  # those that waited in the socket, and for how many ns at most
    longest_wait: int = 0
    event_reads: int = 0
    continued: bool = False  # the bytes at hand came with the same read as those before
    bursts: Bursts = field(default_factory=Bursts)
    waited: bool = False  # the read at hand waited on our side
    beats: Beats = field(default_factory=Beats)
    beat_forms: Counter[str] = field(default_factory=Counter)  # heartbeats by form
    damage: str = ""  # of the content coding, where it ended the reading
    stale: bool = False  # it is plain text all the same
    miscoded: bool = False  # what is wrong with the content coding has been reported
    body: BodyLook = field(default_factory=BodyLook)
    bad_utf8: bytes = b""  # the last bytes that were not UTF-8
    sequence: int | None = None
    numbered: bool = False  # the events have a sequence_number
    unread: bool = False  # enough events of an unknown dialect have gone through the rules
    settled: bool = False  # enough events have gone through the rules to know the usual one
    types: Tally = field(default_factory=Tally)  # events that went through the rules, by type
    kinds: Counter[type] = field(default_factory=Counter)  # likewise their deltas
    plain_kinds: set[type] = field(default_factory=set)  # kinds of deltas of which enough have
    plain_types: set[str] = field(default_factory=set)  # types of which enough have
    no_choices: EventPlaces = field(default_factory=EventPlaces)  # chunks without choices
    deferred: list[tuple[Comment | Retry, EntryView]] = field(default_factory=list)
    last_event: EntryView | None = None
    outgrown: bool = False  # an event exceeded the parser's limit, so nothing after it was read
    look_at: int = 16  # offset from which to look again at a block that has not ended
    pending: tuple[int, int | None] = (
        -1,
        None,
    )  # where the block that was looked at last starts, and when it was
    rereadings: dict[str, Rereading] = field(default_factory=dict)  # by kind of misframing
    name_before: tuple[str, int] | None = None  # of a block without data, and where that ended
    parted: int = 0  # events whose name stood in such a block
    wrapped: int = 0  # events whose data is an event stream itself
    stray_lines: dict[str, tuple[int, str]] = field(default_factory=dict)  # how many by guess, and the first
    quoted_lines: int = 0  # lines that are Python literals of events
    unprefixed: Unprefixed | None = None  # the payload at hand
    unprefixed_at: int = -1  # offset of the last line of such a payload
    unprefixed_lines: int = 0
    tail_bytes: int = 0  # of the block that the end of the body cut
    cut_json: str = ""  # the beginning of a JSON text that the events before this one may have been cut from
    cut_texts: int = 0  # JSON texts that were sent as several events
    spaces: tuple[int, int, str] = (
        0,
        0,
        "",
    )  # values without a space before them, with one, and all of them joined
    _misframed: tuple[int, int, Misframing | None] = -1, -1, None

    def misframing_of(self, item: Event | Tail) -> Misframing | None:
        """How an event, or a block without an end, was framed wrongly; None where it was not."""
        start, end, found = self._misframed
        if (start, end) != (item.start, item.end):
            if isinstance(item, Tail):
                found = reframing.of_block(item.text)
            else:
                lines = self.window.whole(item.start, item.end) if "\n" in item.data else None
                found = reframing.of_event(
                    item.data, None if lines is None else lines.decode("utf-8", "replace")
                )
            self._misframed = item.start, item.end, found
        return found

    def rereading(self, kind: str) -> Rereading:
        """That of a kind of misframing; of kinds that a server invents the first few have one of their own."""
        if kind not in self.rereadings and len(self.rereadings) >= _KINDS:
            kind = "other"
        return self.rereadings.setdefault(kind, Rereading())

    def reread(self, found: Misframing) -> Rereading:
        """What all events that were framed wrongly in this way say, the given ones included."""
        reading = self.rereading(found.kind)
        for event in found.events:
            reading.take(event)
        return reading

    def burst(self, events: int, *, resumed: bool) -> bool:
        """Whether the read at hand, with so many events, makes a burst.

        What comes first on a resumed connection was made in the meantime.
        """
        opened = None if resumed else self.opened_t
        pending = self.done + 2 < self.window.end  # the line end after the last event aside
        return self.bursts.take(self.last_read_t or 0, events, opened, self.waited, pending)

    def beat(self, form: str, t: int | None) -> None:
        """A heartbeat of this form."""
        self.beat_forms[form] += 1
        if t is not None:
            self.beats.beat(t, self.last_progress_t)

    def learn(self, type: str, deltas: Sequence[Delta]) -> None:
        """An event of this type went through the rules: what comes often enough is usual."""
        self.types.add(type)
        if self.types[type] >= SETTLE // 2:
            self.plain_types.add(type)
        for kind in {kind for delta in deltas if (kind := delta.__class__) in _PLAIN}:
            self.kinds[kind] += 1
            if self.kinds[kind] >= SETTLE // 2:
                self.plain_kinds.add(kind)

    def response_header(self, name: str) -> str | None:
        """The value of a response header; None where it is absent."""
        return None if self.response is None else fields.first(self.response.headers, name)

    @property
    def typed_as_stream(self) -> bool:
        """Whether the response is a 200 whose media type is that of an event stream."""
        kind = fields.essence(self.response_header("content-type"))
        return self.response is not None and self.response.status == 200 and kind == fields.EVENT_STREAM

    def request_header(self, name: str) -> str | None:
        """The value of a request header; None where it is absent."""
        return None if self.request is None else fields.first(self.request.headers, name)


@dataclass(slots=True)
class ReportedError:
    """An error that the stream reported: after how many token events, whether after a finish reason, and how.

    `how` is empty where it was sent as an event; `times` counts how often it was reported. `status` is the HTTP status
    that it gives beside a code of its own.
    """

    fault: StreamFault
    tokens: int
    finished: bool
    how: str = ""
    times: int = 1
    status: int | None = None


@dataclass(slots=True)
class TurnFacts:
    """One request of the user so far."""

    view: TurnView
    conns: list[ConnFacts] = field(default_factory=list)
    last_id: str = ""  # last committed id of any of its connections
    first_token_seen: bool = False
    before_token: list[str] = field(default_factory=list)  # what came before it
    done: bool = False  # [DONE] came
    odd_end: bool = False  # [DONE] came in a form in which no client sees it, and that is named
    reason_named: bool = False  # the chunks have a member for the finish reason
    looked_at: int = 0  # events whose dialect was looked for, before the first token
    resembles: str = ""  # the dialect that they look like
    finish_seen: bool = False
    fault: ReportedError | None = None
    audio_seen: bool = False
    prefilled: tuple[EntryView, str] | None = (
        None  # a part that had text where it began, until its first delta
    )
    control_token_seen: bool = False
    empty_data: list[EntryView] = field(default_factory=list)  # such events, before the dialect is known
    not_json: list[tuple[EntryView, str, str]] = field(default_factory=list)  # likewise, its data and error
    response_ids: ResponseIds = field(default_factory=ResponseIds)
    finishes: Recent[int, tuple[str, int, bool]] = field(
        default_factory=Recent
    )  # by choice: the last reason, in which event it was, and whether beside text
    growths: Recent[tuple[str, int, int], Growth] = field(default_factory=Recent)  # by kind, choice and part
    pairs: dict[type, Pairs] = field(default_factory=lambda: {Text: Pairs(), Reasoning: Pairs()})
    cumulative: Growth | None = None  # the first text that was sent again with every piece
    first_outputs: list[int] = field(default_factory=list)  # output tokens in the first of these events
    running_usages: int = 0  # events that held a usage beside text
    usual_shapes: int = 0  # payloads with text whose types a rule has looked at
    decoded: int = 0  # payloads of an unknown dialect that a rule has parsed
    tool_indices: Recent[tuple[int, int], str | None] = field(
        default_factory=Recent
    )  # ids by choice and index
    tool_counts: Recent[int, int] = field(default_factory=Recent)  # how many indices by choice
    tool_slots: Seen[int] = field(default_factory=Seen)
    cuts: list[int] = field(default_factory=list)  # connections that ended before the answer was complete
    text_begun: bool = False  # with what is no placeholder
    placeholder: Placeholder | None = None
    first_texts: list[str] = field(default_factory=list)  # of the first events with tokens
    told: set[str] = field(default_factory=set)  # rules that have judged the turn as a whole
    calls: Recent[int, CallFacts] = field(default_factory=Recent)  # by slot
    finish_passed: bool = False  # a choice had ended before the entry at hand
    index_counts: EntryView | None = None  # where the index of the choices turned out to count the chunks
    delays_ms: list[float] = field(default_factory=list)
    last_reconnect_conn: int = 0
    policy: str = ""  # of the last reconnect
    reported_verdict: tuple[str, int] | None = None
    over: bool = False

    @property
    def dialect(self) -> str:
        """The name of the dialect that reads the turn."""
        return self.view.dialect_name

    @property
    def provider(self) -> str:
        """The name of the provider, "" where nothing shows it."""
        if self.view.dialect.provider is not None:
            return self.view.dialect.provider.name
        response = self.conns[-1].response
        found = of_headers(response.headers) if response is not None else None
        return found.name if found else "azure" if "prompt_filter_results" in self.before_token else ""

    @property
    def is_plain(self) -> bool:
        """Whether nothing has come after which the rules look at every event."""
        return (
            not self.done
            and not self.finishes
            and (self.text_begun or self.placeholder is None)
            and (self.cumulative is None or self.cumulative.broken)
        )

    @property
    def whole(self) -> bool:
        """Whether the answer came to its own end, without an error."""
        dialect = self.view.dialect
        return self.view.answer.error is None and (dialect.ended or dialect.complete is True)

    def settles(self, rule: str) -> bool:
        """Whether nothing more of the answer is to come; True once for each rule."""
        if rule in self.told or not (self.over or self.whole):
            return False
        self.told.add(rule)
        return True

    @property
    def has_choices(self) -> bool:
        """Whether the events are chunks with choices, as in OpenAI's older two APIs."""
        return self.dialect in ("openai-chat", "openai-completions")

    @property
    def json_answers(self) -> bool:
        """Whether every event should be a JSON payload of a model's answer."""
        return self.dialect in ANSWERS

    @property
    def lines(self) -> bool:
        """Whether the body is read as JSON lines."""
        return self.view.dialect.chosen.line_based

    @property
    def line_protocol(self) -> bool:
        """Whether the protocol is one of JSON lines, rather than an event stream that lost its field names."""
        return self.lines and self.dialect not in ANSWERS

    @property
    def known(self) -> bool:
        """Whether the dialect is known."""
        return self.dialect != "generic"


@dataclass(slots=True)
class SessionFacts:
    """All turns so far."""

    header: Header
    cut_ages_s: list[float] = field(default_factory=list)
    paces: list[tuple[float, float]] = field(default_factory=list)  # TTFT and gap of each turn, ms
    reconnect_times: list[int] = field(default_factory=list)
    left_running: ConnFacts | None = None  # a connection that we closed before the answer was complete


@dataclass(slots=True)
class Facts:
    """Everything that a rule may ask, not yet counting the entry at hand, which is `entry`."""

    session: SessionFacts
    turn: TurnFacts
    conn: ConnFacts
    timed: bool
    entry: EntryView = field(init=False)

    @property
    def is_unread(self) -> bool:
        """Whether the dialect is unknown, and nothing has come after which rules look at every event all the same."""
        conn = self.conn
        looked_at = conn.numbered or conn.spaces[0] or conn.name_before or self.session.left_running
        return not (looked_at or self.turn.known)
