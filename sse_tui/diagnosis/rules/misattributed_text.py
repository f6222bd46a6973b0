"""Rules about text that is not what it is given for: another role's, the reasoning's, or one that was replaced."""

from __future__ import annotations

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import DELTAS, OVER, Occurrence, rule
from sse_tui.dialects.base import Meta
from sse_tui.eventstream import Event
from sse_tui.text.wording import many

_FOREIGN = frozenset({"user", "human", "system", "developer", "tool", "function"})
_LEAST = 12  # characters that are hardly the same by chance


@rule(
    "warning",
    DELTAS,
    advice="In the server, stream the assistant's message only, and the results of tools as events of their own; in "
    "the client, look at the role of a delta.",
    reference="OpenAI API reference, the chat completion chunk object",
)
def foreign_role(_: Event, facts: Facts) -> Occurrence | None:
    """A delta of another role than the assistant's: clients append its text to the answer."""
    for delta in facts.entry.deltas:
        if isinstance(delta, Meta) and delta.name == "role" and str(delta.value).lower() in _FOREIGN:
            return Occurrence(
                f"The role of a delta is {str(delta.value)!r}: SDKs do not look at it and append the text of such "
                "deltas to the assistant's.",
                evidence={"role": delta.value},
            )
    return None


@rule(
    "warning",
    OVER,
    advice="In the server, send a piece of text either as content or as reasoning_content, as the parser of the "
    "reasoning finds it.",
    reference="CommonstackAI/UncommonRoute#7",
)
def repeated_reasoning(_: None, facts: Facts) -> Occurrence | None:
    """The reasoning is the answer's text again: clients that show both show it twice."""
    answer = facts.turn.view.answer
    if answer.reasoning_length != answer.text_length or answer.text_length < _LEAST:
        return None
    if answer.text != answer.reasoning:
        return None
    return Occurrence(
        f"The reasoning and the text are the same {many(answer.text_length, 'character')}: clients that show both show "
        "the answer twice.",
        evidence={"characters": answer.text_length},
    )


@rule(
    "info",
    DELTAS,
    advice="In the client, put this text in place of the one shown so far.",
    reference="Dify's API reference: message_replace, text_replace",
)
def replaced_text(_: Event, facts: Facts) -> Occurrence | None:
    """Another text takes the place of the one shown so far: clients that only append go on showing that."""
    if facts.turn.dialect != "dify":
        return None
    answer = facts.turn.view.answer
    for delta in facts.entry.deltas:
        if isinstance(delta, Meta) and delta.name == "final_text" and delta.value != answer.text:
            return Occurrence(
                f"The {many(answer.text_length, 'character')} shown so far are replaced by {str(delta.value)[:60]!r}, "
                "as moderation does: clients that only append go on showing them.",
                evidence={"before": answer.text_length, "text": str(delta.value)[:200]},
            )
    return None
