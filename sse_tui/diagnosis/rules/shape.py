"""Rules about payloads that are valid in their dialect but still trip up clients."""

from __future__ import annotations

import re

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import EVENT, Occurrence, rule
from sse_tui.eventstream import Event

_NO_CHOICES = re.compile(r'"choices"\s*:\s*(\[\s*\]|null)')
_NULLS = re.compile(r'"(content|tool_calls|role|function_call|refusal|reasoning_content)"\s*:\s*null')
_PADDING = re.compile(r'"(obfuscation|padding|_pad)"\s*:\s*"([^"]*)"')


@rule(
    "info",
    EVENT,
    advice="In the client, check that choices is not empty before reading choices[0], and treat null as absent.",
    reference="BerriAI/litellm#8450; Portkey-AI/gateway#1629",
)
def empty_or_null_choices(event: Event, facts: Facts) -> Occurrence | None:
    """A chunk without choices, or fields that are null: code that reads choices[0].delta fails."""
    if not facts.turn.has_choices:
        return None
    data = event.data
    if "choices" in data and (found := _NO_CHOICES.search(data)) is not None:
        value = "null" if found[1] == "null" else "empty"
        position = _position(data, facts)
        return Occurrence(
            f"choices is {value} in {position}: code that reads choices[0] in every chunk fails.",
            evidence={"choices": value, "position": position},
        )
    if "null" in data:
        nulls = sorted(set(_NULLS.findall(data)) - {"refusal"})
        if len(nulls) > 1:
            return _null(nulls)
    return None


def _null(nulls: list[str]) -> Occurrence:
    return Occurrence(
        f"{', '.join(nulls)} are null in a delta: code that expects a value wherever the field is present fails.",
        evidence={"null": nulls},
    )


def _position(data: str, facts: Facts) -> str:
    if "prompt_filter_results" in data:
        return "the first chunk, which has Azure's filter results"
    if '"usage"' in data:
        return "the chunk with the usage"
    return "a chunk" if facts.conn.events else "the first chunk"


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
