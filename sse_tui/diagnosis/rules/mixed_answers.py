"""Rules about the ids of responses: two answers on one connection, or an id that is new in every chunk."""

from __future__ import annotations

from sse_tui.bounded import NAME_LENGTH
from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import CLOSE, DELTAS, OVER, Occurrence, also, rule
from sse_tui.diagnosis.response_ids import ALWAYS_NEW, ResponseIds
from sse_tui.dialects.base import Meta, Reasoning, Refusal, Text, ToolCall
from sse_tui.eventstream import Event
from sse_tui.recording.records import Close

_ID = 40  # characters shown
_BY_CHUNK = frozenset(
    {"openai-chat", "openai-completions", "writer-completions", "gemini", "llamacpp-native"}
)
"""The dialects whose chunks all have the id of their response."""


@rule(
    "error",
    DELTAS,
    advice="In the server, give each request a queue of its own: the chunks of two requests went to one connection.",
    reference="FlowiseAI/Flowise#3474; karthink/gptel#525",
)
def mixed_answers(_: Event, facts: Facts) -> Occurrence | None:
    """Chunks of two responses alternate on one connection: clients show two answers mixed up as one."""
    ids = facts.turn.response_ids
    if facts.turn.dialect not in _BY_CHUNK:
        return None
    changed: str | None = None
    text = ""
    for delta in facts.entry.deltas:
        if isinstance(delta, Meta) and delta.name == "id":
            changed = delta.value[:NAME_LENGTH]
        elif isinstance(delta, Text | Reasoning | Refusal):
            text += delta.text
        elif isinstance(delta, ToolCall):
            text += delta.arguments
    return _mixed(ids) if ids.event(changed, text) else None


@also("mixed-answers", CLOSE)
def all_answers(_: Close, facts: Facts) -> Occurrence | None:
    """What each of them said is known by then."""
    ids = facts.turn.response_ids
    return _mixed(ids)._replace(amend=True) if ids.returned else None


def _mixed(ids: ResponseIds) -> Occurrence:
    said = "; ".join(f"{ident[:_ID]!r} says {text!r}" for ident, text in ids.texts.items() if text)
    return Occurrence(
        f"Chunks of several responses alternate: two answers are mixed. By their ids, {said}.",
        evidence={"texts": dict(ids.texts), "returned": ids.returned},
    )


@rule(
    "info",
    DELTAS,
    advice="In the server, send the same id with all chunks of a response.",
    reference="microsoft/foundry-local#144; BerriAI/litellm#1571; ggml-org/llama.cpp#5876",
)
def id_in_every_chunk(_: Event, facts: Facts) -> Occurrence | None:
    """The response id is a new one in every chunk: clients that group chunks by id see many messages."""
    ids = facts.turn.response_ids
    return _new(ids) if ids.always_new and ids.changes == ALWAYS_NEW else None


@also("id-in-every-chunk", CLOSE)
def all_ids(_: Close, facts: Facts) -> Occurrence | None:
    """How many there were in all."""
    ids = facts.turn.response_ids
    return _new(ids)._replace(amend=True) if ids.changes > ALWAYS_NEW else None


def _new(ids: ResponseIds) -> Occurrence:
    return Occurrence(
        f"{ids.changes:,} chunks have a response id of their own each: clients that group chunks by id see as many "
        "messages.",
        evidence={"ids": ids.changes},
    )


@rule(
    "info",
    OVER,
    advice="If a proxy repeats failed requests, let it begin a new stream: the text before the change is not its own.",
    reference="BerriAI/litellm#1571",
)
def changed_id(_: None, facts: Facts) -> Occurrence | None:
    """The response id changed in the middle of the text: another answer may have been appended to the first."""
    ids = facts.turn.response_ids
    if len(ids.spoke) < 2 or ids.returned or ids.changes >= ALWAYS_NEW:
        return None
    first, second = ids.spoke[:2]
    return Occurrence(
        f"The response id changed from {first[:_ID]!r} to {second[:_ID]!r} in the middle of the text: the second may "
        "be an answer of its own, appended after a retry or by a fallback.",
        evidence={"ids": list(ids.spoke)},
    )
