"""Rules about tool calls that clients assemble wrongly."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sse_tui.bounded import NAME_LENGTH
from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import DELTAS, Occurrence, rule
from sse_tui.dialects.base import ToolCall
from sse_tui.dialects.payload import JsonError, compact, decode, kind_of, members
from sse_tui.eventstream import Event


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
            yield index if type(index) is int else position, members(call)


def _judge(choice: int, call: dict[str, Any], facts: Facts) -> Occurrence | None:
    index, ident = call.get("index"), call.get("id")
    ident = ident[:NAME_LENGTH] if isinstance(ident, str) else ident
    if type(index) is not int:
        state = (
            "has no index" if index is None else f"has {kind_of(index)} as its index, {compact(index)[:40]}"
        )
        return Occurrence(
            f"A tool call {state}: clients that rely on it merge or drop calls.",
            evidence={"index": index, "id": ident},
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
