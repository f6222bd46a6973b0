"""Mistral's conversations and agents: named events, from ``conversation.response.started`` to ``.done``.

Its chat completions are OpenAI's and are read as such; this is the other API. ``output_index`` identifies an entry,
``content_index`` a part of its content. Connectors (``tool.execution.*``) run on the server,
``function.call.delta`` is for the client.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from sse_tui.bounded import Slots
from sse_tui.dialects.base import Delta, Finish, Meta, StreamFault, ToolCall
from sse_tui.dialects.content_parts import pieces_of
from sse_tui.dialects.json_events import Reader, TypedDialect, part_index, passed_on
from sse_tui.dialects.payload import arguments_text, members, string
from sse_tui.dialects.usage import usage_in

_ENTRY = 2**20


class MistralConversations(TypedDialect):
    """Reads one turn of a conversation."""

    name = "mistral-conversations"

    def __init__(self) -> None:
        self._slots = Slots[Any]()

    def _started(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        self._names(None, payload.get("conversation_id"), deltas)

    def _output(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        self._names(payload.get("model"), None, deltas)
        part = part_index(payload.get("output_index"), 2**31) * _ENTRY + part_index(
            payload.get("content_index")
        )
        content = payload.get("content")
        parts = content if isinstance(content, list) else [content]
        deltas += [kind(text, 0, part) for kind, text in pieces_of(parts)]
        deltas += [Meta("citation", each) for each in parts if members(each).get("type") == "tool_reference"]

    def _function(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        self._names(payload.get("model"), None, deltas)
        ident = string(payload.get("tool_call_id"))
        slot = self._slots.of(ident or string(payload.get("id")))
        arguments = arguments_text(payload.get("arguments"))
        deltas.append(ToolCall(slot, ident, string(payload.get("name")), arguments))

    def _tool(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        """A connector's run; its arguments come whole or in pieces."""
        slot = self._slots.of(("tool", string(payload.get("id"))))
        call: dict[str, Any] = {"slot": slot, "type": "tool.execution", "name": string(payload.get("name"))}
        if isinstance(payload.get("arguments"), str):
            call["arguments"] = payload["arguments"]
        deltas.append(Meta("server_tool_call", call))

    def _closing(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        deltas += usage_in(members(payload.get("usage")))
        if string(payload.get("stop_reason")):
            deltas.append(Finish(payload["stop_reason"]))
        self._ended = True

    def _error(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        self._failed = True
        code = payload.get("code")
        deltas.append(
            StreamFault(None, code if isinstance(code, int | str) else None, string(payload.get("message")))
        )

    def _other(self, kind: str, payload: dict[str, Any], deltas: list[Delta]) -> None:
        if kind.startswith("agent.handoff."):
            deltas.append(Meta("tool_status", kind))

    readers: ClassVar[Mapping[str, Reader]] = {
        "conversation.response.started": _started,
        "conversation.response.done": _closing,
        "conversation.response.error": _error,
        "message.output.delta": _output,
        "function.call.delta": _function,
        "tool.execution.started": _tool,
        "tool.execution.delta": _tool,
        "tool.execution.done": passed_on("server_tool_result"),
    }
