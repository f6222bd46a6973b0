"""OpenAI's older text completions: ``choices[].text`` and ``[DONE]``; vLLM, llama.cpp and proxies send them too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sse_tui.dialects.base import Delta, Message, Meta, Prepared, Text
from sse_tui.dialects.json_events import ChoiceDialect, add_text
from sse_tui.dialects.payload import members, string
from sse_tui.dialects.request import (
    PARAMS,
    endpoint,
    mapped,
    plain_prompt,
    post,
    speaker_stop,
)
from sse_tui.dialects.usage import usage_in
from sse_tui.eventstream.items import Event

_NAMES = {name: name for name in PARAMS}

_PASSED_ON = ("timings", "perf_metrics", "prompt_filter_results")


class OpenAICompletions(ChoiceDialect):
    """Reads one streamed text completion."""

    name = "openai-completions"
    prompt_in = "prompt"
    sentinel = "ends"

    def _take(self, event: Event, payload: dict[str, Any], deltas: list[Delta]) -> None:
        self._names(payload.get("model"), payload.get("id"), deltas)
        self._choices(payload.get("choices"), "choices", self._choice, deltas)
        deltas += usage_in(members(payload.get("usage")))
        for name in _PASSED_ON:
            if payload.get(name):
                deltas.append(Meta(name, payload[name]))
        self._fault(payload, deltas, announced=event.type == "error")

    def _choice(self, choice: dict[str, Any], index: int, deltas: list[Delta]) -> None:
        add_text(Text, choice.get("text"), "text", deltas, index)
        reason = string(choice.get("finish_reason"))
        if reason:
            self._failed = self._failed or reason == "error"
            self._end(index, reason, deltas)

    @classmethod
    def prepare(
        cls, base_url: str, model: str, messages: Sequence[Message], params: Mapping[str, Any]
    ) -> Prepared:
        """POST to ``{base_url}/completions``, the conversation as one text."""
        body: dict[str, Any] = {
            "model": model,
            "prompt": plain_prompt(messages),
            "stream": True,
            "stream_options": {"include_usage": True},
            **speaker_stop(messages),
            **mapped(params, _NAMES, cls.name),
        }
        return post(endpoint(base_url, "completions"), body, params)
