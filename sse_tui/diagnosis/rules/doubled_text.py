"""The rule about an answer that is there twice: a closing delta that holds all of it again is appended to it."""

from __future__ import annotations

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import OVER, Occurrence, rule
from sse_tui.text.wording import many

_LEAST = 16  # characters of a text that is hardly said twice by chance


@rule(
    "info",
    OVER,
    advice="In the server, do not send the whole text again after its deltas; in the client, leave such a delta out.",
    reference="swuecho/chat#687; QwenLM/qwen-code#3896",
)
def doubled_text(_: None, facts: Facts) -> Occurrence | None:
    """The answer is the same text twice: probably the last delta held all of it again."""
    answer = facts.turn.view.answer
    if answer.choices > 1 or answer.text_length < 2 * _LEAST or answer.text_length % 2:
        return None
    text = answer.text
    half = text[: len(text) // 2]
    # Of a text that repeats itself anyway ("ha" forty times) the halves are equal for another reason.
    if not text.endswith(half) or text.find(half, 1) < len(half):
        return None
    return Occurrence(
        f"The answer is the same {many(len(half), 'character')} twice: probably the last delta holds all of the text "
        "again, or the model repeats itself.",
        evidence={"characters": len(half)},
    )
