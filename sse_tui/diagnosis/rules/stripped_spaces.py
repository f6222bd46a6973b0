"""The rule about spaces that clients strip because the server writes none of its own after the colon."""

from __future__ import annotations

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import EVENT, Occurrence, rule
from sse_tui.diagnosis.rereading import SHOWN
from sse_tui.eventstream import Event
from sse_tui.text.wording import many

_EVENTS = 500  # a server that writes no space shows it within these
_FEW = 2


@rule(
    "warning",
    EVENT,
    advice="Write 'data: ' with a space and then the text, or send the text as JSON.",
    reference="spring-projects/spring-ai#1089; spring-projects/spring-framework#33963",
)
def stripped_spaces(event: Event, facts: Facts) -> Occurrence | None:
    """A server that writes no space after the colon sends text that begins with one: clients strip it."""
    conn = facts.conn
    if event.data[:1] in ("{", "[") or (conn.events >= _EVENTS and not conn.spaces[0]):
        return None
    if facts.turn.json_answers or "\n" in event.data:
        return None
    lines = conn.window.whole(event.start, event.end) or b""
    at = lines.find(b"data:")
    if at < 0 or not event.data:
        return None
    spaced = lines[at + 5 : at + 6] == b" "
    without, with_one, text = conn.spaces
    if len(text) < SHOWN:
        text += (" " if spaced else "") + event.data[:SHOWN]
    conn.spaces = without, with_one, text = without + (not spaced), with_one + spaced, text
    # Numbers in a column of fixed width begin with spaces that nobody misses.
    if without < _FEW or not with_one or not any(map(str.isalpha, text)):
        return None
    return Occurrence(
        f"The server writes no space after 'data:', so the space that {many(with_one, 'value')} "
        f"{'begins' if with_one == 1 else 'begin'} with is stripped by every conforming client: words are glued "
        f'together. With its spaces the text is "{text}".',
        evidence={"spaces": with_one, "text": text},
        group="stripped",
        total=with_one,
    )
