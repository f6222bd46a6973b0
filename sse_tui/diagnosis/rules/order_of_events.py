"""The rule about named events that are out of place."""

from __future__ import annotations

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.finding import Severity
from sse_tui.diagnosis.registry import DELTAS, Occurrence, rule
from sse_tui.dialects.base import Meta
from sse_tui.eventstream import Event

# Dialects of which most clients read event by event: only helpers that put the message together fail.
_LENIENT = frozenset({"cohere-v2", "openai-responses"})


@rule(
    "warning",
    DELTAS,
    advice="Send the events in the order that the API documents: the opening event, then for each block its start, "
    "deltas and stop.",
    reference="router-for-me/CLIProxyAPI#530; QuantumNous/new-api#1502; BerriAI/litellm#30115",
)
def event_order(_: Event, facts: Facts) -> list[Occurrence]:
    """Events out of order, such as a delta of a block that has not begun: SDKs that build the message raise."""
    severity: Severity | None = "info" if facts.turn.dialect in _LENIENT else None
    return [
        Occurrence(
            f"{delta.value}: clients that put the message together from its events fail here.", severity
        )
        for delta in facts.entry.deltas
        if isinstance(delta, Meta) and delta.name == "out-of-order"
    ]
