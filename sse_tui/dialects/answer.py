"""What a response said as a whole, assembled from its deltas one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
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
from sse_tui.dialects.call_slots import added_to_name
from sse_tui.dialects.choices import Choice
from sse_tui.dialects.pieces import Pieces
from sse_tui.dialects.substance import Substance
from sse_tui.dialects.transcript import BEYOND, Transcript

# The slot of the names of tool calls in the transcript: they are part of what a reader saw, not of the arguments.
_NAMES = -1
_TEXTS = ("text", "reasoning", "refusal")


class _Call:
    """A call so far. `begun`: its arguments have, so that what its name lacks comes too late for the transcript."""

    __slots__ = ("begun", "id", "index", "name")

    def __init__(self, index: int) -> None:
        self.index = index
        self.id: str | None = None
        self.name: str | None = None
        self.begun = False

    def named(self, piece: str) -> str:
        """Take a piece of the name; what it adds, "" where it repeats the name so far."""
        added = added_to_name(self.name or "", piece)
        self.name = (self.name or "") + added
        return added


class Answer:
    """Takes deltas with `add`, each in O(1), and gives what they amount to so far.

    `transcript` holds the text of all choices. `text`, `reasoning`, `refusal`, `tool_calls` and `finish_reason` are
    those of the first choice by index; `by_choice` gives each choice apart, `calls` and `finishes` those of all. The
    parts of a choice (blocks, output items) are concatenated in their order with nothing between.

    The name of a tool call is joined from its pieces; a piece that repeats the name so far adds nothing. An id that is
    sent again is not appended either. `usage` is the last one reported, `error` the first, `model` the last non-empty
    name. Of the calls after the first `bounded.RECENT` only the text is kept, in the transcript; `further_calls` counts
    them.

    `Meta` deltas that it understands: "model", "done", "server_tool_call" (``{"type", "name", "arguments"?, "slot"?}``;
    those of the same slot are pieces of one call), "tool_plan" (a piece of text), "final_text", "incomplete_reason",
    "jsonrpc" (the kind of one message), "reasoning-before" (a choice whose text so far was reasoning), "blocked" (what
    the provider says of a prompt that it blocked), "index-counts" (whether the choices are pieces of one, because their
    index counts the chunks).
    """

    def __init__(self) -> None:
        self.transcript = Transcript()
        self._calls: dict[int, _Call] = {}
        self._further = Seen[int]()
        self.further_calls = 0
        # What decides about its end; text, reasoning and calls are looked up when it is asked for.
        self._ends = Substance()
        self.index_counts = False
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

    def add_all(self, deltas: Iterable[Delta]) -> None:
        """Take the deltas of an event, in order."""
        add = self._add
        for delta in deltas:
            add[type(delta)](delta)

    def _add_text(self, delta: Text) -> None:
        self.transcript.append("text", *delta)

    def _add_reasoning(self, delta: Reasoning) -> None:
        self.transcript.append("reasoning", *delta)

    def _add_refusal(self, delta: Refusal) -> None:
        self.transcript.append("refusal", *delta)

    def _add_call(self, delta: ToolCall) -> None:
        call = self._calls.get(delta.slot)
        if call is None:
            if len(self._calls) >= bounded.RECENT:
                self._add_further_call(delta)
                return
            call = self._calls[delta.slot] = _Call(delta.index)
        call.id = call.id or delta.id
        if delta.name:
            self._add_name(call, delta.name)
        if delta.arguments:
            if not call.begun:
                call.begun = True
                if call.name:
                    self.transcript.append("tool", " ", _NAMES, call.index)
            self.transcript.append("tool", delta.arguments, delta.slot, call.index)

    def _add_further_call(self, delta: ToolCall) -> None:
        self.further_calls += self._further.add(delta.slot)
        if delta.name:
            self.transcript.append("tool", f"\n{delta.name} ", _NAMES, delta.index)
        if delta.arguments:
            self.transcript.append("tool", delta.arguments, delta.slot, delta.index)

    def _add_name(self, call: _Call, piece: str) -> None:
        start = "\n" if call.name is None else ""
        added = call.named(piece)
        if added:
            shown = f"\n{call.name} " if call.begun else start + added
            self.transcript.append("tool", shown, _NAMES, call.index)

    def _add_usage(self, delta: Usage) -> None:
        if not delta.output and not delta.input and self._usage is not None and self._usage.output:
            return  # a gateway's empty counts behind the server's
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
        elif delta.name == "index-counts":
            self.index_counts = delta.value

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
        return self.transcript.text("text", self._only)

    @property
    def texts(self) -> str:
        """The visible answers of all choices, one after another."""
        return self.transcript.text("text")

    @property
    def text_length(self) -> int:
        """Characters of the visible answer in all choices, without joining them."""
        return self.transcript.length_of("text")

    @property
    def reasoning(self) -> str:
        """The reasoning as far as the server showed it."""
        return self.transcript.text("reasoning", self._only)

    @property
    def reasoning_length(self) -> int:
        """Characters of the reasoning in all choices, without joining them."""
        return self.transcript.length_of("reasoning")

    @property
    def refusal(self) -> str:
        """The refusal, "" without one."""
        return self.transcript.text("refusal", self._only)

    @property
    def tool_plan(self) -> str:
        """Cohere's plan before its tool calls, "" without one."""
        return self._tool_plan.text

    @property
    def tool_calls(self) -> list[dict[str, Any]]:
        """Calls for the client to answer, ``{"id", "name", "arguments"}``, by appearance."""
        return list(self.calls_by_slot(self._only).values())

    @property
    def calls(self) -> list[dict[str, Any]]:
        """The calls of all choices: by choice, then by appearance."""
        return list(self.calls_by_slot().values())

    def calls_by_slot(self, choice: int | None = None) -> dict[int, dict[str, Any]]:
        """The calls of a choice, or of all, in the same order, by the slot of their deltas."""
        ordered = sorted(self._calls.items(), key=lambda item: (item[1].index, item[0]))
        return {
            slot: {"id": call.id, "name": call.name, "arguments": self.transcript.arguments(slot, call.index)}
            for slot, call in ordered
            if choice in (None, call.index)
        }

    @property
    def server_tool_calls(self) -> list[dict[str, Any]]:
        """Calls that the service made and answered itself, ``{"type", "name", "arguments"?}``."""
        return [
            {**call, "arguments": arguments.text} if arguments.length else dict(call)
            for call, arguments in self._server_calls
        ]

    @property
    def finish_reason(self) -> str | None:
        """The raw reason of the first choice, None where it has none."""
        finishes = self._ends.finishes
        if self.index_counts:
            return finishes[max(finishes)] if finishes else None
        return finishes.get(self.first_choice)

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
        return min(1, len(self._indices)) if self.index_counts else len(self._indices)

    @property
    def first_choice(self) -> int:
        """The index of the first choice, 0 before any."""
        return min(self._indices, default=0)

    @property
    def by_choice(self) -> list[Choice]:
        """What each choice said, by index."""
        if self.index_counts:
            return [self._choice(self.first_choice, None)]
        return [self._choice(index, index) for index in sorted(self._indices)]

    @property
    def _indices(self) -> set[int]:
        indices = set[int]().union(*map(self.transcript.choices, _TEXTS))
        return indices.union(self._ends.finishes, (call.index for call in self._calls.values()))

    @property
    def _only(self) -> int | None:
        """The choice whose texts are those of the answer; None where all are."""
        indices = self._indices
        return None if len(indices) < 2 or self.index_counts else min(indices)

    def _choice(self, index: int, only: int | None) -> Choice:
        return Choice(
            None if index == BEYOND else index,
            self.transcript.text("text", only),
            self.transcript.text("reasoning", only),
            self.transcript.text("refusal", only),
            list(self.calls_by_slot(only).values()),
            self._ends.finishes.get(index) if only is not None else self.finish_reason,
        )
