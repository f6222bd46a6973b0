"""Rules about event ids: whether a client can resume from them, and whether a header can carry them."""

from __future__ import annotations

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import CLOSE, ID, IGNORED, Occurrence, also, rule
from sse_tui.eventstream import Event, Ignored, NoData
from sse_tui.recording.records import Close
from sse_tui.resume.numbering import split

LONG = 128  # bytes: above that, a browser sends a CORS preflight before it sends Last-Event-ID


@rule(
    "warning",
    IGNORED,
    advice="Keep NUL characters out of ids.",
    reference="HTML standard 9.2.6; WPT format-field-id-null",
)
def id_nul(ignored: Ignored, facts: Facts) -> Occurrence | None:
    """An id that contains NUL: the standard ignores the field, so the previous id stays in effect."""
    if ignored.line.partition(":")[0] != "id" or "\0" not in ignored.line:
        return None
    facts.conn.nul_ids += 1
    return Occurrence(
        "The id contains a NUL character and is ignored, so a resume goes back to the previous id."
    )


@rule(
    "warning",
    ID,
    advice="Use ASCII ids.",
    reference="whatwg/html#7363",
)
def id_nonascii(item: Event | NoData, facts: Facts) -> Occurrence | None:
    """An id that is not ASCII: clients encode it differently in the Last-Event-ID header."""
    if item.id.isascii():
        return None
    return Occurrence(
        f"The id {item.id[:60]!r} is not ASCII. In Last-Event-ID some clients send it as UTF-8, others as Latin-1, and "
        "others fail."
    )


@rule(
    "info",
    ID,
    advice="Keep ids to 128 bytes or less, for example a number that the server maps to its position.",
    reference="Fetch standard, CORS-safelisted request-header; Wikimedia EventStreams",
)
def id_long(item: Event | NoData, facts: Facts) -> Occurrence | None:
    """An id over 128 bytes: a browser sends a CORS preflight before it resumes."""
    size = len(item.id.encode("utf-8", "replace"))
    if size <= LONG:
        return None
    return Occurrence(
        f"The id is {size} bytes long. Above {LONG} bytes a browser needs a CORS preflight to resume across origins.",
        "info" if facts.turn.dialect == "wikimedia" else None,  # its ids name a place in each topic
        evidence={"bytes": size},
    )


@rule(
    "warning",
    ID,
    advice="Number events in ascending order, and never reset the numbers within a stream.",
    reference="Mercure specification; MCP specification, resumability",
)
def id_not_monotonic(item: Event | NoData, facts: Facts) -> Occurrence | None:
    """Numbered ids that go back within a connection: a resume repeats or skips events."""
    new = item.id
    if not new:
        return None
    before, last = facts.conn.last_number
    prefix, number = facts.conn.last_number = split(new)
    if not facts.conn.own_ids or new in facts.conn.ids:
        return None
    if number is None or last is None or prefix != before or number > last:
        return None
    return Occurrence(
        f"The id went back from {facts.conn.last_id[:40]!r} to {new[:40]!r}: a resume may repeat or skip events.",
        evidence={"before": facts.conn.last_id[:80], "id": new[:80]},
    )


@rule(
    "warning",
    ID,
    advice="Give every event an id of its own.",
    reference="MCP specification, resumability; r3labs/sse#61",
)
def id_reused(item: Event | NoData, facts: Facts) -> Occurrence | None:
    """An id that an earlier event of the connection had: a resume cannot tell which of the two was last."""
    earlier = facts.conn.ids.get(item.id)
    if not item.id or earlier is None or facts.entry.repeat:
        return None
    if facts.conn.nul_ids and item.id == facts.conn.last_id:  # between the two was an id that is ignored
        return None
    return Occurrence(
        f"The id {item.id[:40]!r} was already used by event {earlier}: a resume cannot tell which of the two was last.",
        evidence={"id": item.id[:80], "earlier": earlier},
    )


@rule(
    "warning",
    CLOSE,
    advice="Send an id with every event that must not be lost or repeated.",
    reference="MCP specification, resumability; Mercure specification",
)
def id_missing(_: Close, facts: Facts) -> Occurrence | None:
    """Events without an id from a server that sends ids: a resume repeats them."""
    conn = facts.conn
    without = conn.without_id - conn.nul_ids  # which have one, if not one that counts
    if not conn.own_ids or without <= 0:
        return None
    return Occurrence(
        f"{without} of {conn.own_ids + without} events had no id of their own. If the connection "
        "breaks right after one of them, a resume repeats it.",
        evidence={"with_id": conn.own_ids, "without_id": without},
    )


@also("id-missing", CLOSE)
def ids_gone(_: Close, facts: Facts) -> Occurrence | None:
    """The same for a resumed connection whose events have no ids at all."""
    conn = facts.conn
    asked = conn.request_header("last-event-id")
    if not asked or conn.own_ids or not conn.events:
        return None
    return Occurrence(
        f"The connection was resumed from {asked[:40]!r}, but no event on it has an id ({conn.events} in all): "
        "another resume would start at the same point.",
        evidence={"with_id": 0, "without_id": conn.events},
    )
