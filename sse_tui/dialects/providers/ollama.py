"""Ollama's own ``/api/chat`` and ``/api/generate``: JSON lines, the last one with ``"done": true``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sse_tui.dialects.base import (
    Delta,
    Finish,
    Malformed,
    Message,
    Meta,
    Prepared,
    Reasoning,
    Text,
    ToolCall,
    Usage,
)
from sse_tui.dialects.line_dialects import LineDialect
from sse_tui.dialects.payload import compact, count, kind_of, members, string
from sse_tui.dialects.request import PARAMS, endpoint, last_of_role, mapped, members_of, post, turns

_NAMES = {**{name: name for name in PARAMS}, "max_tokens": "num_predict"}

# The server's own numbers, in nanoseconds.
_TIMINGS = ("total_duration", "load_duration", "prompt_eval_duration", "eval_duration")


class Ollama(LineDialect):
    """Reads one answer. Tool calls come whole, one or several a line."""

    name = "ollama"

    def __init__(self) -> None:
        super().__init__()
        self._model: str | None = None
        self._role: str | None = None
        self._slots = 0

    def _take(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        model = string(payload.get("model"))
        if model and model != self._model:
            self._model = model
            deltas.append(Meta("model", model))
        self._message(payload, deltas)
        if payload.get("done") is True:
            self._done(payload, deltas)
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
            text = source.get(name)
            if isinstance(text, str):
                if text:
                    deltas.append(kind(text))
            elif text is not None:
                deltas.append(Malformed(f"{name}: expected a string, got {kind_of(text)}"))
        calls = message.get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            self._call(members(call), deltas)

    def _call(self, call: dict[str, Any], deltas: list[Delta]) -> None:
        function = members(call.get("function"))
        given = function.get("arguments")
        arguments = given if isinstance(given, str) else "" if given is None else compact(given)
        deltas.append(ToolCall(self._slots, string(call.get("id")), string(function.get("name")), arguments))
        self._slots += 1

    def _done(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        if string(payload.get("done_reason")):
            deltas.append(Finish(payload["done_reason"]))
        tokens_in, tokens_out = count(payload.get("prompt_eval_count")), count(payload.get("eval_count"))
        if tokens_in is not None or tokens_out is not None:
            deltas.append(Usage(tokens_in, tokens_out))
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
