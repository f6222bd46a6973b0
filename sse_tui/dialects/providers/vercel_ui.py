"""Vercel's AI SDK UI message stream, version 1: typed parts as data, then ``[DONE]``.

Text and reasoning come as blocks with an id (``text-start``, ``text-delta``, ``text-end``). Tool calls that the
provider runs itself are marked ``providerExecuted``. ``finish`` ends the message, ``abort`` breaks it off. Usage
has no part of its own; where a server puts it into the message's metadata it is taken from there.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar

from sse_tui.bounded import Seen, Slots
from sse_tui.dialects.base import Delta, Finish, Meta, Reasoning, StreamFault, Text, ToolCall
from sse_tui.dialects.event_order import BlockEvents, order_of
from sse_tui.dialects.json_events import Reader, TypedDialect, passed_on
from sse_tui.dialects.payload import arguments_text, members, string
from sse_tui.dialects.usage import usage_in


class VercelUI(TypedDialect):
    """Reads one UI message."""

    name = "vercel-ui"
    sentinel = "ends"

    def __init__(self) -> None:
        self._parts = Slots[tuple[type, Any]]()
        self._slots = Slots[Any]()
        self._filled = Seen[int]()
        self._served = Seen[int]()

    def _start(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        self._names(None, payload.get("messageId"), deltas)
        self._metadata(payload, deltas)

    def _metadata(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        metadata = members(payload.get("messageMetadata"))
        self._names(metadata.get("model") or metadata.get("modelId"), None, deltas)
        usage = members(metadata.get("totalUsage")) or members(metadata.get("usage"))
        deltas += usage_in(usage)

    def _block(
        self, payload: dict[str, Any], deltas: list[Delta], kind: type[Text] | type[Reasoning] = Text
    ) -> None:
        """Blocks are ordered by their start; a later step may reuse an id for a new block."""
        key = (kind, string(payload.get("id")))
        begins = str(payload.get("type")).endswith("-start")
        part = self._parts.renew(key) if begins else self._parts.of(key)
        text = string(payload.get("delta"))
        if text:
            deltas.append(kind(text, 0, part))

    def _tool(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        ident, name = string(payload.get("toolCallId")), string(payload.get("toolName"))
        new = ident not in self._slots
        slot = self._slots.of(ident)
        if new and payload.get("providerExecuted") is True:
            self._served.add(slot)
        piece = string(payload.get("inputTextDelta")) or ""
        if not piece and slot not in self._filled:
            piece = arguments_text(payload.get("input"))
        if piece:
            self._filled.add(slot)
        if slot in self._served:
            call = {"slot": slot, "type": "tool", "name": name, "arguments": piece}
            deltas.append(Meta("server_tool_call", call))
        elif new or piece:
            deltas.append(ToolCall(slot, ident, name, piece))
        if string(payload.get("errorText")):
            deltas.append(Meta("server_tool_result", payload))

    def _finish(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        self._finished = True
        if string(payload.get("finishReason")):
            deltas.append(Finish(payload["finishReason"]))
        self._metadata(payload, deltas)

    def _abort(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        self._failed = True
        deltas.append(StreamFault("abort", None, string(payload.get("reason"))))

    def _other(self, kind: str, payload: dict[str, Any], deltas: list[Delta]) -> None:
        if kind.startswith(("source-", "data-")):
            deltas.append(Meta("citation" if kind.startswith("source-") else "data", payload))
        elif kind == "file":
            deltas.append(Meta("file", string(payload.get("mediaType"))))

    order = order_of(
        "start",
        BlockEvents("text-start", ("text-delta",), "text-end", "id"),
        BlockEvents("reasoning-start", ("reasoning-delta",), "reasoning-end", "id"),
    )
    readers: ClassVar[Mapping[str, Reader]] = {
        "start": _start,
        "message-metadata": _metadata,
        "text-start": _block,
        "text-delta": _block,
        "reasoning-start": partial(_block, kind=Reasoning),
        "reasoning-delta": partial(_block, kind=Reasoning),
        "tool-input-start": _tool,
        "tool-input-delta": _tool,
        "tool-input-available": _tool,
        "tool-input-error": _tool,
        "tool-output-available": passed_on("server_tool_result"),
        "tool-output-error": passed_on("server_tool_result"),
        "finish": _finish,
        "abort": _abort,
    }
