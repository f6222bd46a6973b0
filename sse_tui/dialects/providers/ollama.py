"""Ollama's own ``/api/chat`` and ``/api/generate``: JSON lines, the last one with ``"done": true``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sse_tui.dialects.base import Delta, Finish, Message, Meta, Prepared, Reasoning, Text, ToolCall
from sse_tui.dialects.json_events import add_text
from sse_tui.dialects.line_dialects import LineDialect
from sse_tui.dialects.payload import arguments_text, items, members, string
from sse_tui.dialects.request import PARAMS, endpoint, last_of_role, mapped, members_of, post, turns
from sse_tui.dialects.usage import usage_of
from sse_tui.eventstream.items import Event

_NAMES = {**{name: name for name in PARAMS}, "max_tokens": "num_predict"}

# The server's own numbers, in nanoseconds.
_TIMINGS = ("total_duration", "load_duration", "prompt_eval_duration", "eval_duration")


class Ollama(LineDialect):
    """Reads one answer. Tool calls come whole, one or several a line."""

    name = "ollama"

    def __init__(self) -> None:
        self._role: str | None = None
        self._slots = 0

    def _take(self, event: Event, payload: dict[str, Any], deltas: list[Delta]) -> None:
        self._names(payload.get("model"), None, deltas)
        self._message(payload, deltas)
        if payload.get("done") is True:
            self._closing(payload, deltas)
        self._fault(payload, deltas)

    def _message(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        """``message`` of a chat; ``thinking`` and ``response`` of a generation."""
        message = members(payload.get("message"))
        role = string(message.get("role"))
        if role and role != self._role:
            self._role = role
            deltas.append(Meta("role", role))
        for source, name, kind in (
            (message, "thinking", Reasoning),
            (payload, "thinking", Reasoning),
            (message, "content", Text),
            (payload, "response", Text),
        ):
            if (text := source.get(name)) is not None:
                add_text(kind, text, name, deltas)
        for call in map(members, items(message.get("tool_calls"))):
            function = members(call.get("function"))
            arguments = arguments_text(function.get("arguments"))
            deltas.append(
                ToolCall(self._slots, string(call.get("id")), string(function.get("name")), arguments)
            )
            self._slots += 1

    def _closing(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        if string(payload.get("done_reason")):
            deltas.append(Finish(payload["done_reason"]))
        deltas += usage_of(payload.get("prompt_eval_count"), payload.get("eval_count"))
        timings = {name: payload[name] for name in _TIMINGS if payload.get(name) is not None}
        if timings:
            deltas.append(Meta("timings", timings))
        self._ended = True

    @classmethod
    def prepare(
        cls, base_url: str, model: str, messages: Sequence[Message], params: Mapping[str, Any]
    ) -> Prepared:
        """POST to ``/api/chat``; sampling goes into ``options``."""
        body: dict[str, Any] = {"model": model, "messages": turns(messages), "stream": True}
        options = mapped(params, _NAMES, cls.name)
        if options:
            body["options"] = options
        return post(endpoint(base_url, "api/chat", drop="/v1"), body, params, accept="application/x-ndjson")

    @classmethod
    def prompt_of(cls, body: str) -> str | None:
        """The text of the last message of the user, or the prompt of a generation."""
        request = members_of(body)
        prompt = request.get("prompt")
        return prompt if isinstance(prompt, str) else last_of_role(request.get("messages"))
