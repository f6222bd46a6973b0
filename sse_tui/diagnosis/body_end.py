"""Where a body ended: the offset, what was pending there, the last event before it, and the silence between."""

from __future__ import annotations

from sse_tui.diagnosis.facts import ConnFacts, Facts
from sse_tui.diagnosis.reframing import DONE, FIELDS, is_json
from sse_tui.eventstream import Event, Tail
from sse_tui.recording.records import Close
from sse_tui.text.wording import many

_LONG_NS = 1_000_000_000  # a silence worth mentioning


def where(close: Close, facts: Facts) -> tuple[str, dict[str, object]]:
    """A sentence on where the body of a connection ended, and the same for programs."""
    conn = facts.conn
    unfinished = conn.tail_bytes and not facts.turn.lines
    pending = f", the last {conn.tail_bytes:,} of an unfinished event" if unfinished else ""
    words = [f"The body ends after {many(conn.window.end, 'byte')}{pending}"]
    evidence: dict[str, object] = {
        "offset": conn.window.end,
        "pending": conn.tail_bytes,
        "last_event": None,
        "last_id": None,
        "last_type": None,
        "silence_ms": None,
    }
    last = conn.last_event
    if last is not None and isinstance(last.item, Event):
        item = last.item
        known = f" with the id {item.id[:40]!r}" if item.id else ""
        words.append(f"the last event is number {last.number} ({item.type[:40]}){known}")
        evidence |= {"last_event": last.number, "last_id": item.id[:80] or None, "last_type": item.type[:80]}
    if facts.timed and conn.last_read_t is not None:
        silence = close.t - conn.last_read_t
        evidence["silence_ms"] = round(silence / 1e6, 1)
        if silence >= _LONG_NS:
            words.append(f"nothing came for {silence / 1e9:.1f} s before the end")
    return f"{'; '.join(words)}.", evidence


def within(tail: Tail, conn: ConnFacts) -> str:
    """Inside what the body ended, as far as its unfinished block shows."""
    if conn.scanner.within_character:
        return "inside a character"
    if tail.text.endswith("\n"):
        return "after a whole line"
    line = tail.text.rpartition("\n")[2]
    name, colon, value = line.partition(":")
    if not colon:
        return f"inside the name of a field, {name[:20]!r}"
    mark = value.strip()
    if len(mark) > 1 and DONE.startswith(mark):
        return "right behind the end marker" if mark == DONE else "inside the end marker [DONE]"
    if value.lstrip()[:1] in ("{", "[") and not is_json(value):
        return f"inside the JSON of a {name[:20]} field"
    if name not in FIELDS:
        return "inside a line that is not a field" if name else "inside a comment"
    return f"inside the line of a {name} field"
