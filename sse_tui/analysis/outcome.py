"""How a connection and a turn ended: the one place that decides it, and the one that puts it into words.

The transport, the live view, a reopened file, the report and the findings all take an `Outcome`, an `Ending` and
their words from here, so that one stream never has two verdicts. A new ending is a line in `Ending`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, StrEnum

from sse_tui.analysis.end_markers import END_MARKERS
from sse_tui.dialects.base import Dialect
from sse_tui.dialects.inband import fault_words
from sse_tui.dialects.substance import Substance
from sse_tui.errors import ConnectError, HttpError, SseTuiError, StreamError
from sse_tui.recording.records import FINISH_WAIT, Close, CloseReason
from sse_tui.text.wording import many, phrase


class Outcome(StrEnum):
    """How a turn stands, by the name that JSON, expectations and the header use."""

    CONNECTING = "connecting"
    WAITING = "waiting"  # for the first event
    STREAMING = "streaming"
    RECONNECTING = "reconnecting"
    UNFINISHED = "unfinished"  # the recording ends before the turn does
    COMPLETE = "complete"
    ENDED = "ended"  # in order, and nothing tells whether that was all
    EMPTY = "empty"  # in order, and the answer holds nothing
    STOPPED = "stopped"  # by the client
    TRUNCATED = "truncated"
    STOPPED_BY_PROVIDER = "stopped-by-provider"  # by a finish reason that is a failure
    ERROR = "error"  # reported in the stream
    REFUSED = "refused"  # a response, but not an event stream
    FAILED = "failed"  # no response

    @property
    def complete(self) -> bool | None:
        """Whether the whole answer arrived; None where that is unknown, or the turn was stopped."""
        return True if self is Outcome.COMPLETE else False if self in _ERRORS else None

    @property
    def failed(self) -> bool:
        """Whether it counts towards the error rate."""
        return self in _FAILED


_FAILED = (Outcome.ERROR, Outcome.STOPPED_BY_PROVIDER, Outcome.EMPTY, Outcome.REFUSED, Outcome.FAILED)
_ERRORS: dict[Outcome, type[SseTuiError]] = {
    Outcome.TRUNCATED: StreamError,
    Outcome.EMPTY: StreamError,
    Outcome.STOPPED_BY_PROVIDER: StreamError,
    Outcome.ERROR: StreamError,
    Outcome.REFUSED: HttpError,
    Outcome.FAILED: ConnectError,
}


def _cut(bare: str, code: str = "truncated-stream") -> tuple[Outcome, str, str, str]:
    return Outcome.TRUNCATED, "{detail}", code, bare


class Ending(Enum):
    """Why a turn stands as it does.

    Each has its outcome, which gives the class of its error and so the exit code; its words, where `{detail}` is what
    the transport or the server said and `{marker}` the end marker of the dialect; the code of its error ("" where the
    transport's own is kept); and its words without a detail, if these are others.
    """

    CONNECTING = Outcome.CONNECTING, "connecting"
    WAITING = Outcome.WAITING, "waiting for the first event"
    STREAMING = Outcome.STREAMING, "streaming"
    RECONNECTING = Outcome.RECONNECTING, "reconnecting"
    UNFINISHED = Outcome.UNFINISHED, "the recording ends before the stream does"

    MARKED = Outcome.COMPLETE, "the stream's end marker arrived"
    FINISHED = Outcome.COMPLETE, "the answer was finished when the body ended"
    CUT_AFTER = Outcome.COMPLETE, "the answer was finished before the connection broke: {detail}"
    LEFT_OPEN = Outcome.COMPLETE, "the answer was finished, but the server kept the connection open"
    ENDED = (
        Outcome.ENDED,
        "the body ended normally; this dialect has no end marker, so whether that was all is unknown",
    )
    UNREASONED = Outcome.ENDED, "ended without a finish reason"
    SENTINEL = Outcome.ENDED, "[DONE] came; without a known dialect, whether that was all is unknown"
    NOTHING_LEFT = Outcome.ENDED, "the server answered 204: there is nothing more to read"
    STOPPED = Outcome.STOPPED, "stopped by the client"

    NO_MARKER = Outcome.TRUNCATED, "the body ended normally, but without {marker}", "truncated-stream"
    INCOMPLETE = _cut("the connection closed before the end of the body")
    RESET = _cut("the connection was reset")
    LOST = _cut("the connection failed")
    FAULT = Outcome.TRUNCATED, "an injected fault broke the connection: {detail}", "truncated-stream"
    CODING_CUT = _cut("the body ended within its compressed data")
    NOT_CONTINUED = (
        Outcome.TRUNCATED,
        "the server answered 204 to the request for the rest",
        "truncated-stream",
    )
    NOT_RESUMED = Outcome.TRUNCATED, "it could not be resumed: {detail}", "resume-failed"
    TIMED_OUT = _cut("a time limit passed", "timeout")
    FIRST_BYTE_TIMEOUT = _cut("no data arrived within the first-byte timeout", "first-byte-timeout")
    IDLE_TIMEOUT = _cut("no data arrived within the idle timeout", "idle-timeout")
    TOTAL_TIMEOUT = _cut("the total time ran out", "total-timeout")
    UNDECODABLE = _cut("the body cannot be decoded", "content-coding")
    RUNAWAY = _cut("the compressed body expands beyond all bounds", "runaway-compression")
    TOO_LARGE = _cut("an event is too large", "event-too-large")
    CAPTURE_GONE = _cut("the capture process ended", "capture-gone")

    EMPTY = Outcome.EMPTY, "empty: {detail}", "empty-answer"
    EMPTY_BODY = Outcome.EMPTY, "the response's body is empty", "empty-answer"
    NOT_UNDERSTOOD = (
        Outcome.EMPTY,
        "empty: no event was understood in the dialect {detail}",
        "empty-answer",
        "empty: no event was understood",
    )
    PROVIDER_STOP = Outcome.STOPPED_BY_PROVIDER, "stopped by the provider: {detail}", "stopped-by-provider"

    REPORTED = Outcome.ERROR, "the server reported an error in the stream: {detail}", "in-band-error"
    REFUSED_STATUS = Outcome.REFUSED, "{detail}", "", "the server refused the request"
    REFUSED_TYPE = Outcome.REFUSED, "{detail}", "not-an-event-stream", "the response is not an event stream"
    NO_RESPONSE = Outcome.FAILED, "{detail}", "", "there was no response"
    FAULT_BEFORE = (
        Outcome.FAILED,
        "{detail}",
        "fault",
        "an injected fault ended the connection before a response",
    )
    RECONNECT_FAILED = (
        Outcome.FAILED,
        "the stream ended normally, and a reconnect failed: {detail}",
        "reconnect-failed",
    )

    def __init__(self, outcome: Outcome, words: str, code: str = "", bare: str = "") -> None:
        self.outcome = outcome
        self.words = words
        self.bare = bare or words.removesuffix(": {detail}")
        self.error = _ERRORS.get(outcome)
        self.code = code


_FAILED_REQUESTS = frozenset(
    (
        Ending.REFUSED_STATUS,
        Ending.NO_RESPONSE,
        Ending.FAULT_BEFORE,
        Ending.RECONNECT_FAILED,
        Ending.NOT_RESUMED,
    )
)

_BY_REASON = {
    CloseReason.INCOMPLETE: Ending.INCOMPLETE,
    CloseReason.RESET: Ending.RESET,
    CloseReason.TIMEOUT: Ending.TIMED_OUT,
    CloseReason.FAULT: Ending.FAULT,
    CloseReason.ERROR: Ending.LOST,
    # A response that was read as a stream and closed as refused all the same: only a hand-made file has it.
    CloseReason.REFUSED: Ending.LOST,
}
# Closes of a stream whose code says more than their reason.
_BY_CODE = {
    (CloseReason.INCOMPLETE, "content-coding"): Ending.CODING_CUT,
    (CloseReason.ERROR, "content-coding"): Ending.UNDECODABLE,
    (CloseReason.ERROR, "runaway-compression"): Ending.RUNAWAY,
    (CloseReason.ERROR, "event-too-large"): Ending.TOO_LARGE,
    (CloseReason.ERROR, "capture-gone"): Ending.CAPTURE_GONE,
    (CloseReason.TIMEOUT, "first-byte-timeout"): Ending.FIRST_BYTE_TIMEOUT,
    (CloseReason.TIMEOUT, "idle-timeout"): Ending.IDLE_TIMEOUT,
    (CloseReason.TIMEOUT, "total-timeout"): Ending.TOTAL_TIMEOUT,
}


@dataclass(frozen=True, slots=True)
class EndingFacts:
    """What a conclusion is drawn from.

    `close` is the last close record, None where not even a request could be sent; `stream` that of the last
    connection whose body was read as a stream, None where there was none. `status` is that of the last response.
    `received`: a byte of a stream's body came.
    """

    dialect: Dialect
    events: int
    close: Close | None
    stream: Close | None
    status: int | None = None
    substance: Substance = field(default_factory=Substance)
    received: bool = True

    @property
    def stopped_by(self) -> str:
        """Why the provider stopped the answer, in words; "" where it did not."""
        return self.substance.stopped_by(self.dialect.chosen.name)


@dataclass(frozen=True, slots=True)
class Conclusion:
    """How a turn stands or ended, and its words. `events` counts those of all its connections."""

    ending: Ending
    events: int = 0
    detail: str = ""
    code: str = ""
    marker: str = "its end marker"
    hint: str = ""

    @property
    def outcome(self) -> Outcome:
        """How the turn stands, in one word."""
        return self.ending.outcome

    @property
    def truncated(self) -> bool:
        """Whether the stream broke off before the answer was whole."""
        return self.ending.outcome is Outcome.TRUNCATED

    @property
    def request_failed(self) -> bool:
        """Whether a request got no stream: the first one, or the last that was to go on with a stream."""
        return self.ending in _FAILED_REQUESTS

    @property
    def how(self) -> str:
        """The reason as a phrase: "the server reset the connection"."""
        words = self.ending.words if self.detail else self.ending.bare
        return words.format(detail=self.detail, marker=self.marker)

    @property
    def statement(self) -> str:
        """The outcome and its reason: "truncated: the server reset the connection"."""
        how = self.how
        named = self.outcome in (Outcome.ERROR, Outcome.STOPPED_BY_PROVIDER) or how.startswith(self.outcome)
        return how if named else f"{self.outcome}: {how}"

    @property
    def brief(self) -> str:
        """The statement where something went wrong with the connection, else the outcome alone."""
        broken = self.outcome in _ERRORS and self.outcome is not Outcome.ERROR
        return self.statement if broken else self.outcome

    @property
    def sentence(self) -> str:
        """The same as one sentence: "The stream was truncated after 3 events: the server reset the connection."""
        how = self.how
        after = f"after {many(self.events, 'event')}"
        if self.truncated:
            return f"The stream was truncated {after}: {how}."
        if self.ending is Ending.PROVIDER_STOP:
            return f"The provider stopped the answer {after}: {self.detail}."
        if self.ending in (Ending.EMPTY, Ending.NOT_UNDERSTOOD):
            return f"The answer is {how}."
        if self.ending in (Ending.REPORTED, Ending.RECONNECT_FAILED):
            # "... in the stream after 3 events: overloaded", "The stream ended normally after 3 events, and ..."
            mark = ": " if self.ending is Ending.REPORTED else ", "
            head, _, rest = how.partition(mark)
            how = f"{head} {after}{mark}{rest}" if rest else f"{head} {after}"
        return f"{how[:1].upper()}{how[1:]}."

    def problem(self, seen: SseTuiError | None = None, stop_reason: str = "") -> SseTuiError | None:
        """The error it is to a caller; None where nothing went wrong, or the turn still runs.

        Who was there adds what records do not hold: `seen` is the transport's error of the last attempt, whose hint
        and class are kept, `stop_reason` says why there was no further attempt.
        """
        if self.ending.error is None:
            return None
        first = (
            self.outcome in (Outcome.REFUSED, Outcome.FAILED) and self.ending is not Ending.RECONNECT_FAILED
        )
        if seen is not None and first:
            return type(seen)(seen.code, self.sentence if self.detail else seen.message, seen.hint)
        hint = self.hint if seen is None or seen.code != self.code else seen.hint
        if not hint and stop_reason:
            hint = f"There was no further attempt: {stop_reason}."
        return self.ending.error(self.code, self.sentence, hint)


def conclude(facts: EndingFacts) -> Conclusion:
    """How a turn ended whose last connection is closed, or that could not send a request."""
    close = facts.close
    ending = _ending(facts, close) if close is not None else Ending.NO_RESPONSE
    if ending is Ending.REPORTED and facts.substance.fault is not None:
        detail = fault_words(facts.substance.fault)
    elif ending in _DETAILS:
        detail = _DETAILS[ending](facts)
    elif ending is Ending.CUT_AFTER and facts.stream is not None:
        detail = phrase(facts.stream.detail)
    else:
        detail = phrase(close.detail) if close is not None else ""
        if ending is Ending.REFUSED_STATUS and not detail and facts.status is not None:
            detail = f"the server answered {facts.status}"
    unnamed = f"http-{facts.status}" if facts.status is not None else "no-response"
    return Conclusion(
        ending,
        facts.events,
        detail,
        ending.code or (close.code if close is not None else "") or unnamed,
        END_MARKERS.get(facts.dialect.chosen.name, "its end marker"),
    )


# What the detail of an ending is, where it is not that of the close record.
_DETAILS: dict[Ending, Callable[[EndingFacts], str]] = {
    Ending.PROVIDER_STOP: lambda facts: facts.stopped_by,
    Ending.EMPTY: lambda facts: facts.substance.contents(),
    Ending.NOT_UNDERSTOOD: lambda facts: facts.dialect.chosen.name,
}


def _ending(facts: EndingFacts, close: Close) -> Ending:
    """How it ended: what the stream reports comes first, then whether it is whole, then whether it holds anything."""
    dialect, cause = facts.dialect, close.cause
    if facts.substance.fault is not None:
        return Ending.REPORTED
    by_user = cause is CloseReason.CLIENT and close.code != FINISH_WAIT
    if (not by_user or dialect.ended or dialect.complete) and facts.stopped_by:
        return Ending.PROVIDER_STOP
    if by_user and not dialect.ended:
        return Ending.STOPPED
    return _nothing(facts, close) or _end(facts, close)


def _nothing(facts: EndingFacts, close: Close) -> Ending | None:
    """A stream that ended in order and holds nothing; None for any other."""
    dialect, orderly = facts.dialect, close is facts.stream and close.cause is CloseReason.EOF
    if orderly and not facts.received:
        return Ending.EMPTY_BODY
    substance = facts.substance
    if dialect.ended and dialect.chosen.sentinel == "ends" and facts.events <= substance.beats:
        return Ending.EMPTY  # [DONE] alone, in whatever dialect
    if not dialect.answers or not substance.empty:
        return None
    meant = substance.understood or dialect.recognised
    if orderly and not meant and facts.events > substance.beats:
        return Ending.NOT_UNDERSTOOD
    ended = dialect.ended or dialect.complete or (orderly and dialect.complete is None)
    if ended and not dialect.chosen.silent and not substance.idle(dialect.chosen.name):
        return Ending.EMPTY
    return None


def _end(facts: EndingFacts, close: Close) -> Ending:
    dialect, stream, cause = facts.dialect, facts.stream, close.cause
    if dialect.ended:
        if dialect.complete is None:
            return Ending.UNREASONED if dialect.answers else Ending.SENTINEL
        return Ending.MARKED
    if stream is None:
        return _unopened(facts, cause)
    if dialect.complete:
        # Whole is whole, however the connection went: nothing that a client needs is missing.
        if close.code == FINISH_WAIT:
            return Ending.LEFT_OPEN
        return Ending.FINISHED if stream.cause is CloseReason.EOF else Ending.CUT_AFTER
    if close is not stream:
        return _unresumed(facts, close, stream)
    if cause is CloseReason.EOF:
        return Ending.ENDED if dialect.complete is None else Ending.NO_MARKER
    return _BY_CODE.get((cause, close.code), _BY_REASON[cause])


def _unopened(facts: EndingFacts, cause: CloseReason) -> Ending:
    """No connection of the turn became a stream."""
    if cause is CloseReason.REFUSED and facts.status == 200:
        return Ending.REFUSED_TYPE
    if cause is CloseReason.REFUSED or facts.status not in (None, 200):
        return Ending.REFUSED_STATUS
    return Ending.FAULT_BEFORE if cause is CloseReason.FAULT else Ending.NO_RESPONSE


def _unresumed(facts: EndingFacts, close: Close, stream: Close) -> Ending:
    """There was a stream, and the last attempt to go on with it brought none."""
    whole = facts.dialect.complete
    if close.cause is CloseReason.REFUSED and facts.status == 204:
        return Ending.NOT_CONTINUED if whole is False else Ending.NOTHING_LEFT
    if close.code == Ending.TOTAL_TIMEOUT.code:
        return Ending.TOTAL_TIMEOUT
    orderly = stream.cause is CloseReason.EOF and whole is not False
    return Ending.RECONNECT_FAILED if orderly else Ending.NOT_RESUMED
