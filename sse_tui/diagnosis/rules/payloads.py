"""Rules about payloads that are not JSON, or not that of their dialect."""

from __future__ import annotations

import re

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.json_causes import cause_of, event_inside
from sse_tui.diagnosis.reframing import Misframing, is_json, python_value
from sse_tui.diagnosis.registry import CLOSE, EVENT, IGNORED, Occurrence, also, rule
from sse_tui.diagnosis.rereading import Rereading
from sse_tui.dialects.base import Malformed
from sse_tui.dialects.end_words import odd_end_mark
from sse_tui.dialects.payload import JsonError, LenientJsonError, decode, decode_exactly, members
from sse_tui.eventstream import Event, Ignored
from sse_tui.recording.records import Close
from sse_tui.text.wording import many

_MAX_DECODED = 64  # payloads of an unknown dialect that are parsed
_KEPT = 4
_EARLY = 32  # events that may come before the dialect is known
_PUT_TOGETHER = 64 * 1024  # characters of events that may be one JSON text together
_CUT_AT = ("", r"\n", r"\n\n")  # what was lost where a JSON text was cut
_HEARTBEAT = re.compile(r"\s*:.*|\s*(ping|keep-?alive|heartbeat|hb)\s*", re.I | re.S)
_LIKE_JSON = re.compile(r'\{\s*"')
_NAMED = frozenset({"anthropic-messages", "openai-responses", "cohere-v2"})
_FAMILIES = (
    ("openai-chat", ("chat.completion.chunk",)),
    ("anthropic-messages", ("message_start", "content_block_delta", "message_delta", "message_stop")),
    ("openai-responses", ("response.created", "response.output_text.delta", "response.completed")),
)


@rule(
    "error",
    EVENT,
    advice="Send exactly one complete JSON text per event, on a single data line.",
    reference="Soju06/codex-lb#1010; bentoml/OpenLLM#864",
)
def invalid_json_event(event: Event, facts: Facts) -> Occurrence | None:
    """Data that is not JSON where every event should be."""
    turn = facts.turn
    if turn.known:
        if not turn.json_answers:
            return None
        broken = any(isinstance(delta, Malformed) and delta.kind == "json" for delta in facts.entry.deltas)
        # The first events were read before the dialect was known, perhaps in the same read as the one that shows it.
        if not broken and (facts.conn.events >= _EARLY or facts.entry.deltas or not event.data):
            return None
    elif turn.decoded >= _MAX_DECODED or not event.data:
        return None
    else:
        turn.decoded += 1
    reason = _why_not_json(event.data)
    # Not this payload but an earlier one is malformed, or it is a heartbeat, which comment-as-data reports.
    if reason is None or _HEARTBEAT.fullmatch(event.data):
        return None
    framed = facts.conn.misframing_of(event)
    if framed is not None and framed.kind == "glued":
        return _run_together(framed, facts)
    # What other rules name is not named twice.
    named = framed is not None and (framed.sure or framed.kind == "unseparated" or facts.conn.wrapped > 1)
    if named or event.start <= facts.conn.unprefixed_at < event.end:
        return None
    found = _cut_up(event, facts) or _in_python(event, facts)
    if found is not None:
        return found
    if turn.known or _LIKE_JSON.match(event.data):
        return _invalid(event.data, reason, facts)
    if len(turn.not_json) < _KEPT:
        turn.not_json.append((facts.entry, event.data, reason))
    return None


def _run_together(framed: Misframing, facts: Facts) -> Occurrence:
    """Several JSON texts in one event: what a client loses of them."""
    reading = facts.conn.reread(framed)
    how = "without a line end between them" if framed.form else "with nothing between them"
    lost = f'The text lost is "{reading.text}".' if reading.text else "All of them are lost."
    return Occurrence(
        f"{len(framed.events)} JSON texts run together in one event, {how}: clients fail to parse it. {lost}",
        evidence={"cause": "JSON texts run together", "texts": len(framed.events), **reading.evidence},
    )


def _in_python(event: Event, facts: Facts) -> Occurrence | None:
    """Whether the data is an object in Python's notation, and what it says."""
    value = python_value(event.data)
    if value is None:
        return None
    reading = facts.conn.rereadings.setdefault("python", Rereading())
    reading.take(Event(event.type, value, "", 0, 0))
    return Occurrence(
        f"{many(reading.events, 'payload')} {'is' if reading.events == 1 else 'are'} in Python's notation, with single "
        f"quotes, which is not JSON: no client can parse that. As JSON there would be {reading.words('payload')}.",
        advice="Write payloads with json.dumps(), not with str() or an f-string.",
        evidence={"cause": "Python's notation", **reading.evidence},
        group="python",
        total=reading.events,
    )


def _cut_up(event: Event, facts: Facts) -> Occurrence | None:
    """Whether the data is the rest of a JSON text that the events before it began."""
    conn = facts.conn
    begun, conn.cut_json = conn.cut_json, ""
    if begun and len(begun) + len(event.data) < _PUT_TOGETHER:
        whole = next((text for end in _CUT_AT if is_json(text := begun + end + event.data)), None)
        if whole is not None:
            reading = Rereading([Event(event.type, whole, "", 0, 0)])
            conn.cut_texts += 1
            said = f' The last of them says "{reading.text}".' if reading.text else ""
            return Occurrence(
                f"{many(conn.cut_texts, 'JSON text')} {'was' if conn.cut_texts == 1 else 'were'} cut up and sent in "
                f"several events, none of which can be parsed.{said}",
                advice="Write an event for each payload, not for each read from the upstream.",
                evidence={"cause": "cut up", **reading.evidence},
                group="cut-up",
                total=conn.cut_texts,
            )
    conn.cut_json = f"{begun}{event.data}" if begun or event.data[:1] in ("{", "[") else ""
    return None


@also("invalid-json-event", IGNORED)
def invalid_json_line(line: Ignored, facts: Facts) -> Occurrence | None:
    """The same for the lines of a body that is JSON lines."""
    if not facts.turn.lines or not facts.turn.view.dialect.answers or not line.line.lstrip().startswith("{"):
        return None
    broken = [delta for delta in facts.entry.deltas if isinstance(delta, Malformed) and delta.kind == "json"]
    return _invalid(line.line, broken[0].reason, facts) if broken else None


@also("invalid-json-event", CLOSE)
def early_invalid_json(_: Close, facts: Facts) -> list[Occurrence]:
    """The same for data that arrived before the dialect was known."""
    early, facts.turn.not_json = facts.turn.not_json, []
    if not facts.turn.json_answers:
        return []
    return [
        _invalid(data, reason, facts)._replace(entry=entry)
        for entry, data, reason in early
        if entry.conn == facts.conn.number
    ]


def _why_not_json(data: str) -> str | None:
    """Why `data` is not JSON; None when it is JSON or the end marker."""
    try:
        decode_exactly(data)
    except LenientJsonError as odd:
        return f"not JSON: {odd}" if odd.constant is not None else None
    except JsonError as error:
        return None if data.strip() == "[DONE]" else f"not JSON: {error}"
    return None


def _invalid(data: str, reason: str, facts: Facts) -> Occurrence:
    mark = odd_end_mark(data)
    if mark:
        facts.turn.odd_end = True
        return Occurrence(
            f"{mark!r} stands where the end marker would be, which is [DONE]: clients that look for that do not "
            "recognise it, and those that parse every event as JSON fail on it.",
            "warning",
            "End the stream with 'data: [DONE]', in these letters.",
            evidence={"cause": "another end mark", "mark": mark},
        )
    cause = cause_of(data, reason)
    inside = event_inside(data)
    reading = (
        Rereading([Event("message", data[inside:], "", 0, 0)]) if inside and is_json(data[inside:]) else None
    )
    lost = (
        f' What follows says "{reading.text}", and is lost with it.'
        if reading is not None and reading.text
        else ""
    )
    return Occurrence(
        f"The data is {reason}. {cause[0].upper()}{cause[1:]}.{lost}",
        evidence={"reason": reason, "cause": cause, "characters": len(data)},
    )


@rule(
    "info",
    EVENT,
    advice="Give events the same name as the type in their payload, and use one API per stream.",
    reference="Anthropic's and OpenAI's API references on event types",
)
def dialect_mismatch(event: Event, facts: Facts) -> Occurrence | None:
    """An event whose name and payload disagree, or a payload from another API."""
    if not event.data.startswith("{"):
        return None
    if event.type != "message" and facts.turn.dialect in _NAMED:
        if f'"type":"{event.type}"' in event.data or f'"type": "{event.type}"' in event.data:
            return None
        kind = _kind(event.data)
        if kind is None or kind == event.type:
            return None
        return Occurrence(
            f"The event is named {event.type[:60]!r} but its payload's type is {kind[:60]!r}: clients that go by "
            "the name and clients that go by the type read different things.",
            evidence={"event": event.type[:80], "type": kind[:80]},
        )
    if not facts.entry.deltas and facts.turn.known and facts.turn.decoded < _MAX_DECODED:
        facts.turn.decoded += 1
        kind = _kind(event.data)
        for dialect, kinds in _FAMILIES:
            if kind in kinds and dialect != facts.turn.dialect:
                return Occurrence(
                    f"The stream is read as {facts.turn.dialect}, but this payload belongs to {dialect}.",
                    evidence={"dialect": facts.turn.dialect, "payload": dialect},
                )
    return None


def _kind(data: str) -> str | None:
    try:
        payload = members(decode(data))
    except JsonError:
        return None
    kind = payload.get("type", payload.get("object"))
    return kind if isinstance(kind, str) else None
