"""The rule about chunks without choices, and about fields that are null where clients expect a value."""

from __future__ import annotations

import re

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import EVENT, Occurrence, rule
from sse_tui.dialects.base import Finish
from sse_tui.eventstream import Event

_NO_CHOICES = re.compile(r'"choices"\s*:\s*(\[\s*\]|null)')
_NULLS = re.compile(r'"(content|tool_calls|role|function_call|refusal|reasoning_content)"\s*:\s*null')
_USAGE = re.compile(r'"usage"\s*:\s*\{')

# Where a chunk without choices is: the words for one chunk, and for several.
_FILTER = "the first chunk, which has Azure's filter results", "with Azure's filter results"
_WITH_USAGE = "the chunk with the usage", "with the usage"
_FIRST = "the first chunk", "before the first token"
_BEFORE = "a chunk before the first token", "before the first token"
_AFTER = "a chunk after the finish reason", "after the finish reason"
_WITHIN = "a chunk", "among those with content"


@rule(
    "info",
    EVENT,
    advice="In the client, check that choices is not empty before reading choices[0], and treat null as absent.",
    reference="BerriAI/litellm#8450; Portkey-AI/gateway#1629; anomalyco/opencode#43585",
)
def empty_or_null_choices(event: Event, facts: Facts) -> Occurrence | None:
    """A chunk without choices, or fields that are null: code that reads choices[0].delta fails."""
    if not facts.turn.has_choices:
        return None
    if any(isinstance(delta, Finish) for delta in facts.entry.deltas):
        facts.turn.finish_passed = True
    data = event.data
    if "choices" in data and (found := _NO_CHOICES.search(data)) is not None:
        return _missing("null" if found[1] == "null" else "empty", _place(data, facts), facts)
    if "null" in data:
        nulls = sorted(set(_NULLS.findall(data)) - {"refusal"})
        if len(nulls) > 1:
            return _null(nulls)
    return None


def _missing(value: str, place: tuple[str, str], facts: Facts) -> Occurrence:
    """A chunk without choices: one finding counts them all."""
    places = facts.conn.no_choices
    places.add(*place, facts.conn.events + 1)
    return Occurrence(
        f"choices is {value} in {places.words('chunk')}: code that reads choices[0] in every chunk fails.",
        evidence={"choices": value, "position": place[0], "chunks": places.count},
        group="missing",
        total=places.count,
    )


def _null(nulls: list[str]) -> Occurrence:
    return Occurrence(
        f"{', '.join(nulls)} are null in a delta: code that expects a value wherever the field is present fails.",
        evidence={"null": nulls},
    )


def _place(data: str, facts: Facts) -> tuple[str, str]:
    if "prompt_filter_results" in data:
        return _FILTER
    if _USAGE.search(data):
        return _WITH_USAGE
    if facts.turn.finish_passed:
        return _AFTER
    if facts.turn.first_token_seen:
        return _WITHIN
    return _BEFORE if facts.conn.events else _FIRST
