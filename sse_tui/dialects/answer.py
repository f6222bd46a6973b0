"""What a response said as a whole, assembled from its deltas one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sse_tui.dialects.base import (
    Delta,
    Finish,
    Malformed,
    Meta,
    Progress,
    Reasoning,
    Refusal,
    StreamFault,
    Text,
    ToolCall,
    Usage,
)
from sse_tui.dialects.pieces import Pieces


class _Channel:
    """Pieces of text by choice and part. Adding is O(1); reading joins, and joins nothing twice."""

    __slots__ = ("_joined", "_parts", "length")

    def __init__(self) -> None:
        self._parts: dict[tuple[int, int], Pieces] = {}
        self._joined: str | None = ""
        self.length = 0

    def add(self, delta: Text | Reasoning | Refusal) -> None:
        text, index, part = delta
        try:
            pieces = self._parts[index, part]
        except KeyError:
            pieces = self._parts[index, part] = Pieces()
        pieces.append(text)
        self.length += len(text)
        self._joined = None

    @property
    def text(self) -> str:
        if self._joined is None:
            self._joined = "".join([self._parts[place].text for place in sorted(self._parts)])
        return self._joined

    @property
    def indices(self) -> set[int]:
        return {index for index, _ in self._parts}


class _Call:
    __slots__ = ("arguments", "id", "index", "name")

    def __init__(self, index: int) -> None:
        self.index = index
        self.id: str | None = None
        self.name: str | None = None
        self.arguments = Pieces()


class Answer:
    """Takes deltas with `add`, each in O(1), and gives what they amount to so far.

    Several choices, and the parts of each (blocks, output items), are concatenated in their order with nothing
    between. An id or a name that a tool call sends again is not appended to itself. `usage` and `error` are
    the last ones reported, `model` the last non-empty name, `finish_reason` that of the first choice that has
    one.

    `Meta` deltas that it understands: "model", "done", "server_tool_call" (``{"type", "name",
    "arguments"?, "slot"?}``; those of the same slot are pieces of one call), "tool_plan" (a piece of text),
    "final_text", "incomplete_reason", "jsonrpc" (the kind of one message).
    """

    def __init__(self) -> None:
        self._text = _Channel()
        self._reasoning = _Channel()
        self._refusal = _Channel()
        self._calls: dict[int, _Call] = {}
        self._finishes: dict[int, str] = {}
        self._usage: Usage | None = None
        self._tool_plan: list[str] = []
        self.error: StreamFault | None = None
        self.model: str | None = None
        self.progress: Progress | None = None
        self.final_text: str | None = None
        self.incomplete_reason: str | None = None
        self.jsonrpc: dict[str, int] = {}
        self._server_calls: list[tuple[dict[str, Any], list[str]]] = []
        self._server_slots: dict[int, tuple[dict[str, Any], list[str]]] = {}
        self.done_sentinel = False
        self.json_errors = 0
        self.malformed = 0
        self._add: dict[type, Callable[[Any], None]] = {
            Text: self._text.add,
            Reasoning: self._reasoning.add,
            Refusal: self._refusal.add,
            ToolCall: self._add_call,
            Usage: self._add_usage,
            Finish: self._add_finish,
            StreamFault: self._add_fault,
            Progress: self._add_progress,
            Meta: self._add_meta,
            Malformed: self._add_malformed,
        }

    def add(self, delta: Delta) -> None:
        """Take one delta, in the order of the stream."""
        self._add[type(delta)](delta)

    def _add_call(self, delta: ToolCall) -> None:
        call = self._calls.get(delta.slot)
        if call is None:
            call = self._calls[delta.slot] = _Call(delta.index)
        call.id = call.id or delta.id
        call.name = call.name or delta.name
        if delta.arguments:
            call.arguments.append(delta.arguments)

    def _add_usage(self, delta: Usage) -> None:
        self._usage = delta

    def _add_finish(self, delta: Finish) -> None:
        self._finishes[delta.index] = delta.reason

    def _add_fault(self, delta: StreamFault) -> None:
        self.error = delta

    def _add_progress(self, delta: Progress) -> None:
        self.progress = delta

    def _add_meta(self, delta: Meta) -> None:
        if delta.name == "model":
            self.model = delta.value or self.model
        elif delta.name == "done":
            self.done_sentinel = True
        elif delta.name == "server_tool_call":
            self._add_server_call(dict(delta.value))
        elif delta.name == "tool_plan":
            self._tool_plan.append(delta.value)
        elif delta.name == "endpoint":
            self.json_errors += 1  # a path, on purpose: data that is no JSON all the same
        elif delta.name == "jsonrpc":
            self.jsonrpc[delta.value] = self.jsonrpc.get(delta.value, 0) + 1
        elif delta.name == "final_text":
            self.final_text = delta.value
        elif delta.name == "incomplete_reason":
            self.incomplete_reason = delta.value

    def _add_server_call(self, piece: dict[str, Any]) -> None:
        slot = piece.pop("slot", None)
        call = None if slot is None else self._server_slots.get(slot)
        if call is None:
            call = (piece, [])
            self._server_calls.append(call)
            if slot is not None:
                self._server_slots[slot] = call
        known, arguments = call
        for name in ("type", "name"):
            known[name] = known.get(name) or piece.get(name)
        if "arguments" in piece:
            arguments.append(piece["arguments"])
            known["arguments"] = ""

    def _add_malformed(self, delta: Malformed) -> None:
        self.malformed += 1
        self.json_errors += delta.kind == "json"

    @property
    def text(self) -> str:
        """The visible answer, refusals not included."""
        return self._text.text

    @property
    def text_length(self) -> int:
        """Characters in `text`, without joining it."""
        return self._text.length

    @property
    def reasoning(self) -> str:
        """The reasoning as far as the server showed it."""
        return self._reasoning.text

    @property
    def reasoning_length(self) -> int:
        """Characters in `reasoning`, without joining it."""
        return self._reasoning.length

    @property
    def refusal(self) -> str:
        """The refusal, "" without one."""
        return self._refusal.text

    @property
    def tool_plan(self) -> str:
        """Cohere's plan before its tool calls, "" without one."""
        return "".join(self._tool_plan)

    @property
    def tool_calls(self) -> list[dict[str, Any]]:
        """Calls for the client to answer, ``{"id", "name", "arguments"}``: by choice, then by appearance."""
        ordered = sorted(self._calls.items(), key=lambda item: (item[1].index, item[0]))
        return [{"id": call.id, "name": call.name, "arguments": call.arguments.text} for _, call in ordered]

    @property
    def server_tool_calls(self) -> list[dict[str, Any]]:
        """Calls that the service made and answered itself, ``{"type", "name", "arguments"?}``."""
        return [
            {**call, "arguments": "".join(arguments)} if arguments else dict(call)
            for call, arguments in self._server_calls
        ]

    @property
    def finish_reason(self) -> str | None:
        """The raw reason of the first choice that has one."""
        return self._finishes[min(self._finishes)] if self._finishes else None

    @property
    def usage(self) -> dict[str, int | None] | None:
        """``{"input", "output"}`` and, where reported, "reasoning" and "cached"; None without any."""
        if self._usage is None:
            return None
        usage: dict[str, int | None] = {"input": self._usage.input, "output": self._usage.output}
        if self._usage.reasoning is not None:
            usage["reasoning"] = self._usage.reasoning
        if self._usage.cached is not None:
            usage["cached"] = self._usage.cached
        return usage

    @property
    def choices(self) -> int:
        """Number of choices that sent anything."""
        indices = self._text.indices | self._reasoning.indices | self._refusal.indices | set(self._finishes)
        return len(indices | {call.index for call in self._calls.values()})

    def summary(self) -> dict[str, Any]:
        """The answer as plain data, under the names that reports use; the rare members only where present."""
        summary: dict[str, Any] = {
            "model": self.model,
            "text": self.text,
            "reasoning": self.reasoning,
            "refusal": self.refusal,
            "tool_calls": self.tool_calls,
            "finish_reason": self.finish_reason,
            "usage": self.usage,
            "error": self.error._asdict() if self.error else None,
            "done_sentinel": self.done_sentinel,
            "json_errors": self.json_errors,
        }
        if self.server_tool_calls:
            summary["server_tool_calls"] = self.server_tool_calls
        if self._tool_plan:
            summary["tool_plan"] = self.tool_plan
        if self.choices > 1:
            summary["choices"] = self.choices
        if self.incomplete_reason is not None:
            summary["incomplete_reason"] = self.incomplete_reason
        if self.final_text is not None:
            summary["final_text"] = self.final_text
        if self.jsonrpc:
            summary["jsonrpc"] = dict(self.jsonrpc)
        return summary
