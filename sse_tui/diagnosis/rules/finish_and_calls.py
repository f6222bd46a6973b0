"""Rules about tool calls and what stands beside them: the finish reason, and empty lists."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sse_tui.diagnosis.facts import Facts
from sse_tui.diagnosis.registry import CLOSE, DELTAS, OVER, Occurrence, rule
from sse_tui.dialects.base import Text
from sse_tui.dialects.choices import Choice
from sse_tui.dialects.finish_reasons import FinishKind, meaning_of
from sse_tui.eventstream import Event
from sse_tui.text.wording import choice_words

_NO_CALLS = re.compile(r'(?<!\\)"tool_calls"\s*:\s*\[\s*\]')


# The dialects that have a finish reason of its own for tool calls.
_DIALECTS = frozenset({"openai-chat", "anthropic-messages", "cohere-v2"})


@rule(
    "warning",
    CLOSE,
    OVER,
    advice="In the client, look for tool calls whatever the finish reason says; in the server, make the two agree.",
    reference="vllm-project/vllm#9209; vllm-project/vllm#53256",
)
def tool_call_finish(_: object, facts: Facts) -> Iterator[Occurrence]:
    """A finish reason that promises tool calls where there are none, or the other way round."""
    dialect = facts.turn.dialect
    if dialect not in _DIALECTS or not facts.turn.settles("tool-call-finish"):
        return
    choices = facts.turn.view.answer.by_choice
    for choice in choices:
        of = f" of {choice_words(choice.index)}" if len(choices) > 1 else ""
        kind = meaning_of(choice.finish_reason or "", dialect).kind
        found = _disagreement(choice, of, kind, served=bool(facts.turn.view.answer.server_tool_calls))
        if found is not None:
            yield found


def _disagreement(choice: Choice, of: str, kind: FinishKind, *, served: bool) -> Occurrence | None:
    reason = choice.finish_reason
    evidence = {"finish_reason": reason, "choice": choice.index, "calls": len(choice.tool_calls)}
    if kind is FinishKind.TOOL and not choice.tool_calls and not served:
        return Occurrence(
            f"The finish reason{of} is {reason!r}, but no tool call came: clients wait for a call to run, or show "
            "nothing.",
            evidence=evidence,
        )
    if kind is FinishKind.NORMAL and choice.tool_calls:
        names = ", ".join(str(call["name"])[:60] for call in choice.tool_calls[:4])
        return Occurrence(
            f"The finish reason{of} is {reason!r} beside a tool call ({names}): clients that test the finish reason "
            "skip the call.",
            "info",
            evidence=evidence,
        )
    return None


@rule(
    "info",
    DELTAS,
    advice="Leave tool_calls out of a delta without calls; in the client, test whether the list is empty.",
    reference="microsoft/vscode#330038",
)
def empty_tool_calls(event: Event, facts: Facts) -> Occurrence | None:
    """An empty list of tool calls beside text: clients that test for the member drop the text."""
    if "empty-tool-calls" in facts.turn.told or "tool_calls" not in event.data:
        return None
    if not any(isinstance(delta, Text) for delta in facts.entry.deltas) or not _NO_CALLS.search(event.data):
        return None
    facts.turn.told.add("empty-tool-calls")
    return Occurrence(
        "tool_calls is an empty list beside the text of a delta: clients that only test whether the member is there "
        "take the delta for a tool call and drop its text.",
        evidence={"tool_calls": []},
    )
