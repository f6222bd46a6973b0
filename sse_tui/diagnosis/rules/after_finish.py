"""Rules about what comes after a choice has finished: more of it, or another finish reason."""

from __future__ import annotations

from sse_tui.bounded import NAME_LENGTH
from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import DELTAS, Occurrence, rule
from sse_tui.dialects.base import Finish, Reasoning, Refusal, Text, ToolCall
from sse_tui.eventstream import Event

_SHOWN = 60  # characters


@rule(
    "warning",
    DELTAS,
    advice="In the server, send the finish reason with the last chunk of its choice, after all of its text.",
    reference="lobehub/lobehub#3252; vllm-project/vllm#36944",
)
def content_after_finish(_: Event, facts: Facts) -> Occurrence | None:
    """Text or a tool call after the finish reason: clients that stop there never show it."""
    finishes = facts.turn.finishes
    again = {delta.index for delta in facts.entry.deltas if isinstance(delta, Finish)}
    for delta in facts.entry.deltas:
        if isinstance(delta, Text | Reasoning | Refusal):
            said = delta.text
        elif isinstance(delta, ToolCall):
            said = delta.name or delta.arguments
        else:
            continue
        finish = finishes.get(delta.index)
        if finish is None or not said:
            continue
        reason, event, beside_text = finish
        if beside_text and delta.index in again and not facts.turn.has_choices:
            continue  # Gemini's servers may send a reason with every piece: there it is not meant as an end
        more = "..." if len(said) > _SHOWN else ""
        return Occurrence(
            f"{said[:_SHOWN]!r}{more} came after the finish reason {reason!r} of event {event}: clients that stop "
            "there never show it.",
            evidence={"choice": delta.index, "finish_reason": reason, "finish_event": event},
        )
    return None


@rule(
    "warning",
    DELTAS,
    advice="In the server, send one finish reason for each choice.",
    reference="RayBytes/ChatMock#114; sgl-project/sglang#8417",
)
def repeated_finish(_event: Event, facts: Facts) -> list[Occurrence]:
    """A choice has two finish reasons: clients disagree on which of them counts."""
    found = []
    spoke = {delta.index for delta in facts.entry.deltas if isinstance(delta, Text)}
    for delta in facts.entry.deltas:
        if not isinstance(delta, Finish):
            continue
        known, number = facts.turn.finishes.get(delta.index), facts.conn.events + 1
        reason = delta.reason[:NAME_LENGTH]
        facts.turn.finishes.put(delta.index, (reason, number, delta.index in spoke))
        if known is None:
            continue
        before, event, _ = known
        if before == reason:
            message = f"The finish reason {reason!r} came again: it was in event {event} already."
            found.append(Occurrence(message, "info", evidence={"choice": delta.index, "reasons": [reason]}))
            continue
        found.append(
            Occurrence(
                f"Two finish reasons for one choice: {before!r} in event {event}, then {reason!r}. Some clients keep "
                "the first, others the last.",
                evidence={"choice": delta.index, "reasons": [before, reason]},
            )
        )
    return found
