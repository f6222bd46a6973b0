"""The rule about deltas that come twice each."""

from __future__ import annotations

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import UNDERSTOOD, Occurrence, rule
from sse_tui.dialects.base import Reasoning, Text
from sse_tui.eventstream import Event, Ignored, Tail


@rule(
    "warning",
    *UNDERSTOOD,
    advice="In the server or gateway, forward each chunk once: look for two subscribers to one stream, and for a chunk "
    "that is passed on both as it is and converted.",
    reference="openclaw/openclaw#1284; KunAgent/Kun#125",
)
def repeated_deltas(_: Event | Ignored | Tail, facts: Facts) -> Occurrence | None:
    """Every delta comes twice in a row: clients that append deltas show each piece of the text twice."""
    for delta in facts.entry.deltas:
        if not isinstance(delta, Text | Reasoning) or delta.index:
            continue
        pairs = facts.turn.pairs[type(delta)]
        if pairs.add(delta.text):
            return Occurrence(
                f"Each of the first {pairs.pairs} deltas came twice in a row: read once each they say "
                f"{pairs.text[:80]!r}, and clients that append them show every piece twice.",
                evidence={"pairs": pairs.pairs, "text": pairs.text},
            )
    return None
