"""The rule about choices whose index is none."""

from __future__ import annotations

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import CLOSE, DELTAS, OVER, Occurrence, also, rule
from sse_tui.dialects.base import Meta
from sse_tui.eventstream import Event


@rule(
    "warning",
    CLOSE,
    OVER,
    advice="Send the same index, 0, in every chunk of an answer with one choice.",
    reference="microsoft/foundry-local#263; huggingface/text-generation-inference#1648",
)
def choice_index(_: object, facts: Facts) -> Occurrence | None:
    """The index of the choice counts the chunks: clients take every chunk for a choice of its own."""
    turn = facts.turn
    if not turn.view.answer.index_counts or not turn.settles("choice-index"):
        return None
    answer = turn.view.answer
    text = answer.text
    return Occurrence(
        "The index of the choice rises with every chunk, as if each were a choice of its own: clients that keep "
        f"choices apart, or read only the first, lose most of the {len(text):,} characters of text.",
        evidence={"first": answer.first_choice, "text": text[:200]},
        entry=turn.index_counts,
    )


@also("choice-index", DELTAS)
def where_it_counts(_: Event, facts: Facts) -> None:
    """Remember where the index turned out to count the chunks."""
    for delta in facts.entry.deltas:
        if isinstance(delta, Meta) and delta.name == "index-counts":
            facts.turn.index_counts = facts.entry if delta.value else None
