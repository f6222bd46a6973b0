"""Rules about tool calls that clients assemble wrongly."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sse_tui.bounded import NAME_LENGTH
from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import CLOSE, DELTAS, Occurrence, also, rule
from sse_tui.dialects.base import ToolCall
from sse_tui.dialects.payload import JsonError, decode, members
from sse_tui.eventstream import Event
from sse_tui.recording.records import Close


@rule(
    "warning",
    DELTAS,
    advice="Number parallel calls 0, 1, 2, ..., and send the index of its call with every piece.",
    reference="ai-dynamo/dynamo#4723; vercel/ai#14277",
)
def tool_call_index(event: Event, facts: Facts) -> list[Occurrence] | None:
    """Tool calls with missing, shared or skipped indices: clients merge or lose calls."""
    if facts.turn.dialect != "openai-chat":
        return None
    slots = {delta.slot for delta in facts.entry.deltas if isinstance(delta, ToolCall)}
    if not [slot for slot in slots if facts.turn.tool_slots.add(slot)]:
        return None
    judged = (_judge(choice, call, facts) for choice, call in _pieces(event.data))
    return [occurrence for occurrence in judged if occurrence is not None]


def _pieces(data: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The pieces of tool calls in a chunk, each with the index of its choice."""
    try:
        choices = members(decode(data)).get("choices")
    except JsonError:
        return
    for position, choice in enumerate(map(members, choices if isinstance(choices, list) else ())):
        calls = members(choice.get("delta")).get("tool_calls")
        index = choice.get("index")
        for call in calls if isinstance(calls, list) else ():
            yield index if isinstance(index, int) else position, members(call)


def _judge(choice: int, call: dict[str, Any], facts: Facts) -> Occurrence | None:
    index, ident = call.get("index"), call.get("id")
    ident = ident[:NAME_LENGTH] if isinstance(ident, str) else ident
    if not isinstance(index, int):
        return Occurrence(
            "A tool call has no index: clients that rely on it merge or drop calls.",
            evidence={"index": None, "id": ident},
        )
    known = facts.turn.tool_indices
    key = choice, index
    before, lower = known.get(key), facts.turn.tool_counts.get(choice) or 0
    occurrence = None
    if isinstance(ident, str) and before not in (None, ident):
        occurrence = Occurrence(
            f"Index {index} belonged to the call {before!r} and is now used for {ident!r}: clients that go by the "
            "index merge the two calls.",
            evidence={"index": index, "ids": [before, ident]},
        )
    elif key not in known and index > lower:
        occurrence = Occurrence(
            f"A tool call has index {index}, but lower indices are missing: code that collects calls in a list by "
            "index fails.",
            evidence={"index": index, "id": ident},
        )
    if key not in known:
        facts.turn.tool_counts.put(choice, lower + 1)
    known.put(key, ident if isinstance(ident, str) else before)
    return occurrence


@also("tool-call-index", CLOSE)
def broken_arguments(_: Close, facts: Facts) -> list[Occurrence]:
    """Arguments that are not JSON at the end of a complete answer."""
    view = facts.turn.view
    if view.dialect.complete is not True or view.answer.error is not None:
        return []
    occurrences = []
    for call in view.answer.tool_calls:
        arguments = call["arguments"].strip()
        if not arguments.startswith(("{", "[")):
            continue  # none, or a tool with free-form input
        try:
            decode(arguments)
        except JsonError as error:
            occurrences.append(
                Occurrence(
                    f"The finished arguments of the call to {call['name']!r} are not JSON: {error}.",
                    "error",
                    "Do not run the tool; check whether pieces were lost or added to another call.",
                    evidence={"id": call["id"], "name": call["name"], "arguments": arguments[:200]},
                )
            )
    return occurrences
