"""Cohere's ``/v2/chat``: events named after their payload's ``type``, ``message-end`` and then ``[DONE]``.

Content, tool calls and citations are identified by index. What the first version of the API sent
(``event_type``: text-generation, stream-end, …) is understood too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from sse_tui.dialects.base import (
    Delta,
    Finish,
    Message,
    Meta,
    Prepared,
    Reasoning,
    StreamFault,
    Text,
    ToolCall,
)
from sse_tui.dialects.call_slots import CallPiece, CallSlots
from sse_tui.dialects.content_parts import pieces_of
from sse_tui.dialects.event_order import BlockEvents, order_of
from sse_tui.dialects.finish_reasons import meaning_of
from sse_tui.dialects.json_events import Reader, TypedDialect, part_index
from sse_tui.dialects.payload import arguments_text, compact, index_of, items, members, string
from sse_tui.dialects.request import endpoint, mapped, post, turns
from sse_tui.dialects.usage import usage_in
from sse_tui.eventstream.items import Event

_NAMES = {
    "temperature": "temperature",
    "top_p": "p",
    "top_k": "k",
    "max_tokens": "max_tokens",
    "seed": "seed",
    "stop": "stop_sequences",
}


def is_whole_message(payload: Mapping[str, Any]) -> bool:
    """Whether a payload is what the API answers without streaming."""
    return isinstance(members(payload.get("message")).get("content"), list) and "finish_reason" in payload


class CohereV2(TypedDialect):
    """Reads one streamed chat."""

    name = "cohere-v2"
    messages_in = "messages"
    sentinel = "follows"
    reason_due = True
    _old_count: int = 0

    def __init__(self) -> None:
        self._slots = CallSlots()

    def _take(self, event: Event, payload: dict[str, Any], deltas: list[Delta]) -> None:
        if "type" not in payload and isinstance(payload.get("event_type"), str):
            payload = {**payload, "type": payload["event_type"]}
        if self._is_whole(payload):
            self._whole_message(payload, deltas)
            return
        super()._take(event, payload, deltas)

    def _is_whole(self, payload: dict[str, Any]) -> bool:
        return "type" not in payload and is_whole_message(payload)

    def _whole_message(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        """The message as the API answers it without streaming."""
        self._start(payload, deltas)
        message = members(payload.get("message"))
        deltas.append(Meta("whole-object", "message"))
        deltas += [kind(text) for kind, text in pieces_of(items(message.get("content")))]
        for index, call in enumerate(items(message.get("tool_calls"))):
            self._call({"index": index, "delta": {"message": {"tool_calls": call}}}, deltas)
        self._close(payload.get("finish_reason"), members(payload.get("usage")), None, deltas)

    def _message(self, payload: dict[str, Any]) -> dict[str, Any]:
        return members(members(payload.get("delta")).get("message"))

    def _start(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        self._names(payload.get("model"), payload.get("id") or payload.get("generation_id"), deltas)
        role = string(self._message(payload).get("role"))
        if role:
            deltas.append(Meta("role", role))

    def _content(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        content = self._message(payload).get("content")
        part = part_index(payload.get("index"))
        for name, kind in (("thinking", Reasoning), ("text", Text)):
            text = string(members(content).get(name))
            if text:
                deltas.append(kind(text, 0, part))

    def _plan(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        plan = string(self._message(payload).get("tool_plan"))
        if plan:
            deltas.append(Meta("tool_plan", plan))

    def _call(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        calls = self._message(payload).get("tool_calls")
        call = members(calls[0] if isinstance(calls, list) and calls else calls)
        function = members(call.get("function"))
        arguments = arguments_text(function.get("arguments"))
        ident, name = string(call.get("id")), string(function.get("name"))
        if ident or name or arguments:
            piece = CallPiece(0, index_of(payload.get("index")), ident, name, arguments)
            deltas.append(ToolCall(self._slots.of(piece)[0], ident, name, arguments))

    def _citation(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        deltas.append(Meta("citation", self._message(payload).get("citations") or payload.get("citations")))

    def _end(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        delta = members(payload.get("delta"))
        self._close(delta.get("finish_reason"), members(delta.get("usage")), delta.get("error"), deltas)

    def _close(self, reason: Any, usage: dict[str, Any], error: Any, deltas: list[Delta]) -> None:
        if string(reason):
            self._finished = True
            deltas.append(Finish(reason))
        deltas += usage_in(usage)
        if error:
            self._fault({"error": error}, deltas)
        elif isinstance(reason, str) and reason.startswith("ERROR"):
            self._failed = True
            deltas.append(StreamFault(None, reason, meaning_of(reason, self.name).words or None))
        self._ended = True

    # The first version of the API

    def _old_text(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        text = string(payload.get("text"))
        if text:
            deltas.append(Text(text))

    def _old_calls(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        for call in map(members, items(payload.get("tool_calls"))):
            arguments = "{}" if call.get("parameters") is None else compact(call["parameters"])
            ident, name = string(call.get("id")), string(call.get("name"))
            self._old_count += 1
            slot, _ = self._slots.of(CallPiece(0, self._old_count, ident, name, arguments))
            deltas.append(ToolCall(slot, ident, name, arguments))

    def _old_end(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        meta = members(members(payload.get("response")).get("meta"))
        self._close(payload.get("finish_reason"), meta, payload.get("error"), deltas)

    order = order_of(
        "message-start",
        BlockEvents("content-start", ("content-delta",), "content-end", "index"),
        BlockEvents("tool-call-start", ("tool-call-delta",), "tool-call-end", "index"),
    )
    readers: ClassVar[Mapping[str, Reader]] = {
        "message-start": _start,
        "content-start": _content,
        "content-delta": _content,
        "tool-plan-delta": _plan,
        "tool-call-start": _call,
        "tool-call-delta": _call,
        "citation-start": _citation,
        "message-end": _end,
        "stream-start": _start,
        "text-generation": _old_text,
        "tool-calls-generation": _old_calls,
        "citation-generation": _citation,
        "stream-end": _old_end,
    }

    @classmethod
    def prepare(
        cls, base_url: str, model: str, messages: Sequence[Message], params: Mapping[str, Any]
    ) -> Prepared:
        """POST to ``/v2/chat``."""
        body: dict[str, Any] = {"model": model, "messages": turns(messages), "stream": True}
        body.update(mapped(params, _NAMES, cls.name))
        return post(endpoint(base_url, "v2/chat"), body, params)
