"""Amazon Bedrock's ``ConverseStream``: one form of events for all models.

``messageStart``; for each content block ``contentBlockStart`` (tool calls only), deltas, ``contentBlockStop``;
``messageStop`` with the stop reason; then ``metadata`` with usage and latency. The events come in AWS frames, which
name them; gateways also send them as payloads with one member of that name, as Nova models do in ``InvokeModel``. The
answer to the request without a stream, ``Converse``, is one object, and is read too.

Source: the API reference of Amazon Bedrock Runtime.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from sse_tui.dialects.base import Delta, Finish, Meta, Reasoning, Text, ToolCall
from sse_tui.dialects.json_events import Reader, TypedDialect, add_text, part_index
from sse_tui.dialects.payload import arguments_text, items, members, string
from sse_tui.dialects.providers.bedrock.bedrock_faults import exception_in, wrapped
from sse_tui.dialects.usage import usage_of
from sse_tui.eventstream.items import Event

EVENTS = (
    *("messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop"),
    "metadata",
)


class BedrockConverse(TypedDialect):
    """Reads one message. Content blocks are parts of one answer, in the order of their index."""

    name = "bedrock-converse"
    messages_in = "messages"

    def _take(self, event: Event, payload: dict[str, Any], deltas: list[Delta]) -> None:
        kind = event.type
        if kind not in self.readers:
            kind, payload = wrapped(payload, EVENTS) or (kind, payload)
        reader = self.readers.get(kind)
        if reader is not None:
            reader(self, payload, deltas)
        elif "stopReason" in payload:
            self._whole(payload, deltas)
        elif (fault := exception_in(kind, payload)) is not None:
            self._failed = True
            deltas.append(fault)
        else:
            self._fault(payload, deltas, announced=kind == "error")

    def _role(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        if string(payload.get("role")):
            deltas.append(Meta("role", payload["role"]))

    def _block_start(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        index, start = part_index(payload.get("contentBlockIndex")), members(payload.get("start"))
        call = members(start.get("toolUse"))
        if call:
            deltas.append(ToolCall(index, string(call.get("toolUseId")), string(call.get("name")), ""))

    def _block_delta(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        index, delta = part_index(payload.get("contentBlockIndex")), members(payload.get("delta"))
        add_text(Text, delta.get("text"), "delta.text", deltas, part=index)
        call = members(delta.get("toolUse"))
        if arguments := arguments_text(call.get("input")):
            deltas.append(ToolCall(index, None, None, arguments))
        self._reasoning(members(delta.get("reasoningContent")), index, deltas)
        if delta.get("citation"):
            deltas.append(Meta("citation", delta["citation"]))

    def _reasoning(self, reasoning: dict[str, Any], index: int, deltas: list[Delta]) -> None:
        add_text(Reasoning, reasoning.get("text"), "reasoningContent.text", deltas, part=index)
        if reasoning.get("signature"):
            deltas.append(Meta("signature", reasoning["signature"]))
        # Vercel's SDK calls it data.
        if hidden := reasoning.get("redactedContent") or reasoning.get("data"):
            deltas.append(Meta("redacted_thinking", hidden))

    def _block_stop(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        """Nothing: the block's deltas have said all."""

    def _stop(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        self._finished = True
        if string(payload.get("stopReason")):
            deltas.append(Finish(payload["stopReason"]))

    def _metadata(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        usage = members(payload.get("usage"))
        deltas += usage_of(
            usage.get("inputTokens"), usage.get("outputTokens"), cached=usage.get("cacheReadInputTokens")
        )
        if payload.get("metrics"):
            deltas.append(Meta("timings", payload["metrics"]))

    def _whole(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        """The answer of ``Converse``, which is no stream."""
        message = members(members(payload.get("output")).get("message"))
        self._role(message, deltas)
        for index, block in enumerate(map(members, items(message.get("content")))):
            add_text(Text, block.get("text"), "content.text", deltas, part=index)
            self._reasoning(
                members(members(block.get("reasoningContent")).get("reasoningText")), index, deltas
            )
            if call := members(block.get("toolUse")):
                ident, name = string(call.get("toolUseId")), string(call.get("name"))
                deltas.append(ToolCall(index, ident, name, arguments_text(call.get("input"))))
        self._stop(payload, deltas)
        self._metadata(payload, deltas)

    readers: ClassVar[Mapping[str, Reader]] = {
        "messageStart": _role,
        "contentBlockStart": _block_start,
        "contentBlockDelta": _block_delta,
        "contentBlockStop": _block_stop,
        "messageStop": _stop,
        "metadata": _metadata,
    }
