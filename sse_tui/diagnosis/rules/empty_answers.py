"""Rules about answers that hold nothing, although the stream ended as if all were well."""

from __future__ import annotations

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import CLOSE, EVENT, RECONNECT, Occurrence, also, rule
from sse_tui.dialects.bearing import nothing_seen
from sse_tui.dialects.detect import by_event
from sse_tui.dialects.fingerprints import clue_of
from sse_tui.dialects.finish_reasons import FinishKind, meaning_of
from sse_tui.eventstream import Event
from sse_tui.recording.records import Close, Reconnect
from sse_tui.text.wording import many

_LOOKED_AT = 8  # events whose dialect is looked for, before the first token

_REASONED = (
    "Raise the limit on output tokens, or lower the reasoning effort; check the server's reasoning parser, which may "
    "take the whole answer for reasoning."
)


@rule(
    "error",
    CLOSE,
    advice="In the client, treat an answer without text and without a tool call as failed; look for the cause in the "
    "server's log.",
    reference="vllm-project/vllm#40816; mario-andreschak/FLUJO#312; BerriAI/litellm#24462",
)
def empty_answer(_: Close, facts: Facts) -> Occurrence | None:
    """The stream ended in good order, and the answer has no text, no tool call and nothing else to show."""
    turn = facts.turn
    answer, concluded = turn.view.answer, turn.view.conclusion
    if concluded.outcome != "empty":
        return _blank(facts)
    substance = answer.substance
    usage = answer.usage or {}
    likeness, advice = "", None
    if turn.resembles not in ("", turn.dialect):
        likeness = f" The events look like {turn.resembles}, but were read as {turn.dialect}."
        advice = f"Read the stream with --dialect {turn.resembles}, or without --dialect."
    elif substance.reasoning or usage.get("reasoning"):
        advice = _REASONED
    return Occurrence(
        f"{concluded.sentence}{likeness}",
        advice=advice,
        evidence={
            "finish_reason": answer.finish_reason,
            "output_tokens": usage.get("output"),
            "reasoning_tokens": usage.get("reasoning"),
            "reasoning_characters": substance.reasoning,
            "resembles": turn.resembles or None,
        },
    )


def _blank(facts: Facts) -> Occurrence | None:
    """A whole answer that is only white space is shown as an empty one."""
    answer = facts.turn.view.answer
    if facts.turn.view.dialect.complete is not True or not 0 < answer.text_length <= 100:
        return None
    if answer.substance.other or not nothing_seen(answer.texts):
        return None
    limited = meaning_of(str(answer.finish_reason), facts.turn.dialect).kind is FinishKind.LENGTH
    return Occurrence(
        f"The answer is only white space ({many(answer.text_length, 'character')}): clients show an empty answer.",
        "info" if limited else "warning",  # what was to follow may have been more
        evidence={"characters": answer.text_length},
    )


@also("empty-answer", RECONNECT)
def asked_again(reconnect: Reconnect, facts: Facts) -> Occurrence:
    """A connection that brought nothing is no empty answer while the turn goes on."""
    return Occurrence("", "info", amend=True, evidence={"reconnected": True})


@also("empty-answer", EVENT)
def looked_at(event: Event, facts: Facts) -> None:
    """Remembers which dialect the first events look like, in case nothing of them is understood."""
    turn = facts.turn
    if turn.first_token_seen or turn.looked_at >= _LOOKED_AT or turn.resembles:
        return
    turn.looked_at += 1
    found = by_event(clue_of(event))
    if found is not None:
        turn.resembles = found[0]
