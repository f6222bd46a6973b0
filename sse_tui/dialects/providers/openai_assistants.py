"""OpenAI's Assistants API: events named ``thread.*``, and at the end ``event: done`` with ``[DONE]``.

A run goes through steps; message deltas carry the text, step deltas the tool calls. The final status of the run
is its finish reason; ``requires_action`` waits for the client's tool outputs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from sse_tui.bounded import Slots
from sse_tui.dialects.base import Delta, Finish, Meta, Refusal, StreamFault, Text, ToolCall
from sse_tui.dialects.call_slots import CallPiece, CallSlots
from sse_tui.dialects.json_events import JsonDialect, Reader, part_index
from sse_tui.dialects.payload import index_of, items, members, string
from sse_tui.dialects.usage import usage_in
from sse_tui.eventstream.items import Event

_FINAL = frozenset({"completed", "failed", "cancelled", "expired", "incomplete", "requires_action"})

_MESSAGE = 2**20  # room for the content parts of one message


class OpenAIAssistants(JsonDialect):
    """Reads one streamed run."""

    name = "openai-assistants"
    sentinel = "ends"

    def __init__(self) -> None:
        self._messages = Slots[Any]()
        self._calls = Slots[tuple[Any, int]]()
        self._slots = CallSlots()
        self._steps = Slots[Any]()  # to the rules of calls like choices: each numbers its own

    def _take(self, event: Event, payload: dict[str, Any], deltas: list[Delta]) -> None:
        reader = self._readers.get(str(payload.get("object")))
        if reader is not None:
            reader(self, payload, deltas)
        announced = event.type == "error"
        if announced or "object" not in payload:
            self._fault(payload, deltas, announced=announced)

    def _run(self, run: dict[str, Any], deltas: list[Delta]) -> None:
        self._names(run.get("model"), run.get("id"), deltas)
        deltas += usage_in(members(run.get("usage")))
        status = run.get("status")
        if isinstance(status, str) and status in _FINAL:
            deltas.append(Finish(status))
            self._finished = True
        reason = string(members(run.get("incomplete_details")).get("reason"))
        if reason:
            deltas.append(Meta("incomplete_reason", reason))
        self._last_error(run, deltas)

    def _last_error(self, owner: dict[str, Any], deltas: list[Delta]) -> None:
        error = owner.get("last_error")
        if isinstance(error, dict) and error:
            self._fault({"error": error}, deltas)
        elif owner.get("status") == "failed":
            self._failed = True
            deltas.append(StreamFault(None, None, None))

    def _message(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        number = self._messages.of(_key(payload))
        for part in map(members, items(members(payload.get("delta")).get("content"))):
            at = number * _MESSAGE + part_index(part.get("index"))
            text = string(members(part.get("text")).get("value"))
            if text:
                deltas.append(Text(text, 0, at))
            refusal = string(part.get("refusal"))
            if refusal:
                deltas.append(Refusal(refusal, 0, at))
            annotations = items(members(part.get("text")).get("annotations"))
            deltas += [Meta("citation", annotation) for annotation in annotations]

    def _step_delta(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        details = members(members(payload.get("delta")).get("step_details"))
        for position, call in enumerate(map(members, items(details.get("tool_calls")))):
            index = index_of(call.get("index"))
            self._call(_key(payload), position if index is None else index, call, deltas)

    def _call(self, step: Any, index: int, call: dict[str, Any], deltas: list[Delta]) -> None:
        kind = string(call.get("type"))
        if kind == "function" or isinstance(call.get("function"), dict):
            function = members(call.get("function"))
            ident, name = string(call.get("id")), string(function.get("name"))
            arguments = string(function.get("arguments")) or ""
            piece = CallPiece(self._steps.of(step), index, ident, name, arguments)
            deltas.append(ToolCall(self._slots.of(piece)[0], ident, name, arguments))
            return
        new = (step, index) not in self._calls
        slot = self._calls.of((step, index))
        if new and kind:
            deltas.append(Meta("server_tool_call", {"slot": slot, "type": kind, "name": None}))
        code = string(members(call.get("code_interpreter")).get("input"))
        if code:
            deltas.append(Meta("code", code))

    _readers: ClassVar[Mapping[str, Reader]] = {
        "thread.run": _run,
        "thread.run.step": _last_error,
        "thread.run.step.delta": _step_delta,
        "thread.message.delta": _message,
    }


def _key(payload: dict[str, Any]) -> str | None:
    return string(payload.get("id"))
