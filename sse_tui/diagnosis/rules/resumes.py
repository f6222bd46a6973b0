"""Rules about what a resumed stream lost, repeated or began anew."""

from __future__ import annotations

import re

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.finding import Occurrence
from sse_tui.diagnosis.registry import also, rule
from sse_tui.diagnosis.view import EntryView
from sse_tui.dialects.base import Meta
from sse_tui.eventstream import Event
from sse_tui.resume import Verdict

_SEQUENCE = re.compile(r'"sequence_number"\s*:\s*(\d{1,15})\b')
_LOOKED_AT = 8  # events of a connection in which numbering must show


def _new_verdict(facts: Facts, *kinds: str) -> Verdict | None:
    """The continuity verdict, when it is one of `kinds` and this connection brought it."""
    if len(facts.turn.conns) < 2:
        return None
    verdict = facts.turn.view.verdict
    if verdict is None or verdict.kind not in kinds:
        return None
    found = (verdict.kind, verdict.n)
    if found == facts.turn.reported_verdict:
        return None
    facts.turn.reported_verdict = found
    return verdict


@rule(
    "resume-unsupported",
    "error",
    "resumed",
    "close",
    advice="Do not resume from this server by Last-Event-ID; drop what comes again, or start the answer anew.",
    reference="whatwg/html#8297; r3labs/sse#61",
)
def resume_unsupported(entry: EntryView, facts: Facts) -> Occurrence | None:
    """After the reconnect the stream began again from its start."""
    verdict = _new_verdict(facts, "restarted")
    if verdict is None:
        return None
    asked = facts.conn.request_header("last-event-id")
    if asked:
        return Occurrence(
            f"Last-Event-ID {asked[:40]!r} was not honoured: {verdict.detail}.",
            evidence={"asked": asked[:200]},
        )
    return Occurrence(
        f"The server sends its history again on every connection: {verdict.detail}.",
        "warning",
        evidence={"asked": None},
    )


@rule(
    "resume-gap",
    "error",
    "resumed",
    "close",
    advice="Fetch what is missing in another way, or start anew; keep more events on the server.",
    reference="whatwg/html#8297; term-llm#878",
)
def resume_gap(entry: EntryView, facts: Facts) -> Occurrence | None:
    """After the reconnect the stream went on later than where it had stopped."""
    verdict = _new_verdict(facts, "lost")
    if verdict is None:
        return None
    asked = facts.conn.request_header("last-event-id")
    return Occurrence(
        f"{verdict.n} events between the cut and the resume are missing (asked to go on after {asked!r}).",
        evidence={"missing": verdict.n, "asked": asked, "detail": verdict.detail},
    )


@also("resume-gap", "response")
def other_place(entry: EntryView, facts: Facts) -> Occurrence | None:
    """The server says by its own Last-Event-ID that it goes on from elsewhere."""
    asked = facts.conn.request_header("last-event-id")
    answered = facts.conn.response_header("last-event-id")
    if not asked or answered is None or answered == asked:
        return None
    return Occurrence(
        f"The resume asked for what follows {asked[:40]!r}, the server goes on after {answered[:40]!r}: "
        "events may be lost.",
        "warning",
        evidence={"asked": asked[:200], "answered": answered[:200]},
    )


@also("resume-gap", "event")
def sequence_jump(entry: EntryView, facts: Facts) -> Occurrence | None:
    """Sequence numbers inside the payloads that jump, or that begin in the middle."""
    item, conn = entry.item, facts.conn
    for delta in entry.deltas:
        if isinstance(delta, Meta) and delta.name == "sequence-gap":
            return _jumped(delta.value[0] - 1, delta.value[1])
    if not isinstance(item, Event) or not (conn.numbered or conn.events < _LOOKED_AT):
        return None
    found = _SEQUENCE.search(item.data)
    if found is None:
        return None
    number, last = int(found[1]), conn.sequence
    conn.sequence, conn.numbered = (
        number,
        facts.turn.dialect != "openai-responses",
    )  # that one tells of gaps itself
    if last is None:
        return _late_start(number, facts)
    return _jumped(last, number) if conn.numbered and number != last + 1 else None


def _jumped(last: int, number: int) -> Occurrence:
    missing = number - last - 1
    return Occurrence(
        f"The sequence number went from {last} to {number}: "
        + (f"{missing} events are missing." if missing > 0 else "events came again or out of order."),
        "warning",
        evidence={"before": last, "number": number},
    )


def _late_start(number: int, facts: Facts) -> Occurrence | None:
    request = facts.conn.request
    if number < 2 or facts.conn.events or (request is not None and "starting_after" in request.url):
        return None
    if len(facts.turn.conns) > 1:
        return None
    return Occurrence(
        f"The stream begins at sequence number {number}: what came before is missing, and helpers that wait "
        "for the first event fail.",
        "warning",
        evidence={"before": None, "number": number},
    )


@rule(
    "resume-duplicate",
    "warning",
    "resumed",
    "close",
    advice="Drop events whose id has been seen; start a resume behind the id that was sent.",
    reference="r3labs/sse#61; strands-agents/harness-sdk#2771",
)
def resume_duplicate(entry: EntryView, facts: Facts) -> Occurrence | None:
    """After the reconnect events came again that had been received."""
    if entry.kind == "event" and entry.repeat:
        return None  # counted when the first new one comes, or at the end
    verdict = _new_verdict(facts, "repeated")
    if verdict is None:
        return None
    return Occurrence(
        f"{verdict.n} events came again after the reconnect; they were left out of the answer.",
        evidence={"repeated": verdict.n},
    )
