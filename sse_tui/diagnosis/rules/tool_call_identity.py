"""Rules about the names and ids of tool calls, from which clients put the pieces together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sse_tui.diagnosis.call_facts import CallFacts
from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import CLOSE, OVER, Occurrence, rule
from sse_tui.text.wording import many

# Dialects whose calls have an id by which a result is sent back.
_WITH_IDS = frozenset(
    {
        "openai-chat",
        "openai-responses",
        "openai-assistants",
        "anthropic-messages",
        "cohere-v2",
        "mistral-conversations",
    }
)

# Dialects that name a call with each of its events.
_WHOLE_NAMES = frozenset({"vercel-ui"})


def _calls(facts: Facts) -> Iterator[tuple[dict[str, Any], CallFacts]]:
    for slot, call in facts.turn.view.answer.calls_by_slot().items():
        known = facts.turn.calls.get(slot)
        if known is not None:
            yield call, known


@rule(
    "warning",
    CLOSE,
    OVER,
    advice="Send the name once, whole, with the first piece of a call.",
    reference="NousResearch/hermes-agent#8259; continuedev/continue#5849",
)
def tool_call_name(_: object, facts: Facts) -> Iterator[Occurrence]:
    """The name of a tool call repeated with later pieces, cut into pieces, or never sent."""
    if not facts.turn.settles("tool-call-name"):
        return
    for call, known in _calls(facts):
        name = call["name"]
        if not name and facts.turn.whole:
            yield Occurrence(
                "A tool call has no name, so that no client can tell which tool to run.",
                "error",
                evidence={"id": call["id"], "name": None},
                entry=known.last,
            )
        if known.name_repeats and facts.turn.dialect not in _WHOLE_NAMES:
            yield Occurrence(
                f"The name of the call to {name!r} comes again with {many(known.name_repeats, 'later piece')}: "
                f"accumulators that append names, as that of openai-python does, get {name * 2!r} and so on.",
                None if facts.turn.has_choices else "info",  # those accumulators read chunks with choices
                evidence={"id": call["id"], "name": name, "repeats": known.name_repeats},
                entry=known.repeated_at,
            )
        if known.name_pieces > 1:
            yield Occurrence(
                f"The name of the call to {name!r} comes in {many(known.name_pieces, 'piece')}: clients that keep "
                "only the first or the last of them call a tool that does not exist.",
                "info",
                evidence={"id": call["id"], "name": name, "pieces": known.name_pieces},
                entry=known.first,
            )


@rule(
    "warning",
    CLOSE,
    OVER,
    advice="Give every call an id of its own, and send it once, with the first piece.",
    reference="poolsideai/pool#9; vllm-project/vllm#44098",
)
def tool_call_id(_: object, facts: Facts) -> Iterator[Occurrence]:
    """The id of a tool call never sent, changed, shared with another call, or repeated with every piece."""
    if facts.turn.dialect not in _WITH_IDS or not facts.turn.settles("tool-call-id"):
        return
    owners: dict[str, str | None] = {}
    for call, known in _calls(facts):
        name, ident = call["name"], call["id"]
        evidence = {"id": ident, "name": name}
        if ident is None:
            if facts.turn.whole and not known.legacy:
                words = f"The call to {name!r} has no id, so that its result cannot be sent back under it."
                yield Occurrence(words, evidence=evidence, entry=known.last)
            continue
        if ident in owners:
            yield Occurrence(
                f"The id {ident[:80]!r} is that of two calls, to {owners[ident]!r} and to {name!r}: clients that go by "
                "the id merge them.",
                evidence=evidence,
                entry=known.first,
            )
        owners.setdefault(ident, name)
        if known.id_changes:
            yield Occurrence(
                f"The id of the call to {name!r} changes with {many(known.id_changes, 'later piece')}: clients that go "
                "by the id take them for other calls.",
                evidence={**evidence, "changes": known.id_changes},
                entry=known.changed_at,
            )
        if known.id_repeats:
            yield Occurrence(
                f"The id of the call to {name!r} comes again with {many(known.id_repeats, 'later piece')}: "
                "accumulators that append ids, as that of openai-python does, repeat it.",
                "info",
                evidence={**evidence, "repeats": known.id_repeats},
                entry=known.last,
            )
