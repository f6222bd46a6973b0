"""What a response said as a whole, assembled from its deltas one by one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from sse_tui import bounded
from sse_tui.bounded import Seen
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
from sse_tui.dialects.substance import Substance
from sse_tui.dialects.transcript import Transcript

# The slot of the names of tool calls in the transcript: they are part of what a reader saw, not of the arguments.
_NAMES = -1


class _Call:
    __slots__ = ("id", "index", "name")

    def __init__(self, index: int) -> None:
        self.index = index
        self.id: str | None = None
        self.name: str | None = None


class Answer:
    """Takes deltas with `add`, each in O(1), and gives what they amount to so far.

    `transcript` holds the text. Choices, and the parts of each (blocks, output items), are concatenated in their
    order with nothing between. An id or a name that a tool call sends again is not appended to itself. `usage` is
    the last one reported, `error` the first, `model` the last non-empty name, `finish_reason` that of the first choice
    that has one. Of the calls after the first `bounded.RECENT` only the text is kept, in the transcript;
    `further_calls` counts them.

    `Meta` deltas that it understands: "model", "done", "server_tool_call" (``{"type", "name", "arguments"?, "slot"?}``;
    those of the same slot are pieces of one call), "tool_plan" (a piece of text), "final_text", "incomplete_reason",
    "jsonrpc" (the kind of one message), "reasoning-before" (a choice whose
    text so far was reasoning), "blocked" (what the provider says of a prompt that it blocked).
    """

    def __init__(self) -> None:
        self.transcript = Transcript()
        self._calls: dict[int, _Call] = {}
        self._further = Seen[int]()
        self.further_calls = 0
        # What decides about its end; text, reasoning and calls are looked up when it is asked for.
        self._ends = Substance()
        self._usage: Usage | None = None
        self._usage_at = 0  # characters of the transcript when it was reported
        self._tool_plan = Pieces("tool_plan")
        self.model: str | None = None
        self.progress: Progress | None = None
        self.final_text: str | None = None
        self.jsonrpc: dict[str, int] = {}
        self._server_calls: list[tuple[dict[str, Any], Pieces]] = []
        self._server_slots: dict[int, tuple[dict[str, Any], Pieces]] = {}
        self.done_sentinel = False
        self.json_errors = 0
        self._add: dict[type, Callable[[Any], None]] = {
            Text: self._add_text,
            Reasoning: self._add_reasoning,
            Refusal: self._add_refusal,
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

    def _add_text(self, delta: Text) -> None:
        self.transcript.append("text", *delta)

    def _add_reasoning(self, delta: Reasoning) -> None:
        self.transcript.append("reasoning", *delta)

    def _add_refusal(self, delta: Refusal) -> None:
        self.transcript.append("refusal", *delta)

    def _add_call(self, delta: ToolCall) -> None:
        call = self._calls.get(delta.slot)
        if call is None and len(self._calls) < bounded.RECENT:
            call = self._calls[delta.slot] = _Call(delta.index)
        if call is not None:
            call.id = call.id or delta.id
            call.name = call.name or delta.name
        else:
            self.further_calls += self._further.add(delta.slot)
        if delta.name:
            self.transcript.append("tool", f"\n{delta.name} ", _NAMES)
        if delta.arguments:
            self.transcript.append("tool", delta.arguments, delta.slot)

    def _add_usage(self, delta: Usage) -> None:
        self._usage = delta
        self._usage_at = self.transcript.length

    def _add_finish(self, delta: Finish) -> None:
        self._ends.finish(delta)

    def _add_fault(self, delta: StreamFault) -> None:
        self._ends.report(delta)

    def _add_progress(self, delta: Progress) -> None:
        self.progress = delta

    def _add_meta(self, delta: Meta) -> None:
        self._ends.meta(delta)
        if delta.name == "model":
            self.model = delta.value or self.model
        elif delta.name == "done":
            self.done_sentinel = True
        elif delta.name == "server_tool_call":
            self._add_server_call(dict(delta.value))
        elif delta.name == "tool_plan":
            self._tool_plan.append(delta.value)
        elif delta.name == "endpoint":
            self.json_errors += 1  # a path by design, and still data that is not JSON
        elif delta.name == "jsonrpc":
            self.jsonrpc[delta.value] = self.jsonrpc.get(delta.value, 0) + 1
        elif delta.name == "final_text":
            self.final_text = delta.value
        elif delta.name == "reasoning-before":
            self.transcript.move(delta.value, "text", "reasoning")

    def _add_server_call(self, piece: dict[str, Any]) -> None:
        slot = piece.pop("slot", None)
        call = None if slot is None else self._server_slots.get(slot)
        if call is None:
            if len(self._server_calls) >= bounded.RECENT:
                self.further_calls += slot is None or self._further.add(slot)
                return
            call = (piece, Pieces("server_tool_call"))
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
        self.json_errors += delta.kind == "json"

    @property
    def text(self) -> str:
        """The visible answer, refusals not included."""
        return self.transcript.text("text")

    @property
    def text_length(self) -> int:
        """Characters in `text`, without joining it."""
        return self.transcript.length_of("text")

    @property
    def reasoning(self) -> str:
        """The reasoning as far as the server showed it."""
        return self.transcript.text("reasoning")

    @property
    def reasoning_length(self) -> int:
        """Characters in `reasoning`, without joining it."""
        return self.transcript.length_of("reasoning")

    @property
    def refusal(self) -> str:
        """The refusal, "" without one."""
        return self.transcript.text("refusal")

    @property
    def tool_plan(self) -> str:
        """Cohere's plan before its tool calls, "" without one."""
        return self._tool_plan.text

    @property
    def tool_calls(self) -> list[dict[str, Any]]:
        """Calls for the client to answer, ``{"id", "name", "arguments"}``: by choice, then by appearance."""
        ordered = sorted(self._calls.items(), key=lambda item: (item[1].index, item[0]))
        return [
            {"id": call.id, "name": call.name, "arguments": self.transcript.part("tool", slot)}
            for slot, call in ordered
        ]

    @property
    def server_tool_calls(self) -> list[dict[str, Any]]:
        """Calls that the service made and answered itself, ``{"type", "name", "arguments"?}``."""
        return [
            {**call, "arguments": arguments.text} if arguments.length else dict(call)
            for call, arguments in self._server_calls
        ]

    @property
    def finish_reason(self) -> str | None:
        """The raw reason of the first choice that has one."""
        finishes = self._ends.finishes
        return finishes[min(finishes)] if finishes else None

    @property
    def finishes(self) -> Mapping[int, str]:
        """The raw reason of each choice that ended, by its index."""
        return self._ends.finishes

    @property
    def incomplete_reason(self) -> str | None:
        """Why a response is incomplete, in the APIs that say that apart from its status."""
        return self._ends.incomplete or None

    @property
    def error(self) -> StreamFault | None:
        """The last error that the stream reported."""
        return self._ends.fault

    @property
    def substance(self) -> Substance:
        """What decides how the answer stands once its stream is over."""
        ends, text, reasoning = self._ends, self.text_length > 0, self.reasoning_length
        other = ends.other or bool(self._calls) or self.transcript.length_of("refusal") > 0
        rest = self._usage, ends.fault, self.progress
        return replace(
            ends,
            text=text,
            other=other,
            reasoning=reasoning,
            usage=self._usage,
            understood=ends.understood or bool(text or other or reasoning or ends.finishes or any(rest)),
        )

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
    def usage_is_whole(self) -> bool:
        """Whether the usage was reported after all of the text, so that it can count all of it."""
        return self._usage is not None and self._usage_at == self.transcript.length

    @property
    def choices(self) -> int:
        """Number of choices that sent anything."""
        indices = set[int]().union(*map(self.transcript.choices, ("text", "reasoning", "refusal")))
        return len(indices.union(self._ends.finishes, (call.index for call in self._calls.values())))
