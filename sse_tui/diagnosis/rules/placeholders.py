"""The rule about text that is not the answer: what a server or gateway sends in its place while there is none."""

from __future__ import annotations

import re

from sse_tui.diagnosis.facts import Facts, Placeholder
from sse_tui.diagnosis.registry import DELTAS, Occurrence, rule
from sse_tui.dialects.base import Meta, Text
from sse_tui.dialects.bearing import Bearing, bearing_of
from sse_tui.eventstream import Event
from sse_tui.text.wording import many

PAUSE_NS = 500_000_000  # after a placeholder, before the answer
BLANK_PAUSE_NS = 2_000_000_000  # the same after white space, with which many an answer begins

# A comment of an event stream that was sent as text.
_COMMENT = re.compile(
    r"\s{0,9}:{1,3}\s{0,9}\S{0,40}\s{0,9}(processing|keep-?alive|ping|heartbeat|waiting)\b.*", re.I | re.S
)
# What people are told while a model has nothing to say; always with dots behind it.
_WAITING = re.compile(
    r"[\W_]*(thinking|reasoning|processing|loading|generating|searching|working|analy[sz]ing|waiting|queued|preparing"
    r"|connecting|warming up|please wait|one moment|hold on|still \w+|思考中|正在思考|处理中|请稍候|考え中)"
    r"( [\w']+){0,4}\s*(…|\.\.+|\u2026)[\W_]*",
    re.I,
)
_ID = re.compile(r"keep-?alive|heartbeat|\bping\b|placeholder", re.I)


@rule(
    "warning",
    DELTAS,
    advice="Send a comment while there is no text; in sse-tui, --ignore-content TEXT or ignore_content in [dialect] "
    "leaves it out of the answer and its times.",
    reference="OpenRouter's documentation of comments; OmniRoute#8888",
)
def placeholder_content(event: Event, facts: Facts) -> Occurrence | None:
    """Text that only fills the wait before the answer: clients show it, and the time to first token ends with it."""
    turn, entry = facts.turn, facts.entry
    if turn.text_begun or not turn.json_answers:
        return None
    held, text = turn.placeholder, "".join(delta.text for delta in entry.deltas if isinstance(delta, Text))
    ident = next(
        (delta.value for delta in entry.deltas if isinstance(delta, Meta) and delta.name == "id"), ""
    )
    named = bool(_ID.search(str(ident)))
    if not text and not named:
        return None
    if named or _COMMENT.fullmatch(text) or _WAITING.fullmatch(text):
        if held is None or held.blank:
            turn.placeholder = held = Placeholder(text, entry)
        held.count += 1
        held.t = entry.t
        certain = named or held.count > 1 or _COMMENT.fullmatch(text) is not None
        return _told(held, str(ident) if named else "", facts) if certain else None
    bearing = bearing_of(entry.deltas)
    if bearing is Bearing.BLANK:
        if held is None:
            turn.placeholder = held = Placeholder(text, entry, blank=True)
        if held.blank:
            held.count, held.t = held.count + 1, entry.t
    if bearing < Bearing.REASONING:
        return None
    turn.text_begun = True
    if held is None or held.told:
        return None
    waited = entry.t - held.t if entry.t is not None and held.t is not None else 0
    if held.blank:
        return _told(held, "", facts) if waited >= BLANK_PAUSE_NS else None
    return _told(held, "", facts)._replace(severity="warning" if waited >= PAUSE_NS else "info")


def _told(held: Placeholder, ident: str, facts: Facts) -> Occurrence:
    known, held.told = held.told, True
    what = f" with the id {ident[:40]!r}" if ident else ""
    quoted = f" ({held.text.strip()[:60]!r})" if held.text.strip() else ""
    if held.blank:
        damage = (
            "it satisfies clients that wait for the first token, and the time to first token ends with it"
        )
    elif held.text.strip():
        damage = "clients show it as part of the answer, and the time to first token ends with it"
    else:
        damage = "clients that take any chunk for the first token stop the clock with it"
    kind = "nothing but white space" if held.blank else "a placeholder"
    return Occurrence(
        f"{many(held.count, 'chunk')}{what} held {kind}{quoted} before the answer: {damage}.",
        None if held.text.strip() else "info",
        evidence={"text": held.text[:80], "chunks": held.count},
        entry=held.entry,
        amend=known,
    )
