"""What rules know beside the entry they look at: facts of the connection, of the turn and of the session."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from sse_tui.diagnosis.scanner import Mark, Scanner
from sse_tui.diagnosis.view import Seen, TurnView
from sse_tui.diagnosis.window import Window
from sse_tui.recording.records import Close, Header, Headers, Request, Response

# The dialects whose every event is a JSON payload of a model's answer.
ANSWERS = frozenset(
    {
        *(
            "openai-chat",
            "openai-completions",
            "openai-responses",
            "openai-assistants",
            "openai-transcription",
        ),
        *("anthropic-messages", "gemini", "cohere-v2", "tgi", "llamacpp-native", "mistral-conversations"),
        *("watsonx", "writer-completions", "vercel-ui"),
    }
)
_IDS_KEPT = 1024


@dataclass(slots=True)
class Heartbeats:
    """The heartbeats of one connection: how many of each form, and when."""

    forms: Counter[str] = field(default_factory=Counter)
    first_t: int | None = None
    last_t: int | None = None
    gaps: list[int] = field(default_factory=list)

    def beat(self, form: str, t: int | None) -> None:
        """One heartbeat of `form` at `t`."""
        self.forms[form] += 1
        if t is None:
            return
        if self.first_t is None:
            self.first_t = t
        elif self.last_t is not None and t > self.last_t and len(self.gaps) < 64:
            self.gaps.append(t - self.last_t)
        self.last_t = t

    @property
    def period_ms(self) -> float | None:
        """The median gap, ms; None before two heartbeats."""
        return sorted(self.gaps)[len(self.gaps) // 2] / 1e6 if self.gaps else None


@dataclass(slots=True)
class ConnFacts:
    """One connection so far. Times are ns, None where the recording has no clock."""

    number: int
    request: Request | None = None
    response: Response | None = None
    close: Close | None = None
    opened_t: int | None = None
    started_t: int | None = None
    window: Window = field(default_factory=Window)
    scanner: Scanner = field(default_factory=Scanner)
    done: int = 0  # offset behind the last completed item
    clean: int = -1  # offset behind comments and retry fields that stand in a block of their own
    reads: int = 0
    events: int = 0
    token_events: int = 0
    comments: int = 0
    last_id: str = ""
    own_ids: int = 0
    without_id: int = 0
    ids: dict[str, int] = field(default_factory=dict)  # the last ones, and which event brought each
    last_number: tuple[str, int | None] = (
        "",
        None,
    )  # of the last id that was brought: its prefix and its number
    last_read_t: int | None = None
    last_event_t: int | None = None
    last_progress_t: int | None = None
    read_gap: int = 0  # ns before the read at hand
    event_reads: int = 0
    bursts: int = 0
    burst_sizes: list[int] = field(default_factory=list)
    heartbeats: Heartbeats = field(default_factory=Heartbeats)
    halves: bytes = b""  # the last bytes that were no UTF-8
    sequence: int | None = None
    numbered: bool = False  # the events carry a sequence_number
    settled: bool = False  # the usual event of this stream has been looked at often enough
    types: Counter[str] = field(default_factory=Counter)  # events looked at, by type
    plain_types: set[str] = field(default_factory=set)  # types looked at often enough
    deferred: list[tuple[str, Seen, int]] = field(default_factory=list)

    @property
    def refused(self) -> bool:
        """Whether the body is no stream but the text of a refusal."""
        return self.response is not None and self.response.status != 200

    def response_header(self, name: str) -> str | None:
        """The value of a response header; None where it is absent."""
        return None if self.response is None else header(self.response.headers, name)

    def request_header(self, name: str) -> str | None:
        """The value of a request header; None where it is absent."""
        return None if self.request is None else header(self.request.headers, name)

    def remember_id(self, id: str, event: int) -> None:
        """An event brought this id itself."""
        self.ids[id] = event
        if len(self.ids) > 2 * _IDS_KEPT:
            self.ids = dict(list(self.ids.items())[_IDS_KEPT:])


@dataclass(slots=True)
class TurnFacts:
    """One request of the user so far."""

    view: TurnView
    conns: list[ConnFacts] = field(default_factory=list)
    last_id: str = ""  # last committed id of any of its connections
    first_token_seen: bool = False
    before_token: list[str] = field(default_factory=list)  # what came before it
    done_at: int | None = None  # the event that held the end marker
    finish_seen: bool = False
    fault_seen: bool = False
    doubtful: list[Seen] = field(default_factory=list)  # empty data, before the dialect is known
    garbled: list[tuple[Seen, str]] = field(default_factory=list)  # data that is no JSON, likewise, and why
    decoded: int = 0  # payloads of unknown dialects that were decoded for a look
    tool_indices: dict[int, str | None] = field(default_factory=dict)
    tool_slots: set[int] = field(default_factory=set)
    reconnects: int = 0
    delays_ms: list[float] = field(default_factory=list)
    last_reconnect_conn: int = 0
    policy: str = ""  # of the last reconnect
    verdict_told: tuple[str, int] | None = None
    over: bool = False

    @property
    def dialect(self) -> str:
        """The name of the dialect that reads the turn."""
        return self.view.dialect_name

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
        """Whether that is as it should be: the protocol is one of lines, and no event stream without its fields."""
        return self.lines and self.dialect not in ANSWERS

    @property
    def known(self) -> bool:
        """Whether the dialect is known."""
        return self.dialect != "generic"


@dataclass(slots=True)
class SessionFacts:
    """All turns so far."""

    header: Header
    cut_ages_s: list[tuple[int, float]] = field(default_factory=list)  # (connection, seconds)
    reconnect_times: list[int] = field(default_factory=list)
    left_running: ConnFacts | None = None  # a connection that we closed before the answer was whole


@dataclass(slots=True)
class Facts:
    """All that a rule may ask, before the entry at hand is counted in. `mark` is set on ``bytes:`` triggers."""

    session: SessionFacts
    turn: TurnFacts
    conn: ConnFacts
    timed: bool
    mark: Mark | None = None
    own_id: bool = False  # the event at hand has an id field of its own


def header(headers: Headers, name: str) -> str | None:
    """The first value of the header `name`, however it is spelled."""
    return next((value for key, value in headers if key.lower() == name), None)
