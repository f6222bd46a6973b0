"""Rules about payloads that are valid in their dialect but still trip up clients."""

from __future__ import annotations

import re

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import EVENT, Occurrence, rule
from sse_tui.eventstream import Event

_PADDING = re.compile(r'"(obfuscation|padding|_pad)"\s*:\s*"([^"]*)"')


@rule(
    "info",
    EVENT,
    advice="Ignore byte rates; with OpenAI, set stream_options.include_obfuscation to false to turn it off.",
    reference="OpenAI API reference, stream_options.include_obfuscation",
)
def padding(event: Event, facts: Facts) -> Occurrence | None:
    """Padding of random length in every event: byte counts say nothing about tokens."""
    if '"obfuscation"' not in event.data:
        return None
    found = _PADDING.search(event.data)
    if found is None:
        return None
    share = len(found[0]) / max(1, event.end - event.start)
    return Occurrence(
        f"The field {found[1]!r} pads the events to hide their lengths; it makes up {share:.0%} of this one.",
        evidence={"field": found[1], "share": round(share, 3)},
    )
