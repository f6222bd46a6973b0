"""Rules about resumed streams that lost events, repeated them or started over."""

from __future__ import annotations

import re

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import CLOSE, EVENT, RESPONSE, RESUMED, Occurrence, also, rule
from sse_tui.dialects.base import Meta
from sse_tui.eventstream import Event
from sse_tui.recording.records import Response
from sse_tui.resume.continuity import Verdict, VerdictKind
from sse_tui.text.wording import many

_SEQUENCE = re.compile(r'"sequence_number"\s*:\s*(\d{1,15})\b')
_NUMBERED_BY = 8  # sequence numbers must show up within this many events of a connection


def _new_verdict(facts: Facts, kind: VerdictKind) -> Verdict | None:
    """The continuity verdict, if it is of this kind and this connection led to it."""
    turn = facts.turn
    verdict = turn.view.verdict if len(turn.conns) > 1 else None
    if verdict is None or verdict.kind != kind or (kind, verdict.n) == turn.reported_verdict:
        return None
    turn.reported_verdict = kind, verdict.n
    return verdict


@rule(
    "error",
    RESUMED,
    CLOSE,
    advice="Do not resume with Last-Event-ID from this server: drop repeated events, or request the answer again.",
    reference="whatwg/html#8297; r3labs/sse#61",
)
def resume_unsupported(_: object, facts: Facts) -> Occurrence | None:
    """After the reconnect the stream started over."""
    verdict = _new_verdict(facts, "restarted")
    if verdict is None:
        return None
    asked = facts.conn.request_header("last-event-id")
    if asked:
        return Occurrence(
            f"The server ignored Last-Event-ID {asked[:40]!r}: {verdict.detail}.",
            evidence={"asked": asked[:200]},
        )
    return Occurrence(
        f"The server repeats its history on every connection: {verdict.detail}.",
        "warning",
        evidence={"asked": None},
    )


@rule(
    "error",
    RESUMED,
    CLOSE,
    advice="Get the missing events another way, or start over; keep a longer history on the server.",
    reference="whatwg/html#8297; term-llm#878",
)
def resume_gap(_: object, facts: Facts) -> Occurrence | None:
    """After the reconnect the stream continued past the point where it had stopped."""
    verdict = _new_verdict(facts, "lost")
    if verdict is None:
        return None
    asked = facts.conn.request_header("last-event-id")
    return Occurrence(
        f"{many(verdict.n, 'event')} went missing between the cut and the resume (Last-Event-ID was {asked!r}).",
        evidence={"missing": verdict.n, "asked": asked, "detail": verdict.detail},
    )


@also("resume-gap", RESPONSE)
def other_place(_: Response, facts: Facts) -> Occurrence | None:
    """The server's own Last-Event-ID says that it continues from elsewhere."""
    asked = facts.conn.request_header("last-event-id")
    answered = facts.conn.response_header("last-event-id")
    if not asked or answered is None or answered == asked:
        return None
    return Occurrence(
        f"The client asked to resume after {asked[:40]!r}, but the server continues after {answered[:40]!r}: events "
        "may be lost.",
        "warning",
        evidence={"asked": asked[:200], "answered": answered[:200]},
    )


@also("resume-gap", EVENT)
def sequence_jump(event: Event, facts: Facts) -> Occurrence | None:
    """Sequence numbers in the payloads that jump, or that do not start at the beginning."""
    conn = facts.conn
    for delta in facts.entry.deltas:
        if isinstance(delta, Meta) and delta.name == "sequence-gap":
            return _jumped(delta.value[0] - 1, delta.value[1])
    if not conn.numbered and conn.events >= _NUMBERED_BY:
        return None
    found = _SEQUENCE.search(event.data)
    if found is None:
        return None
    number, last = int(found[1]), conn.sequence
    conn.sequence = number
    conn.numbered = facts.turn.dialect != "openai-responses"  # that dialect reports gaps itself
    if last is None:
        return _late_start(number, facts)
    return _jumped(last, number) if conn.numbered and number != last + 1 else None


def _jumped(last: int, number: int) -> Occurrence:
    missing = number - last - 1
    how = f"{many(missing, 'event')} missing" if missing > 0 else "events were repeated or came out of order"
    return Occurrence(
        f"The sequence number went from {last} to {number}: {how}.",
        "warning",
        evidence={"before": last, "number": number},
    )


def _late_start(number: int, facts: Facts) -> Occurrence | None:
    request = facts.conn.request
    if number < 2 or facts.conn.events or len(facts.turn.conns) > 1:
        return None
    if request is not None and "starting_after" in request.url:
        return None
    return Occurrence(
        f"The stream starts at sequence number {number}: earlier events are missing, and helpers that wait for the "
        "first event fail.",
        "warning",
        evidence={"before": None, "number": number},
    )


@rule(
    "warning",
    RESUMED,
    CLOSE,
    advice="In the client, drop events with a known id; in the server, resume after the id in Last-Event-ID.",
    reference="r3labs/sse#61; strands-agents/harness-sdk#2771",
)
def resume_duplicate(_: object, facts: Facts) -> Occurrence | None:
    """After the reconnect the server repeated events that had already arrived."""
    if facts.entry.kind == "event" and facts.entry.repeat:
        return None  # they are counted when the first new event arrives, or at the end
    verdict = _new_verdict(facts, "repeated")
    if verdict is None:
        return None
    return Occurrence(
        f"The server repeated {many(verdict.n, 'event')} after the reconnect; the answer leaves them out.",
        evidence={"repeated": verdict.n},
    )
