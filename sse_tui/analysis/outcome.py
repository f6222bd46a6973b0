"""How a turn can stand or end, and the words for it; `concluding` decides which it is.

The transport, the live view, a reopened file, the report and the findings all take an `Outcome`, an `Ending` and
their words from here, so that one stream never has two verdicts. A new ending is a line in `Ending`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum

from sse_tui.errors import ConnectError, HttpError, SseTuiError, StreamError
from sse_tui.text.wording import many


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


# After these nobody expects another attempt.
_IN_ORDER = frozenset((Ending.PROVIDER_STOP, Ending.EMPTY))
_HINTS = {Ending.NOT_UNDERSTOOD: "Leave --dialect out, and the dialect is detected."}


@dataclass(frozen=True, slots=True)
class Conclusion:
    """How a turn stands or ended, and its words. `events` counts those of all its connections."""

    ending: Ending
    events: int = 0
    detail: str = ""
    code: str = ""
    marker: str = "its end marker"
    hint: str = ""
    lines: bool = False  # a body of lines, which has no events

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
        after = "" if self.lines and not self.events else f" after {many(self.events, 'event')}"
        if self.truncated:
            return f"The stream was truncated{after}: {how}."
        if self.ending is Ending.PROVIDER_STOP:
            return f"The provider stopped the answer{after}: {self.detail}."
        if self.ending in (Ending.EMPTY, Ending.NOT_UNDERSTOOD):
            return f"The answer is {how}."
        if self.ending in (Ending.REPORTED, Ending.RECONNECT_FAILED):
            # "... in the stream after 3 events: overloaded", "The stream ended normally after 3 events, and ..."
            mark = ": " if self.ending is Ending.REPORTED else ", "
            head, _, rest = how.partition(mark)
            how = f"{head}{after}{mark}{rest}" if rest else f"{head}{after}"
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
        hint = hint or _HINTS.get(self.ending, "")
        if not hint and stop_reason and self.ending not in _IN_ORDER:
            hint = f"There was no further attempt: {stop_reason}."
        return self.ending.error(self.code, self.sentence, hint)
