"""Rules about finish reasons: failures that look like an ordinary end, limits, and words that nobody documents."""

from __future__ import annotations

from collections.abc import Iterator

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import FINISH, Occurrence, also, rule
from sse_tui.dialects.base import Finish, Meta
from sse_tui.dialects.finish_reasons import FinishKind, Meaning, is_transient, meaning_of
from sse_tui.dialects.payload import JsonError, decode, items, members, string
from sse_tui.dialects.substance import shown
from sse_tui.eventstream import Event

_AGAIN = "In the client, treat this finish reason as a failed answer; a retry may succeed."


def _ends(facts: Facts, *kinds: FinishKind) -> Iterator[tuple[str, str, Meaning]]:
    """The finish reasons of these kinds in the event at hand: which choice, if there are several, reason, meaning."""
    finished = {delta.index for delta in facts.entry.deltas if isinstance(delta, Finish)}
    if not finished:
        return
    answer = facts.turn.view.answer
    several = answer.choices > 1
    for index, reason, meaning in answer.substance.reasons(facts.turn.dialect):
        if index in finished and meaning.kind in kinds:
            yield (f" of choice {index}" if several else ""), reason, meaning


def _new_ends(rule_id: str, facts: Facts, kind: FinishKind) -> Iterator[tuple[str, str, Meaning]]:
    """The same, each once: a reason that is sent again, or replaces another, is said already."""
    for which, reason, meaning in _ends(facts, kind):
        key = f"{rule_id}{which} {reason}"
        if key not in facts.turn.told:
            facts.turn.told.add(key)
            yield which, reason, meaning


@rule(
    "error",
    FINISH,
    advice="In the client, treat this finish reason as a failed answer and show it to the user; the status 200 and the "
    "end marker are those of any answer.",
    reference="coder/coder#28470; BerriAI/litellm#40857; sugarforever/chat-ollama#695",
)
def provider_stop(_: Event, facts: Facts) -> Iterator[Occurrence]:
    """The provider stopped or withheld the answer, which only the finish reason shows."""
    answer = facts.turn.view.answer
    if answer.error is not None:
        return  # an error that is reported as such says the same
    state = (
        "nothing visible had arrived"
        if answer.substance.empty
        else "what arrived before is not a whole answer"
    )
    for which, reason, meaning in _new_ends("provider-stop", facts, FinishKind.FAILURE):
        yield Occurrence(
            f"The finish reason{which} is {shown(reason)!r}: {meaning.words}; {state}.",
            advice=_AGAIN if is_transient(reason) else None,
            evidence={"finish_reason": reason, "meaning": meaning.words, "empty": answer.substance.empty},
        )
    for delta in facts.entry.deltas:
        if isinstance(delta, Meta) and delta.name == "blocked":
            reason = answer.substance.blocked
            words = meaning_of(reason, facts.turn.dialect).words
            why = f" ({words})" if words else ""
            yield Occurrence(
                f"The provider blocked the prompt: {shown(reason)}{why}. There is no answer.",
                advice="Show the block reason to the user; a retry of the same prompt will not help.",
                evidence={"block_reason": reason, "meaning": words},
            )


@also("provider-stop", FINISH)
def hidden_by_gateway(event: Event, facts: Facts) -> Occurrence | None:
    """The same where a gateway reports an ordinary end and passes the model's own reason on beside it."""
    if '"native_finish_reason"' not in event.data or facts.turn.view.answer.error is not None:
        return None
    for _, reason, _ in _ends(facts, FinishKind.NORMAL, FinishKind.TOOL):
        native = _native(event)
        words = meaning_of(native, facts.turn.dialect).words
        if meaning_of(native, facts.turn.dialect).kind is FinishKind.FAILURE:
            return Occurrence(
                f"The finish reason is {shown(reason)!r}, but the model's own, in native_finish_reason, is "
                f"{shown(native)!r}: {words}.",
                "warning",
                evidence={"finish_reason": reason, "native_finish_reason": native, "meaning": words},
            )
    return None


def _native(event: Event) -> str:
    """The reason of the model behind a gateway, "" where it is not to be found."""
    try:
        choices = members(decode(event.data)).get("choices")
    except JsonError:
        return ""
    found = (string(members(choice).get("native_finish_reason")) for choice in items(choices))
    return next(filter(None, found), "")


@rule(
    "warning",
    FINISH,
    advice="Look it up in the server's code or reference; clients that know only the documented reasons take it for an "
    "ordinary end, or raise.",
    reference="can1357/oh-my-pi#8563; theopenco/llmgateway#2974",
)
def unknown_finish_reason(_: Event, facts: Facts) -> Iterator[Occurrence]:
    """A finish reason that no provider documents: whether the answer is whole is unknown."""
    for which, reason, meaning in _new_ends("unknown-finish-reason", facts, FinishKind.UNKNOWN):
        if meaning.words:
            yield Occurrence(f"The finish reason{which} is {shown(reason)!r}: {meaning.words}.", "info")
        else:
            yield Occurrence(
                f"The finish reason{which} is {shown(reason)!r}, which no provider documents: whether the answer is "
                "whole is unknown.",
                evidence={"finish_reason": reason},
            )


@rule(
    "info",
    FINISH,
    advice="Raise the limit in the request (max_tokens, max_output_tokens), shorten the prompt, or ask for the rest.",
    reference="OpenAI's and Anthropic's API references on finish reasons",
)
def length_limit(_: Event, facts: Facts) -> Iterator[Occurrence]:
    """A limit ended the answer, not the model: it may stop in the middle of a sentence or of a tool call."""
    for which, reason, meaning in _new_ends("length-limit", facts, FinishKind.LENGTH):
        yield Occurrence(
            f"The finish reason{which} is {shown(reason)!r}: {meaning.words}.",
            evidence={"finish_reason": reason},
        )
