"""Rules about errors hidden behind a status of 200."""

from __future__ import annotations

from collections.abc import Iterator

from sse_tui.bodies import Form
from sse_tui.diagnosis.facts import Facts, ReportedError
from sse_tui.diagnosis.registry import CLOSE, DELTAS, IGNORED, NO_DATA, TAIL, Occurrence, also, rule
from sse_tui.diagnosis.retry_advice import retry_may_help, retry_words
from sse_tui.dialects.base import Finish, Meta, StreamFault
from sse_tui.dialects.error_fields import http_status
from sse_tui.dialects.error_text import fault_in_text
from sse_tui.dialects.inband import fault_words, merged
from sse_tui.dialects.stray_lines import fault_outside
from sse_tui.eventstream import Event, Ignored, NoData, Tail
from sse_tui.recording.records import Close
from sse_tui.text.wording import many

_LENGTH = 200  # characters of a server's message that are quoted


@rule(
    "error",
    DELTAS,
    advice="Treat the request as failed: what arrived before the error is not a complete answer.",
    reference="ggml-org/llama.cpp#14566; aaif-goose/goose#8031; maximhq/bifrost#5262",
)
def in_band_error(_: Event, facts: Facts) -> Iterator[Occurrence]:
    """An error reported inside the stream, after the status 200 had been sent."""
    for delta in facts.entry.deltas:
        if isinstance(delta, StreamFault):
            yield _reported(delta, facts)
    facts.turn.finish_seen = facts.turn.finish_seen or any(
        isinstance(delta, Finish) for delta in facts.entry.deltas
    )


@also("in-band-error", IGNORED)
def error_in_ignored_line(ignored: Ignored, facts: Facts) -> Iterator[Occurrence]:
    """The same in a line that the standard ignores: an ``error`` field, raw JSON, plain text."""
    line = ignored.line.strip()
    if line.lower().startswith("error:"):
        how = "sent as a field named 'error'"
    elif line.startswith(("{", "[", "}", "]", '"')):
        how = "sent as raw JSON without 'data:'"
    elif line.startswith("<"):
        how = "sent as an HTML page without 'data:'"
    elif line.startswith("grpc-"):
        how = "sent as gRPC's trailers in the body"
    else:
        how = "sent as plain text without 'data:'"
    return _outside(how, facts)


@also("in-band-error", NO_DATA)
def error_without_data(block: NoData, facts: Facts) -> Iterator[Occurrence]:
    """The same for an event that is named so and has no data."""
    return _outside(f"sent as an event named {block.type[:60]!r} without data", facts)


@also("in-band-error", TAIL)
def error_in_tail(_: Tail, facts: Facts) -> Iterator[Occurrence]:
    """The same in the rest of a body, behind which no blank line came."""
    prose = facts.conn.body.form is Form.PROSE
    return _outside(f"sent {'as plain text' if prose else 'without a blank line behind it'}", facts)


def _outside(how: str, facts: Facts) -> Iterator[Occurrence]:
    # In a protocol of lines that is where errors belong; JSON lines of an unknown kind may be an event stream's.
    if facts.turn.line_protocol and facts.turn.dialect != "ndjson":
        how = ""
    for delta in facts.entry.deltas:
        if isinstance(delta, StreamFault):
            yield _reported(delta, facts, how)


@also("in-band-error", DELTAS)
def misleading_end(_: Event, facts: Facts) -> Occurrence | None:
    """The end marker after an error: a client that looks only for that takes the answer to be complete."""
    names = {delta.name for delta in facts.entry.deltas if isinstance(delta, Meta)}
    if facts.turn.fault is None or not names & {"done", "after-end"}:
        return None
    return Occurrence("", amend=True, evidence={"followed_by_end_marker": True})


@also("in-band-error", DELTAS)
def error_after_end(event: Event, facts: Facts) -> Occurrence | None:
    """An error after the end marker: the answer is whole, and something failed behind it."""
    if facts.turn.fault is not None or not any(
        isinstance(delta, Meta) and delta.name == "after-end" for delta in facts.entry.deltas
    ):
        return None
    fault = fault_outside(event.type, event.data)
    if fault is None:
        return None
    return Occurrence(
        f"The server reported an error after the end marker: {fault_words(fault, _LENGTH)}. The answer was whole by "
        "then, and clients that stop at the marker never see it.",
        "warning",
        advice="Look for the cause in the server's log: what failed came after the answer.",
        evidence=_evidence(fault),
    )


@also("in-band-error", CLOSE)
def text_after_error(_: Close, facts: Facts) -> Occurrence | None:
    """How the stream went on after the error."""
    known = facts.turn.fault
    after = _tokens(facts) - known.tokens if known is not None else 0
    if known is None or not after:
        return None
    return Occurrence(
        f"{_message(known, facts)} {many(after, 'token event')} followed it.",
        amend=True,
        evidence={"token_events_after": after},
    )


@also("in-band-error", CLOSE)
def error_as_text(_: Close, facts: Facts) -> Occurrence | None:
    """An answer that is nothing but an error message: some gateways send it as the model's own words."""
    view = facts.turn.view
    if facts.turn.fault is not None or not view.dialect.answers or len(view.answer.text) > _LENGTH:
        return None
    said = view.answer.text.lstrip(" \t\r\n*_`#>~").rstrip(" \t\r\n*_`")
    if (
        view.answer.calls or _tokens(facts) > 1 or fault_in_text(said) is None
    ):  # a model's text comes in pieces
        return None
    return Occurrence(
        f"The whole answer reads like an error message: {said!r}. The stream itself reports no error; gateways that "
        "turn a failure into text of the model look like this.",
        "info",
        advice="Look at the server's log, and in the client do not rely on the finish reason alone.",
        evidence={"text": said},
    )


def _reported(fault: StreamFault, facts: Facts, how: str = "") -> Occurrence:
    """An error that the stream reports; one that says more of the last one, or the same again, is the same error."""
    turn = facts.turn
    known = turn.fault
    if known is not None and (
        fault == known.fault or known.fault.message is None or turn.view.dialect.answers
    ):
        repeated = known.fault.message is not None
        known.fault = merged(known.fault, fault)
        known.times += repeated
        evidence = {**_evidence(known.fault, known.status), **({"reported": known.times} if repeated else {})}
        return Occurrence(_message(known, facts), amend=True, evidence=evidence)
    item = facts.entry.item
    status = http_status(item.data) if isinstance(item, Event) else None
    turn.fault = reported = ReportedError(fault, _tokens(facts), turn.finish_seen, how, status=status)
    evidence = {**_evidence(fault, status), "token_events_before": reported.tokens}
    return Occurrence(_message(reported, facts), evidence=evidence)


def _tokens(facts: Facts) -> int:
    return sum(conn.token_events for conn in facts.turn.conns)


def _message(error: ReportedError, facts: Facts) -> str:
    if error.finished:
        place = " after the finish reason"
    elif facts.turn.lines:
        place = ""  # there are no events to count
    else:
        place = f" after {many(error.tokens, 'token event')}"
    hidden = f" It was {error.how}, so conforming clients never see it." if error.how else ""
    return (
        f"The server reported an error in the stream{place}: {fault_words(error.fault, _LENGTH)}. "
        f"{retry_words(error.fault, error.status)}{hidden}"
    )


def _evidence(fault: StreamFault, status: int | None = None) -> dict[str, object]:
    return {
        "type": fault.type,
        "code": fault.code,
        "message": (fault.message or "no message")[:_LENGTH],
        "retryable": retry_may_help(fault, status),
    }
