"""Rules about events that were wrapped, escaped or joined on the way, with what they were meant to say."""

from __future__ import annotations

import re

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.finding import Severity
from sse_tui.diagnosis.reframing import ENCODED_AGAIN, Misframing, is_payload, plain_lines
from sse_tui.diagnosis.registry import (
    BEAT,
    CLOSE,
    EVENT,
    ID,
    MISFRAMED,
    NO_DATA,
    PENDING,
    TAIL,
    Occurrence,
    also,
    rule,
)
from sse_tui.diagnosis.rereading import Rereading
from sse_tui.eventstream import Comment, Event, NoData, Tail
from sse_tui.recording.records import Close
from sse_tui.text.wording import many

# A field inside the value of another. Ids and event names have colons of their own, as in "urn:uuid:1".
_FIELD_IN_VALUE = re.compile(r"""(?:data|event):(?:\s|[{\["])|(?<![A-Za-z])(?:id|retry):\s""")
_SEVERAL = 3  # events in a body whose only event they are by the standard
_COMMENT = 64 * 1024  # characters of a comment that may be a payload
_WAIT_NS = 2_000_000_000  # lines of one event do not take so long to come


@rule(
    "error",
    MISFRAMED,
    advice="Forward the upstream's bytes as they are, or write its payloads: something adds 'data:' to lines that have "
    "their field names already.",
    reference="openclaw/openclaw#96497; aws/bedrock-agentcore-sdk-python#52",
)
def wrapped_twice(event: Event, facts: Facts) -> Occurrence | None:
    """The data of events is an event stream itself, so clients find field names where the payload should be."""
    conn = facts.conn
    found = conn.misframing_of(event)
    if found is None or found.kind != "wrapped":
        return None
    conn.wrapped += 1
    reading = conn.reread(found)
    if not reading.events:
        return None
    # A text may well be about event streams; that each event of a stream is one is no accident.
    if not found.sure and (conn.wrapped < 2 or conn.wrapped <= conn.events):
        return None
    if found.form is ENCODED_AGAIN:
        what = "a JSON string that holds JSON: the payload was encoded twice, and clients find a string where an object"
        what += " is due. Decoded again it has"
    else:
        what = f"an event stream itself, {found.form}: the stream was wrapped twice, and clients find field names "
        what += "where the payload should be. Unwrapped it has"
    return Occurrence(
        f"The data of {many(conn.wrapped, 'event')} is {what} {reading.words()}.",
        "error" if found.sure or reading.recognised else "warning",
        evidence={"form": found.form, **reading.evidence},
        group=found.kind,
        total=conn.wrapped,
    )


@also("escaped-line-ends", MISFRAMED)
@also("escaped-line-ends", TAIL)
@rule(
    "error",
    PENDING,
    advice="Write real line feeds between events: the server escapes them, for example in a JSON or raw string.",
    reference="aws/bedrock-agentcore-sdk-python#52; HTML standard 9.2.6",
)
def escaped_line_ends(item: Event | Tail, facts: Facts) -> Occurrence | None:
    r"""Events are separated by a backslash and an n instead of by line feeds."""
    found = facts.conn.misframing_of(item)
    if found is None or found.kind != "escaped":
        return None
    reading = _reading(item, found, facts)
    return Occurrence(
        f"The stream has {found.form} as characters where line ends should be, so clients read what was meant to be "
        f"{'an event' if reading.events == 1 else 'several events'} as one payload that is not valid. With real line "
        f"ends there would be {reading.words()}.",
        "error" if found.sure else "warning",
        evidence={"form": found.form, **reading.evidence},
        group=found.kind,
        total=reading.events,
    )


@also("missing-blank-lines", MISFRAMED)
@also("missing-blank-lines", TAIL)
@rule(
    "error",
    PENDING,
    advice="End every event with a blank line: write two line feeds after its data, not one.",
    reference="ReactiveX/RxNetty#484; mpetazzoni/sseclient#18; starfederation/datastar#1133",
)
def missing_blank_lines(item: Event | Tail, facts: Facts) -> Occurrence | None:
    """Events are separated by one line end instead of two, so they are one event, or none, to a client."""
    found = facts.conn.misframing_of(item)
    dispatched = isinstance(item, Event)
    if found is None:
        return None if isinstance(item, Event) else _plain_lines(item, facts)
    # A payload of several that was dispatched is for `invalid-json-event`.
    if found.kind != "unseparated" and (dispatched or found.kind != "glued"):
        return None
    reading = _reading(item, found, facts)
    certain = found.sure or reading.recognised
    seen = "clients read them as one event" if dispatched else "clients see no event in them"
    texts = "" if found.form == "fields" else ", so that several JSON texts are joined"
    ends = "one line end" if found.kind == "unseparated" else "no line end at all"
    usual: Severity = "info" if dispatched else "warning"
    return Occurrence(
        f"Events are separated by {ends} instead of a blank line{texts}: {seen}. With blank lines these would be "
        f"{reading.words()}.",
        "error" if certain else usual,
        evidence=reading.evidence,
        group=found.kind,
        total=reading.events,
    )


@also("missing-blank-lines", CLOSE)
def all_in_one(_: Close, facts: Facts) -> Occurrence | None:
    """The only event of a body was several: no server means to send that."""
    reading = facts.conn.rereadings.get("unseparated")
    if reading is None or reading.recognised or reading.events < _SEVERAL or facts.conn.events != 1:
        return None
    return Occurrence("", "warning", group="unseparated", total=reading.events)


def _reading(item: Event | Tail, found: Misframing, facts: Facts) -> Rereading:
    """What is said by the events found so far; of a block that may still grow nothing is kept."""
    if isinstance(item, Tail):
        earlier = facts.conn.rereadings.get(found.kind)
        return Rereading(found.events) if earlier is None else facts.conn.reread(found)
    return facts.conn.reread(found)


def _plain_lines(block: Tail, facts: Facts) -> Occurrence | None:
    """Lines of text that no blank line has ended: one event that was cut, or several if its lines took their time."""
    conn = facts.conn
    values = [] if conn.events else plain_lines(block.text)
    if not values:
        return None
    since, now = conn.pending[1], facts.entry.t
    ended = facts.entry.kind == "tail"
    if not ended and (since is None or now is None or now - since < _WAIT_NS):
        return None
    reading = Rereading(Event("message", value, "", 0, 0) for value in values)
    what = "ended" if ended else "has so far"
    return Occurrence(
        f"The body {what} without a blank line, so clients see no event in its {many(len(values), 'data line')}. If "
        f"each was meant as an event, these are {reading.words()}.",
        "warning",
        evidence=reading.evidence,
        group="unseparated",
        total=len(values),
    )


@rule(
    "warning",
    EVENT,
    advice="Write the fields of an event in one block, and the blank line only behind all of them.",
    reference="HTML standard 9.2.6; tokio-rs/axum#3571",
)
def premature_blank_line(event: Event, facts: Facts) -> Occurrence | None:
    """A blank line between an event's name and its data: the data is dispatched without the name."""
    conn = facts.conn
    if not conn.name_before:
        return None
    (name, end), conn.name_before = conn.name_before, None
    if event.type != "message" or event.start - end > 1:
        return None
    conn.parted += 1
    return Occurrence(
        f"A blank line parts the name of {many(conn.parted, 'event')} from the data, last {name[:40]!r}: the data is "
        "dispatched as 'message', so clients that listen for the name see nothing.",
        evidence={"type": name[:80]},
        group="parted",
        total=conn.parted,
    )


@also("premature-blank-line", NO_DATA)
def name_without_data(block: NoData, facts: Facts) -> None:
    """What may turn out to be the first part of an event."""
    facts.conn.name_before = (block.type, block.end) if block.type else None
    facts.conn.unread = False


@rule(
    "warning",
    BEAT,
    advice="Put a field's name in front of the payload: a line that starts with a colon is a comment.",
    reference="HTML standard 9.2.6",
)
def payload_in_comment(beat: Comment | Event, facts: Facts) -> Occurrence | None:
    """A payload behind a bare colon: it is a comment, which no client reads."""
    text = beat.text.lstrip() if isinstance(beat, Comment) else ""
    if text[:1] not in ("{", "d") or len(text) > _COMMENT:
        return None
    payload = text.removeprefix("data:").strip()
    if not is_payload(payload):
        return None
    reading = facts.conn.rereading("comment")
    reading.take(Event("message", payload, "", 0, 0))
    if not reading.recognised:  # servers do put figures of their own into comments
        return None
    return Occurrence(
        f"Comments hold the payloads of events, which no client sees there: {reading.words()}.",
        evidence=reading.evidence,
        group="comment",
        total=reading.events,
    )


@rule(
    "error",
    ID,
    advice="End every field with a line feed of its own.",
    reference="EventSource/eventsource#18; HTML standard 9.2.6",
)
def joined_fields(item: Event | NoData, facts: Facts) -> Occurrence | None:
    """A field's value contains the next field, because the line end between them is missing."""
    return _joined("id", item.id)


@also("joined-fields", NO_DATA)
def joined_to_name(block: NoData, facts: Facts) -> Occurrence | None:
    """The same for an event's name, which leaves the event without data."""
    return _joined("event", block.type)


def _joined(field: str, value: str) -> Occurrence | None:
    found = _FIELD_IN_VALUE.search(value)
    if found is None:
        return None
    lost = value[found.start() :]
    return Occurrence(
        f"The {field} field's value runs on into the next field, {lost[:80]!r}: the line end between them is missing, "
        f"so the {field} is wrong and the field after it is lost.",
        evidence={"field": field, "lost": lost[:200]},
    )
