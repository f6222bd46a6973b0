"""Rules about final events that should repeat the text of the deltas, and do not."""

from __future__ import annotations

from typing import Any

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import DELTAS, UNDERSTOOD, Occurrence, rule
from sse_tui.dialects.base import Meta
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
            return _missing(delta.value) if "missing" in delta.value else _other(delta.value)
    return None


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
