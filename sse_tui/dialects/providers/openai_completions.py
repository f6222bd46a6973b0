"""OpenAI's older text completions: ``choices[].text`` and ``[DONE]``; vLLM, llama.cpp and proxies send them too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sse_tui.dialects.base import Delta, Finish, Malformed, Message, Meta, Prepared, Text
from sse_tui.dialects.json_events import JsonDialect
from sse_tui.dialects.openai_usage import counted
from sse_tui.dialects.payload import kind_of, members, string
from sse_tui.dialects.request import (
    PARAMS,
    endpoint,
    last_user,
    mapped,
    members_of,
    plain_prompt,
    post,
    speaker_stop,
)
from sse_tui.eventstream.items import Event

_NAMES = {name: name for name in PARAMS}

_PASSED_ON = ("timings", "perf_metrics", "prompt_filter_results")


class OpenAICompletions(JsonDialect):
    """Reads one streamed text completion."""

    name = "openai-completions"

    def __init__(self) -> None:
        super().__init__()
        self._finishes: dict[int, str | None] = {}

    @property
    def complete(self) -> bool | None:
        """True after ``[DONE]``, or once every choice that began has a finish reason; never after an error."""
        finished = bool(self._finishes) and None not in self._finishes.values()
        return (self._ended or finished) and not self._failed

    def _take(self, event: Event, payload: dict[str, Any], deltas: list[Delta]) -> None:
        self._names(payload.get("model"), payload.get("id"), deltas)
        choices = payload.get("choices")
        if isinstance(choices, list):
            for position, choice in enumerate(choices):
                self._choice(choice, position, deltas)
        elif choices is not None:
            deltas.append(Malformed(f"choices: expected an array, got {kind_of(choices)}"))
        usage = payload.get("usage")
        counts = counted(members(usage))
        if counts is not None:
            deltas.append(counts)
        for name in _PASSED_ON:
            if payload.get(name):
                deltas.append(Meta(name, payload[name]))
        self._fault(payload, deltas, announced=event.type == "error")

    def _choice(self, choice: Any, position: int, deltas: list[Delta]) -> None:
        if not isinstance(choice, dict):
            deltas.append(Malformed(f"choices[{position}]: expected an object, got {kind_of(choice)}"))
            return
        index = choice.get("index")
        if type(index) is not int:
            index = position
        self._finishes.setdefault(index, None)
        text = choice.get("text")
        if isinstance(text, str):
            if text:
                deltas.append(Text(text, index))
        elif text is not None:
            deltas.append(Malformed(f"text: expected a string, got {kind_of(text)}"))
        reason = string(choice.get("finish_reason"))
        if reason:
            self._finishes[index] = reason
            self._failed = self._failed or reason == "error"
            deltas.append(Finish(reason, index))

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

    @classmethod
    def prompt_of(cls, body: str) -> str | None:
        """The user's last words in the prompt."""
        prompt = members_of(body).get("prompt")
        return last_user(prompt) if isinstance(prompt, str) else None
