"""The rule about lines that no client reads: misspelt fields, lines of a payload without a field, and others."""

from __future__ import annotations

import json

from sse_tui.bodies import Form
from sse_tui.diagnosis import line_guesses
from sse_tui.diagnosis.facts import Facts, Unprefixed
from sse_tui.diagnosis.reframing import FIELDS, LINE_ENDS, is_json, is_payload, quoted
from sse_tui.diagnosis.registry import IGNORED, LATE_FIELD, Occurrence, also, rule
from sse_tui.dialects.payload import compact
from sse_tui.eventstream import Event, Ignored
from sse_tui.text.wording import many

_LARGEST = 64 * 1024  # characters of a payload that is put together
_TRIES = 200  # to read it as JSON
_SHOWN = 200
_ON_EVERY_LINE = "Write 'data: ' in front of every line of a payload, or send JSON on a single line."


@also("unknown-field", LATE_FIELD)
@rule(
    "warning",
    IGNORED,
    advice="Check how the server writes events: each line must be a data, event, id or retry field, or a comment.",
    reference="stalwartlabs/jmap-client#26; spring-projects/spring-framework#30965; HTML standard 9.2.6",
)
def unknown_field(ignored: Ignored, facts: Facts) -> Occurrence | None:
    """A line whose field name is not one of the four, so conforming clients ignore it."""
    line = ignored.line
    name = line.partition(":")[0]
    body = facts.conn.body
    if name in FIELDS or facts.turn.lines or body.form not in (Form.EVENTS, Form.PROSE):
        return None
    found = _quoted(line, facts) or _misspelt(ignored, facts)
    if found is not None:
        body.form = Form.EVENTS  # though one that no client understands
        return found
    if body.form is Form.PROSE:
        return None
    found = _unprefixed(ignored, facts)
    return found if found is not None else _stray(line, name, facts)


def _stray(line: str, name: str, facts: Facts) -> Occurrence:
    """Any other line: one finding for all that may be the same thing."""
    guess = line_guesses.stray(line)
    facts.turn.odd_end = facts.turn.odd_end or guess == line_guesses.END_MARK
    count, first = facts.conn.stray_lines.get(guess, (0, ""))
    facts.conn.stray_lines[guess] = count, first = count + 1, first or line[:80]
    if guess == line_guesses.DATA_STREAM:
        return Occurrence(
            f"{_lines(count, first)} ignored: {guess}, and no event stream. Read it with that SDK's own client.",
            "info",
            "In the server, use the AI SDK's UI message stream (version 5), which is an event stream.",
            evidence={"guess": guess},
            group=guess,
            total=count,
        )
    why = f"{_short(name)} is not a field name" if count == 1 else "they have no field's name in front"
    return Occurrence(
        f"{_lines(count, first)} ignored because {why}: {guess}.",
        evidence={"field": name[:80], "guess": guess} if count == 1 else {},
        group=guess,
        total=count,
    )


def _quoted(line: str, facts: Facts) -> Occurrence | None:
    """A line that is the literal of a string or of bytes: what Python makes of an event that it is told to print."""
    events = quoted(line)
    if not events:
        return None
    reading = facts.conn.rereading("quoted")
    for event in events:
        reading.take(event)
    facts.conn.quoted_lines += 1
    return Occurrence(
        f"{_lines(facts.conn.quoted_lines, line)} ignored: events were written with the quotes of a Python literal "
        f"around them, so no client sees them. Without these there would be {reading.words()}.",
        "error",
        "Write the bytes themselves: str(event) and f'{event}' give their Python notation; use event.decode().",
        evidence={"lines": facts.conn.quoted_lines, **reading.evidence},
        group="quoted",
        total=facts.conn.quoted_lines,
    )


def _misspelt(ignored: Ignored, facts: Facts) -> Occurrence | None:
    """A field under a name that no client looks for: one finding for all lines with it, and what they would say."""
    line = ignored.line
    found = line_guesses.misspelling(line)
    if found is None or _inside_json(ignored, facts):
        return None
    field, is_data = found.field, found.field == "data"
    key = f"{field} {found.how}"
    reading = facts.conn.rereading(key)
    reading.take(Event("message", found.value if is_data else "", "", 0, 0))
    lost_payload = is_data and (reading.recognised or is_payload(found.value))
    lost = f" Read as data {'they are' if reading.events > 1 else 'it is'} {reading.words('payload')}."
    meant = f"{field!r} was probably meant"
    return Occurrence(
        f"{_lines(reading.events, line)} ignored because {_short(found.written)} is not a field name: {meant}, here "
        f"{found.how}.{lost if is_data else ''}",
        "error" if lost_payload else "warning",
        evidence={"field": field, "guess": f"{meant}, {found.how}", **(reading.evidence if is_data else {})},
        group=key,
        total=reading.events,
    )


def _inside_json(ignored: Ignored, facts: Facts) -> bool:
    """Whether the JSON of the lines before is not complete, so that this line is more of it whatever it looks like."""
    payload = facts.conn.unprefixed
    if payload is not None and payload.end <= ignored.start:
        return payload.text[:1] in ("{", "[")
    before = _payload_before(ignored, facts)
    return before is not None and before[:1] in ("{", "[") and not is_json(before)


def _lines(count: int, line: str) -> str:
    return f"The line {_short(line)} is" if count == 1 else f"{many(count, 'line')} like {_short(line)} are"


def _unprefixed(ignored: Ignored, facts: Facts) -> Occurrence | None:
    """A line that goes on with the payload of the data line before it."""
    conn = facts.conn
    payload = conn.unprefixed
    if payload is None or payload.end > ignored.start:
        payload = None
        before = _payload_before(ignored, facts)
    else:
        before = _between(facts, payload.end, ignored.start)
    if before is None:
        conn.unprefixed = None
        return None
    if payload is None:
        payload = Unprefixed(before, ignored.start, ignored.start)
    elif len(payload.text) < _LARGEST:
        payload.text += before
    if len(payload.text) < _LARGEST:
        payload.text += ignored.line[:_LARGEST]
    payload.lines += 1
    payload.end = ignored.end
    conn.unprefixed = payload
    conn.unprefixed_lines += 1
    conn.unprefixed_at = ignored.start
    value = _json_of(payload)
    if value is None:
        put_together = f"Put together the payload is {_short(payload.text, _SHOWN)}"
    else:
        conn.unprefixed = None
        reading = conn.rereading("unprefixed")
        reading.take(Event("message", value, "", 0, 0))
        put_together = f"Put together they make {reading.words('payload')}, in valid JSON"
    ignored_lines = (
        f"{many(conn.unprefixed_lines, 'line')} {'is' if conn.unprefixed_lines == 1 else 'are'} ignored"
    )
    return Occurrence(
        "A payload's line feeds were not turned into data lines: only its first line has 'data:' in front, and "
        f"{ignored_lines}. {put_together}.",
        "warning" if value is None else "error",
        _ON_EVERY_LINE,
        evidence={"lines": conn.unprefixed_lines, "payload": payload.text, "json": value is not None},
        group="unprefixed",
        total=conn.unprefixed_lines,
    )


def _payload_before(ignored: Ignored, facts: Facts) -> str | None:
    """What stands before a payload's second line: the data lines of its block, or the event that a blank line ended."""
    conn = facts.conn
    before = conn.window.whole(max(conn.window.start, conn.done), ignored.start)
    if before is None:
        return None
    lines = LINE_ENDS.split(before.decode("utf-8", "replace"))[:-1]
    data = [line[5:].removeprefix(" ") for line in lines if line.startswith("data:")]
    if data:
        begun = "\n".join(data)
        goes_on = lines[-1].startswith("data:") and ignored.line.strip() and not is_payload(begun)
        return begun + "\n" if goes_on else None
    last = conn.last_event
    if any(lines) or last is None or not isinstance(last.item, Event):
        return None
    adjacent = ignored.start - last.item.end <= 2 and not line_guesses.ends_a_payload(ignored.line)
    return last.item.data + "\n\n" if adjacent and not is_json(last.item.data) else None


def _between(facts: Facts, start: int, end: int) -> str | None:
    """What stands between two lines of a payload: line feeds, and data lines; None where another field does."""
    gap = facts.conn.window.whole(start - 1, end)
    if gap is None:
        return None
    # Of the line before this is the last byte: where that has a CRLF, only the CR belongs to it.
    lines = LINE_ENDS.split(gap.decode("utf-8", "replace"))
    text = "\n"
    for line in lines[1:-1]:
        if line and not line.startswith("data:"):
            return None
        text += f"{line[5:].removeprefix(' ')}\n"
    return text


def _json_of(payload: Unprefixed) -> str | None:
    """The payload as JSON on one line, once it is complete: with its raw line feeds escaped where strings hold them."""
    if payload.text[:1] not in ("{", "[") or payload.text.rstrip()[-1:] not in ("}", "]"):
        return None
    payload.tries += 1
    if payload.tries > _TRIES:
        return None
    try:
        return compact(json.loads(payload.text, strict=False))
    except (ValueError, RecursionError):
        return None


def _short(text: str, most: int = 60) -> str:
    return json.dumps(text if len(text) <= most else text[: most - 3] + "...", ensure_ascii=False)
