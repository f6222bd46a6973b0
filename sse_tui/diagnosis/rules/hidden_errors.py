"""Rules about errors hidden behind a status of 200."""

from __future__ import annotations

import re

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import DELTAS, IGNORED, NO_DATA, Occurrence, also, rule
from sse_tui.dialects.base import Meta, StreamFault
from sse_tui.dialects.inband import fault_in
from sse_tui.dialects.payload import JsonError, decode
from sse_tui.eventstream import Event, Ignored, NoData
from sse_tui.text.wording import many

_RAW_ERROR = re.compile(r'\s*"(error|error_type)"\s*:')
_LINE_PROTOCOLS = ("ollama", "kubernetes-watch")
_RETRYABLE = re.compile(
    r"overload|rate.?limit|capacity|timeout|unavailable|server_error|too.?many|try.again|\b5\d\d\b|429", re.I
)


@rule(
    "error",
    DELTAS,
    advice="Treat the request as failed: what arrived before the error is not a complete answer.",
    reference="ggml-org/llama.cpp#14566; aaif-goose/goose#8031; maximhq/bifrost#5262",
)
def in_band_error(_: Event, facts: Facts) -> Occurrence | None:
    """An error reported inside the stream, after the status 200 had been sent."""
    for delta in facts.entry.deltas:
        if isinstance(delta, StreamFault):
            return _reported(delta, facts)
    return None


@also("in-band-error", IGNORED)
def error_in_ignored_line(ignored: Ignored, facts: Facts) -> Occurrence | None:
    """The same in a line that the standard ignores: an ``error`` field, or raw JSON."""
    line = ignored.line.strip()
    name, colon, value = line.partition(":")
    if name.strip().lower() == "error" and colon:
        text, announced, how = value.strip(), True, "sent as a field named 'error'"
    elif line.startswith("{"):
        text, announced, how = line, False, "sent as raw JSON without 'data:'"
    elif _RAW_ERROR.match(line):
        text, announced, how = "{" + line.rstrip(",") + "}", True, "sent as raw JSON over several lines"
    else:
        return None
    fault = _parsed(text, announced=announced)
    if fault is None and not announced:
        return None
    occurrence = _reported(fault, facts)
    if facts.turn.dialect in _LINE_PROTOCOLS:
        return occurrence
    message = f"{occurrence.message} It was {how}, so conforming clients never see it."
    return occurrence._replace(message=message)


@also("in-band-error", NO_DATA)
def error_without_data(block: NoData, facts: Facts) -> Occurrence | None:
    """The same for an event named ``error`` without data."""
    if block.type != "error":
        return None
    return _reported(StreamFault(None, None, "an event named 'error' without data"), facts)


@also("in-band-error", DELTAS)
def misleading_end(_: Event, facts: Facts) -> Occurrence | None:
    """The end marker after an error: a client that looks only for that takes the answer to be complete."""
    names = {delta.name for delta in facts.entry.deltas if isinstance(delta, Meta)}
    if not facts.turn.fault_seen or not names & {"done", "after-end"}:
        return None
    return Occurrence("", amend=True, evidence={"followed_by_end_marker": True})


def _parsed(text: str, *, announced: bool) -> StreamFault | None:
    try:
        payload = decode(text)
    except JsonError:
        payload = None
    if isinstance(payload, dict):
        return fault_in(payload, announced=announced)
    return StreamFault(None, None, text or None) if announced else None


def _reported(fault: StreamFault | None, facts: Facts) -> Occurrence:
    facts.turn.fault_seen = True
    type_, code, message = fault or StreamFault(None, None, None)
    named = " ".join(str(part) for part in (type_, code) if part is not None)
    retryable = bool(_RETRYABLE.search(f"{named} {message or ''}"))
    tokens = sum(conn.token_events for conn in facts.turn.conns)
    said = (message or "no message")[:200]
    again = "A retry may succeed." if retryable else "A retry is unlikely to help."
    return Occurrence(
        f"The server reported an error in the stream after {many(tokens, 'token event')}: "
        f"{named + ': ' if named else ''}{said.rstrip('.')}. {again}",
        evidence={
            "type": type_,
            "code": code,
            "message": said,
            "token_events_before": tokens,
            "retryable": retryable,
        },
    )
