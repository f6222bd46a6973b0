"""Rules about final events that should repeat the text of the deltas, and do not."""

from __future__ import annotations

from typing import Any

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import DELTAS, UNDERSTOOD, Occurrence, also, rule
from sse_tui.dialects.base import Meta, Text
from sse_tui.eventstream import Event, Ignored, Tail
from sse_tui.text.wording import many


@rule(
    "warning",
    DELTAS,
    advice="Send the events of a part in order: all its deltas, then its done event, then that of its item.",
    reference="diegosouzapw/OmniRoute#13693; OpenAI API reference, Responses streaming events",
)
def late_delta(_: Event, facts: Facts) -> Occurrence | None:
    """A delta arrived after the event that said its part was done: clients that take the done text lose the rest."""
    for delta in facts.entry.deltas:
        if isinstance(delta, Meta) and delta.name == "late-delta":
            return Occurrence(
                f"The delta {str(delta.value)[:60]!r} came after its part was said to be done: clients that take the "
                "text of the done event lose it.",
                evidence={"characters": len(str(delta.value))},
            )
    return None


@rule(
    "warning",
    *UNDERSTOOD,
    advice="In the server, repeat the whole text in the done events and in the response of the final event; in the "
    "client, assemble the text from the deltas.",
    reference="agentgateway/agentgateway#2281; OpenAI API reference, Responses streaming events",
)
def final_text_mismatch(_: Event | Ignored | Tail, facts: Facts) -> Occurrence | None:
    """A final event that should repeat the text of the deltas has none of it, or another text."""
    for delta in facts.entry.deltas:
        if isinstance(delta, Meta) and delta.name == "final-text":
            if "missing" in delta.value:
                return _missing(delta.value)
            # The done event of a part, that of its item and the response's repeat one text.
            once = f"final-text {delta.value['given']} {delta.value['final']}"
            if once in facts.turn.told:
                return None
            facts.turn.told.add(once)
            return _other(delta.value)
    return None


@also("final-text-mismatch", DELTAS)
def final_message(_: Event, facts: Facts) -> Occurrence | None:
    """The same for the message of a chat completion, sent after its deltas."""
    answer = facts.turn.view.answer
    for delta in facts.entry.deltas:
        if not isinstance(delta, Meta) or delta.name != "repeated":
            continue
        shown, whole = answer.text, str(delta.value)
        # A message has the reasoning in tags that was told from the text of the deltas.
        if not shown.startswith(whole) and not (answer.reasoning_length and whole.endswith(shown)):
            return _other({"event": "the message", "given": len(shown), "final": len(whole)})
    return None


@rule(
    "warning",
    DELTAS,
    advice="In the server, let response.output_item.added and response.content_part.added be empty, and send the text "
    "in deltas; in the client, take the text of a part from its deltas alone.",
    reference="PrimeIntellect-ai/verifiers#2164; abetlen/llama-cpp-python#2285",
)
def prefilled_part(_: Event, facts: Facts) -> Occurrence | None:
    """A part has text already where it begins, and its deltas repeat it: clients that append them show it twice."""
    turn = facts.turn
    for delta in facts.entry.deltas:
        if not isinstance(delta, Meta):
            continue
        if delta.name == "prefilled":
            turn.prefilled = facts.entry, str(delta.value)
    said = next((d.text for d in facts.entry.deltas if isinstance(d, Text)), "")
    if turn.prefilled is None or not said:
        return None
    (entry, text), turn.prefilled = turn.prefilled, None
    if not text.startswith(said) and not said.startswith(text):
        return None
    return Occurrence(
        f"The part has {text[:40]!r} already where it begins, and its deltas bring that again: clients that append the "
        "deltas to it show the text twice.",
        evidence={"characters": len(text)},
        entry=entry,
    )


def _missing(found: dict[str, Any]) -> Occurrence:
    events = " and ".join(found["missing"])
    lost = len(found["missing"]) > 1
    return Occurrence(
        f"The final {'events' if lost else 'event'} ({events}) should repeat the text of the deltas "
        f"({many(found['given'], 'character')}) but hold{'' if lost else 's'} none: clients that read the answer "
        "there, as Codex does, show nothing.",
        "warning" if lost else "info",
        evidence={"missing": found["missing"], "characters": found["given"]},
    )


def _other(found: dict[str, Any]) -> Occurrence:
    tokens = found["event"] == "generated_text"
    return Occurrence(
        f"The text of {found['event']} ({many(found['final'], 'character')}) is not that of the "
        f"{'tokens' if tokens else 'deltas'} ({many(found['given'], 'character')}), which is the one shown: clients "
        "that read the one or the other show different answers.",
        "info" if tokens else None,
        evidence={"event": found["event"], "given": found["given"], "final": found["final"]},
    )
