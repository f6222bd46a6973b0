"""Cloudflare's Workers AI, native: ``{"response": "…", "p": "…"}`` and ``[DONE]``.

``p`` is padding of random length. The last payload has the usage; newer models send OpenAI's chunks instead.
"""

from __future__ import annotations

from typing import Any

from sse_tui.dialects.base import Delta, Text, ToolCall
from sse_tui.dialects.json_events import JsonDialect, add_text
from sse_tui.dialects.payload import arguments_text, items, members, string
from sse_tui.dialects.usage import usage_in
from sse_tui.eventstream.items import Event

MEMBERS = frozenset({"response", "p", "usage", "tool_calls"})
"""All that its payloads have."""


class WorkersAI(JsonDialect):
    """Reads one answer. A number or an object in ``response`` is part of an answer in JSON."""

    name = "workers-ai"
    messages_in = "messages"
    prompt_in = "prompt"
    sentinel = "ends"
    _slots: int = 0

    def _take(self, event: Event, payload: dict[str, Any], deltas: list[Delta]) -> None:
        response = payload.get("response")
        if isinstance(response, int | float | dict) and not isinstance(response, bool):
            response = arguments_text(response)
        add_text(Text, response, "response", deltas)
        for call in map(members, items(payload.get("tool_calls"))):
            call = {**call, **members(call.get("function"))}
            name, arguments = string(call.get("name")), arguments_text(call.get("arguments"))
            if name or arguments:
                deltas.append(ToolCall(self._slots, string(call.get("id")), name, arguments))
                self._slots += 1
        usage = members(payload.get("usage"))
        deltas += usage_in(usage)
        if usage and not response:
            self._finished = True
        self._fault(payload, deltas, announced=event.type == "error")
