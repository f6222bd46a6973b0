"""Payloads of models on Bedrock that have no dialect of their own: a piece of text, counts, a reason to stop.

Amazon Titan, Meta's Llama, Mistral's and DeepSeek's completions, AI21's Jurassic, Cohere's Command and Anthropic's
older completions. The last payload also has Bedrock's counts and latencies.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from sse_tui.dialects.base import Delta, Finish, Meta, Text
from sse_tui.dialects.json_events import JsonDialect, add_text
from sse_tui.dialects.payload import items, members, string
from sse_tui.dialects.usage import usage_of
from sse_tui.eventstream.items import Event

METRICS = "amazon-bedrock-invocationMetrics"


class _TextForm(NamedTuple):
    """Where a payload has its text and its reason to stop; `within`: in the objects of that list, each a choice."""

    text: str
    reason: str
    within: str = ""


_FORMS = (
    _TextForm("outputText", "completionReason"),  # Titan
    _TextForm("generation", "stop_reason"),  # Llama
    _TextForm("text", "stop_reason", "outputs"),  # Mistral
    _TextForm("text", "stop_reason", "choices"),  # DeepSeek
    _TextForm("text", "finish_reason", "generations"),  # Cohere's Command
    _TextForm("completion", "stop_reason"),  # Anthropic's text completions
)
_COUNTS = (
    ("prompt_token_count", "generation_token_count"),
    ("inputTextTokenCount", "totalOutputTextTokenCount"),
)


def form_of(payload: dict[str, Any]) -> _TextForm | None:
    """The form of a payload; None for none of these."""
    for form in _FORMS:
        if not form.within:
            if form.text in payload:
                return form
            continue
        first = next(iter(items(payload.get(form.within))), None)
        if form.text in members(first) and form.reason in members(first):
            return form
    return None


class BedrockText(JsonDialect):
    """Reads one answer."""

    name = "bedrock-invoke"

    def _take(self, event: Event, payload: dict[str, Any], deltas: list[Delta]) -> None:
        form = form_of(payload)
        if form is not None:
            choices = items(payload[form.within]) if form.within else [payload]
            for index, choice in enumerate(map(members, choices)):
                add_text(Text, choice.get(form.text), form.text, deltas, index)
                if reason := string(choice.get(form.reason)):
                    self._finished = True
                    deltas.append(Finish(reason, index))
        for tokens_in, tokens_out in _COUNTS:
            deltas += usage_of(payload.get(tokens_in), payload.get(tokens_out))
        metrics = members(payload.get(METRICS))
        deltas += usage_of(metrics.get("inputTokenCount"), metrics.get("outputTokenCount"))
        self._fault(payload, deltas)


def metrics_of(payload: dict[str, Any]) -> list[Delta]:
    """What Bedrock measured, from the last payload of any model."""
    metrics = payload.get(METRICS)
    return [Meta("timings", metrics)] if isinstance(metrics, dict) else []
