"""The rule about the arguments of tool calls: what a client that decodes them meets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sse_tui.diagnosis.arguments import Flaw, cut, flaw_of, same_value, unfinished
from sse_tui.diagnosis.call_facts import CallFacts
from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.finding import Severity
from sse_tui.diagnosis.registry import CLOSE, DELTAS, IGNORED, OVER, Occurrence, also, rule
from sse_tui.dialects.base import Meta, ToolCall
from sse_tui.dialects.finish_reasons import FinishKind, meaning_of
from sse_tui.eventstream import Event, Ignored
from sse_tui.text.wording import many

_KEPT = 200

# By dialect: how arguments that have the other type look in a payload, and the types that came and that were due.
_STRINGS = re.compile(r'(?<!\\)"arguments"\s*:\s*[\[{]'), "an object", "a string"
_TYPES = {
    **dict.fromkeys(("openai-chat", "openai-responses", "openai-assistants", "cohere-v2"), _STRINGS),
    "ollama": (re.compile(r'(?<!\\)"arguments"\s*:\s*"'), "a string", "an object"),
    "gemini": (re.compile(r'(?<!\\)"args"\s*:\s*"'), "a string", "an object"),
}
# Dialects that send arguments as a string, so that a call without any breaks clients, which decode that string.
_STRING_ARGUMENTS = frozenset({"openai-chat", "openai-responses", "openai-assistants"})

# OpenAI itself sends "" for tools without parameters, and so does Bedrock behind a gateway.
_SEVERITIES: dict[str, Severity] = {"empty": "info", "not-an-object": "warning"}
_ADVICE = {
    "sent-twice": "Send the arguments once, in pieces or whole; in the client, drop a whole text after its pieces.",
    "cumulative": "Send with every piece only what is new; in the client, replace the arguments by the last piece.",
    "encoded-twice": "Encode the arguments once; in the client, decode again if the first decoding gives a string.",
    "empty": "Send {} for a call without arguments; in the client, read an empty text as {}.",
    "several": "Send every call under its own index and id; do not run the tool with these arguments.",
}


@rule(
    "error",
    CLOSE,
    OVER,
    advice="Do not run the tool; check whether pieces were lost or added to another call.",
    reference="vllm-project/vllm#51697; BerriAI/litellm#20480",
)
def tool_call_arguments(_: object, facts: Facts) -> Iterator[Occurrence]:
    """Arguments of a tool call that are not one JSON object: sent or encoded twice, unfinished, or never sent."""
    if facts.turn.settles("tool-call-arguments"):
        for slot, call in facts.turn.view.answer.calls_by_slot().items():
            known = facts.turn.calls.get(slot)
            if known is not None and not known.free_form:
                yield from _judge(call, known, facts)


def _judge(call: dict[str, Any], known: CallFacts, facts: Facts) -> Iterator[Occurrence]:
    arguments = call["arguments"]
    evidence = {"id": call["id"], "name": call["name"], "arguments": arguments[:_KEPT]}
    reason = facts.turn.view.answer.finishes.get(known.choice, "")
    limited = meaning_of(reason, facts.turn.dialect).kind is FinishKind.LENGTH
    if limited or not facts.turn.whole:
        if unfinished(arguments):
            how = f"the answer ended at its limit ({reason})" if limited else "the stream ended"
            words = f"{how} after {many(len(arguments), 'character')}"
            yield Occurrence(
                f"The arguments of the call to {call['name']!r} are unfinished: {words}.",
                "warning",
                evidence={"flaw": "unfinished", **evidence},
                entry=known.last,
            )
        return
    flaw = flaw_of(arguments)
    if flaw is not None and (flaw.kind != "empty" or facts.turn.dialect in _STRING_ARGUMENTS):
        yield _occurrence(flaw, call, evidence, known)


def _occurrence(flaw: Flaw, call: dict[str, Any], evidence: dict[str, Any], known: CallFacts) -> Occurrence:
    meant = {"meant": flaw.meant[:_KEPT]} if flaw.meant else {}
    return Occurrence(
        f"The arguments of the call to {call['name']!r} {flaw.words}.",
        _SEVERITIES.get(flaw.kind),
        _ADVICE.get(flaw.kind),
        evidence={"flaw": flaw.kind, **evidence, **meant},
        entry=known.last,
    )


@also("tool-call-arguments", DELTAS)
def final_arguments(_: Event, facts: Facts) -> list[Occurrence]:
    """Arguments that are not those of the pieces when they are sent again as a whole."""
    calls = facts.turn.view.answer.calls_by_slot() if facts.turn.calls else {}
    return [
        Occurrence(
            f"The final arguments of the call to {calls[slot]['name']!r}, {cut(whole)}, are not those that its pieces "
            f"brought, {cut(calls[slot]['arguments'])}: clients run the tool with the one or the other.",
            evidence={"flaw": "final-differs", **calls[slot], "final": whole[:_KEPT]},
        )
        for slot, whole in _finals(facts)
        if slot in calls and not same_value(whole, calls[slot]["arguments"])
    ]


def _finals(facts: Facts) -> Iterator[tuple[int, str]]:
    for delta in facts.entry.deltas:
        if isinstance(delta, Meta) and delta.name == "final-arguments":
            yield delta.value["slot"], delta.value["arguments"]


@also("tool-call-arguments", DELTAS)
def arguments_of_another_type(event: Event, facts: Facts) -> Occurrence | None:
    """Arguments as an object where the API has a string, or the other way round."""
    return _of_another_type(event.data, facts)


@also("tool-call-arguments", IGNORED)
def line_with_arguments_of_another_type(line: Ignored, facts: Facts) -> Occurrence | None:
    """The same in JSON lines."""
    return _of_another_type(line.line, facts) if facts.turn.lines else None


def _of_another_type(data: str, facts: Facts) -> Occurrence | None:
    form = _TYPES.get(facts.turn.dialect)
    if form is None or not any(type(delta) is ToolCall for delta in facts.entry.deltas):
        return None
    pattern, came, due = form
    if pattern.search(data) is None:
        return None
    return Occurrence(
        f"The arguments of a tool call are {came}, where the API sends {due}: clients that "
        f"{'append or decode' if due == 'a string' else 'use'} them fail.",
        "warning" if due == "a string" else "info",
        f"Send the arguments as {due}; in the client, accept both.",
        evidence={"flaw": "type", "got": came, "expected": due},
    )
