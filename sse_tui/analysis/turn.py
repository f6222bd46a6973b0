"""One request of the user and every connection that served it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from sse_tui import dialects
from sse_tui.analysis.entry import Span
from sse_tui.diagnosis import Finding
from sse_tui.dialects import Answer
from sse_tui.dialects.base import Delta, Dialect, StreamFault
from sse_tui.dialects.transcript import Transcript
from sse_tui.metrics import ClockBuilder, Gaps, Tpot
from sse_tui.recording.records import Close, Request, Response
from sse_tui.resume import Continuity, Verdict


@dataclass
class Connection:
    """What is known of one connection."""

    number: int
    request: Request | None = None
    response: Response | None = None
    close: Close | None = None
    events: int = 0
    bytes: int = 0
    reads: int = 0


@dataclass
class Turn:
    """Everything derived from one turn's records.

    The transcript is the answer in the order of arrival, as a reader saw it grow; `answer` is the assembled result in
    the order of choices. They differ only for responses with several choices or interleaved tool calls.
    """

    number: int
    dialect: Dialect = field(default_factory=lambda: dialects.create("auto"))
    answer: Answer = field(default_factory=Answer)
    clocks: ClockBuilder = field(default_factory=ClockBuilder)
    gaps: Gaps = field(default_factory=Gaps)
    continuity: Continuity = field(default_factory=Continuity)
    connections: list[Connection] = field(default_factory=list)
    events: int = 0
    event_types: Counter[str] = field(default_factory=Counter)
    comments: int = 0
    ids: bool = False
    last_event_id: str | None = None
    retries: list[int] = field(default_factory=list)
    ignored_fields: Counter[str] = field(default_factory=Counter)
    discarded_tail: bool = False
    reconnecting: bool = False
    repeats: int = 0
    bytes: int = 0
    findings: list[Finding] = field(default_factory=list)

    def write(self, deltas: Sequence[Delta]) -> Span | None:
        """Add an event's deltas to the answer; gives the span of its transcript that they wrote."""
        start = self.transcript.length
        for delta in deltas:
            self.answer.add(delta)
        return (start, self.transcript.length) if self.transcript.length > start else None

    @property
    def transcript(self) -> Transcript:
        """The answer's text in the order of arrival, as a reader saw it grow."""
        return self.answer.transcript

    @property
    def dialect_name(self) -> str:
        """The dialect that reads the turn: the one found, where it is being detected."""
        return self.dialect.chosen.name

    @property
    def output_tokens(self) -> int | None:
        """Output tokens by the server's count; None where it gave none."""
        return (self.answer.usage or {}).get("output")

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
    def outcome(self) -> str:
        """How the turn stands.

        "connecting", "waiting" (for the first event), "streaming", "reconnecting"; and at its end "complete", "ended"
        (an orderly end of a stream whose dialect has no terminal marker), "stopped" (by us), "truncated", "error"
        (reported inside the stream), "refused" (not an event stream) or "failed" (no response at all).
        """
        if self.reconnecting or not self.connections:
            return "reconnecting" if self.reconnecting else "connecting"
        last = self.connections[-1]
        if last.close is None:
            if last.response is None:
                return "connecting"
            return "streaming" if self.events else "waiting"
        if self.answer.error is not None:
            return "error"
        if self.dialect.ended:
            return "complete"
        return self._closed_outcome(last, last.close.reason)

    def _closed_outcome(self, last: Connection, reason: str) -> str:
        if reason == "refused":
            return "refused"
        if reason == "client":
            return "stopped"
        # An imported stream has bytes and no response.
        if last.response is None and not last.reads:
            return "failed" if len(self.connections) == 1 else "truncated"
        if reason == "eof" and self.dialect.complete is not False:
            return "complete" if self.dialect.complete else "ended"
        return "truncated"

    @property
    def over(self) -> bool:
        """True once the turn has ended, one way or another, as far as the records tell."""
        return not self.reconnecting and bool(self.connections) and self.connections[-1].close is not None
