"""Decides how a turn ended, from what is known of its last connections and of the answer: the one place that does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sse_tui.analysis.end_markers import END_MARKERS
from sse_tui.analysis.outcome import Conclusion, Ending
from sse_tui.dialects.base import Dialect
from sse_tui.dialects.inband import fault_words
from sse_tui.dialects.substance import Substance
from sse_tui.recording.records import FINISH_WAIT, Close, CloseReason
from sse_tui.text.wording import phrase

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


# What the detail of an ending is, where it is not that of the close record.
_DETAILS: dict[Ending, Callable[[EndingFacts], str]] = {
    Ending.PROVIDER_STOP: lambda facts: facts.stopped_by,
    Ending.EMPTY: lambda facts: facts.substance.contents(facts.dialect.chosen.name),
    Ending.NOT_UNDERSTOOD: lambda facts: facts.dialect.chosen.name,
}


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
        lines=facts.dialect.chosen.line_based,
    )


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
    if substance.done and substance.empty and facts.events <= substance.beats and (orderly or dialect.ended):
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
