"""One request of the user and every connection that served it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sse_tui import dialects
from sse_tui.analysis.concluding import EndingFacts, conclude
from sse_tui.analysis.entry import Span
from sse_tui.analysis.outcome import Conclusion, Ending, Outcome
from sse_tui.bodies import Form
from sse_tui.bounded import FirstFew, Tally
from sse_tui.diagnosis import Finding
from sse_tui.dialects import Answer
from sse_tui.dialects.base import Delta, Dialect, StreamFault, Text
from sse_tui.dialects.transcript import Transcript
from sse_tui.metrics import ClockBuilder, Gaps, Tpot
from sse_tui.recording.records import Close, CloseReason, Request, Response
from sse_tui.resume import Continuity, Verdict
from sse_tui.text.wording import phrase

CONNECTIONS_KEPT = 1_000
"""Of one turn: the first half of them and the last."""


@dataclass
class Connection:
    """What is known of one connection.

    `undecoded`: why not all of its body could be decoded, "" where it was. `form` is what its body is.
    """

    number: int
    request: Request | None = None
    response: Response | None = None
    close: Close | None = None
    events: int = 0
    bytes: int = 0
    reads: int = 0
    undecoded: str = ""
    form: Form = Form.EVENTS

    @property
    def streamed(self) -> bool:
        """Whether its body was read as a stream; an imported one may have no response."""
        if self.close is None or self.close.cause is CloseReason.REFUSED:
            return False
        return self.reads > 0 if self.response is None else not self.response.is_refusal


@dataclass
class Turn:
    """Everything derived from one turn's records.

    The transcript is the answer in the order of arrival, as a reader saw it grow; `answer` is the assembled result in
    the order of choices. They differ only for responses with several choices or interleaved tool calls. `finished`:
    no further record of it can follow, even if it is not over. Of a turn with very many `connections` the first and
    the last are kept; `left_out_count` counts the others, `left_out` holds their sums.
    """

    number: int
    dialect: Dialect = field(default_factory=lambda: dialects.create("auto"))
    answer: Answer = field(default_factory=Answer)
    clocks: ClockBuilder = field(default_factory=ClockBuilder)
    gaps: Gaps = field(default_factory=Gaps)
    continuity: Continuity = field(default_factory=Continuity)
    connections: list[Connection] = field(default_factory=list)
    left_out: Connection = field(default_factory=lambda: Connection(0))
    left_out_count: int = 0
    events: int = 0
    event_types: Tally = field(default_factory=Tally)
    comments: int = 0
    ids: bool = False
    last_event_id: str | None = None
    retries: FirstFew[int] = field(default_factory=FirstFew)
    ignored_fields: Tally = field(default_factory=Tally)
    discarded_tail: bool = False
    reconnecting: bool = False
    finished: bool = False
    repeats: int = 0
    bytes: int = 0
    findings: list[Finding] = field(default_factory=list)
    hidden: list[Finding] = field(default_factory=list)

    def connect(self, conn: Connection) -> None:
        """Add a connection, the latest so far."""
        self.connections.append(conn)
        if len(self.connections) > CONNECTIONS_KEPT:
            gone = self.connections.pop(CONNECTIONS_KEPT // 2)
            self.left_out_count += 1
            self.left_out.events += gone.events
            self.left_out.bytes += gone.bytes
            self.left_out.reads += gone.reads

    @property
    def connection_count(self) -> int:
        """How many connections served it."""
        return len(self.connections) + self.left_out_count

    @property
    def others(self) -> dict[str, int]:
        """By the name of a list in the result: how many of its things were only counted, where there were too many."""
        counts = {
            "event_types": self.event_types.others,
            "ignored_fields": self.ignored_fields.others,
            "retry": self.retries.others,
            "tool_calls": self.answer.further_calls,
            "connections": self.left_out_count,
        }
        return {name: count for name, count in counts.items() if count}

    def write(self, deltas: Sequence[Delta]) -> Span | None:
        """Add an event's deltas to the answer; gives the span of its transcript that they wrote."""
        transcript = self.answer.transcript
        start = transcript.length
        if len(deltas) == 1 and type(deltas[0]) is Text:  # the usual event, with as few calls as can be
            text, index, part = deltas[0]
            transcript.append("text", text, index, part)
        else:
            self.answer.add_all(deltas)
        return (start, transcript.length) if transcript.length > start else None

    @property
    def transcript(self) -> Transcript:
        """The answer's text in the order of arrival, as a reader saw it grow."""
        return self.answer.transcript

    @property
    def request(self) -> Request | None:
        """The first request; later ones only resume it. None where the recording has none."""
        return next((conn.request for conn in self.connections if conn.request is not None), None)

    @property
    def dialect_name(self) -> str:
        """The dialect that reads the turn: the one found, where it is being detected."""
        return self.dialect.chosen.name

    @property
    def output_tokens(self) -> int | None:
        """Output tokens, reasoning included, by the server's count; None where it gave none for all of the text.

        What Anthropic's ``message_start`` counts, for example, says nothing about a stream that was cut after it.
        """
        usage = self.answer.usage or {}
        output = usage.get("output")
        if output is None or not self.answer.usage_is_whole:
            return None
        return output + (usage.get("reasoning") or 0 if self.dialect.chosen.reasoning_apart else 0)

    @property
    def hidden_tokens(self) -> int:
        """Output tokens that no event showed: reasoning that the server counts but does not stream."""
        reasoning = (self.answer.usage or {}).get("reasoning") or 0
        return 0 if self.answer.reasoning_length else reasoning

    @property
    def tokens_per_event(self) -> float | None:
        """Shown output tokens per token-bearing event; None where the server gave no count."""
        return self.gaps.tokens_per_event(self.output_tokens, hidden=self.hidden_tokens)

    @property
    def tpot(self) -> Tpot:
        """Time per output token, with the source of the token count."""
        return self.gaps.tpot(self.output_tokens, hidden=self.hidden_tokens)

    @property
    def error(self) -> StreamFault | None:
        """The last error that the stream itself reported."""
        return self.answer.error

    @property
    def verdict(self) -> Verdict | None:
        """The continuity verdict; None while the turn never reconnected."""
        return self.continuity.verdict()

    @property
    def outcome(self) -> Outcome:
        """How the turn stands, in one word."""
        return self.conclusion.outcome

    @property
    def conclusion(self) -> Conclusion:
        """How the turn stands or ended, as far as the records tell, and the words for it."""
        if self.finished and not self.over:
            return Conclusion(Ending.UNFINISHED, self.events)
        if self.reconnecting:
            return Conclusion(Ending.RECONNECTING, self.events)
        last = self.connections[-1] if self.connections else Connection(0)
        if last.close is None:
            opened = Ending.STREAMING if self.events else Ending.WAITING
            return Conclusion(opened if last.response is not None else Ending.CONNECTING, self.events)
        streams = (conn.close for conn in reversed(self.connections) if conn.close and conn.streamed)
        concluded = conclude(
            EndingFacts(
                self.dialect,
                self.events,
                last.close,
                next(streams, None),
                last.response.status if last.response is not None else None,
                self.answer.substance,
                self.bytes > 0,
            )
        )
        return self._no_stream(concluded) or concluded

    def _no_stream(self, concluded: Conclusion) -> Conclusion | None:
        """A body that ended in order, and of which nothing could be read since it is not an event stream."""
        orderly = concluded.outcome in (Outcome.ENDED, Outcome.EMPTY, Outcome.STOPPED)
        last = self.connections[-1]
        read = self.events and not (last.form is Form.OBJECT and not self.dialect.answers)
        if read or self.answer.text_length or not orderly:
            return None
        response = last.response
        if response is not None and response.refused is False:
            return None  # the client asked for any type
        for finding in (*self.findings, *self.hidden):
            if finding.rule in ("wrong-content-type", "undecodable-body") and finding.own_severity == "error":
                ending = Ending.REFUSED_TYPE
                return Conclusion(ending, 0, phrase(finding.message), ending.code, hint=finding.advice)
        return None

    @property
    def over(self) -> bool:
        """True once the turn has ended, one way or another, as far as the records tell."""
        return not self.reconnecting and bool(self.connections) and self.connections[-1].close is not None
