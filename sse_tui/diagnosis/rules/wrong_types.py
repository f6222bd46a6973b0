"""The rule about payloads that are JSON, but not of the types that their dialect has."""

from __future__ import annotations

from collections.abc import Iterator

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import EVENT, IGNORED, Occurrence, also, rule
from sse_tui.dialects.base import Malformed, Reasoning, Refusal, Text, ToolCall
from sse_tui.dialects.json_events import DONE
from sse_tui.dialects.payload import JsonError, decode
from sse_tui.dialects.shapes import Departure, departures, described, texts_in
from sse_tui.eventstream import Event, Ignored

_ANSWER = (Text, Reasoning, Refusal, ToolCall)
_USUAL = 8  # payloads with text that are looked at; afterwards only those without
_SHOWN = 60  # characters of text


@rule(
    "warning",
    EVENT,
    advice="Send each member in the type that the API documents; in the client, check types before using a value.",
    reference="cloudflare/ai#651; open-webui/open-webui#28840",
)
def wrong_type(event: Event, facts: Facts) -> list[Occurrence]:
    """A payload of the wrong type, or with a member of the wrong type: clients fail on it or lose its text."""
    return list(_wrong(event.data, event.type, facts)) if facts.turn.known else []


@also("wrong-type", IGNORED)
def wrong_type_in_a_line(line: Ignored, facts: Facts) -> list[Occurrence]:
    """The same in JSON lines."""
    return list(_wrong(line.line, "", facts)) if facts.turn.lines else []


def _wrong(data: str, kind: str, facts: Facts) -> Iterator[Occurrence]:
    turn, deltas = facts.turn, facts.entry.deltas
    reasons = [delta.reason for delta in deltas if isinstance(delta, Malformed) and delta.kind == "shape"]
    if not reasons and any(isinstance(delta, _ANSWER) for delta in deltas):
        turn.usual_shapes += 1
        if turn.usual_shapes > _USUAL:
            return
    try:
        found = departures(turn.dialect, decode(data), kind)
    except JsonError:
        return
    for departure in found:
        turn.odd_end = turn.odd_end or (departure.value == DONE and not departure.path)
        yield _occurrence(departure)
    if not found:
        for reason in reasons:  # in a dialect that is not in the tables
            yield Occurrence(
                f"The payload is not as its dialect has it: {reason}.", evidence={"reason": reason}
            )


def _occurrence(departure: Departure) -> Occurrence:
    value = departure.value
    # A number where text is due is a token of digits that lost its quotes.
    text = str(value) if departure.text and type(value) in (int, float) else "".join(texts_in(value))
    if text == DONE and not departure.path:
        loss = "it is the end marker in quotes, which clients that look for [DONE] do not recognise"
    elif text.strip() and departure.text and (departure.path or isinstance(value, str | list)):
        loss = f"the text in it, {text[:_SHOWN]!r}{'...' if len(text) > _SHOWN else ''}, is not read"
    elif not departure.path:
        loss = "it is not read, and clients that look for a member of it fail"
    elif departure.loses_text:
        loss = "what it stands for is not read"
    else:
        loss = "typed clients reject the chunk, others ignore the member"
    return Occurrence(
        f"{described(departure)}: {loss}.",
        "warning" if departure.loses_text or not departure.path else "info",
        evidence={"path": departure.path, "expected": departure.due, "text": text or None},
    )
