"""Google's Interactions API: models and agents, with ``"stream": true``.

Payloads name their kind in ``event_type``, events are named the same: ``interaction.created``; for each step,
identified by ``index``, ``step.start``, ``step.delta``, ``step.stop``; ``interaction.completed`` with status and usage,
but without the steps; then ``event: done`` with ``[DONE]``. ``interaction.status_update`` may come between steps,
``error`` at any time.
Steps are ``model_output``, ``thought``, ``function_call`` (for the client: the interaction ends with the status
``requires_action``) and calls and results of the service's own tools. Before steps, the same came as
``interaction.start``, ``content.start``, ``content.delta``, ``content.stop`` and ``interaction.complete``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from sse_tui.bounded import Recent, Seen
from sse_tui.dialects.base import Auth, Delta, Finish, Meta, Reasoning, StreamFault, Text, ToolCall
from sse_tui.dialects.content_parts import pieces_of
from sse_tui.dialects.inband import fault_in
from sse_tui.dialects.json_events import Reader, TypedDialect, part_index
from sse_tui.dialects.payload import arguments_text, compact, count, items, members, string
from sse_tui.dialects.usage import usage_of

PREFIXES = ("interaction.", "step.", "content.")
"""What the kinds of its events begin with."""

_FAILED = ("failed", "cancelled")
_OPEN_STEPS = 16  # steps come one after another


class GeminiInteractions(TypedDialect):
    """Reads one interaction. Steps are parts of one answer, in the order of their index."""

    name = "gemini-interactions"
    auth: ClassVar[Auth] = Auth("x-goog-api-key")
    kind_in = "event_type"
    sentinel = "follows"
    _spoke: bool = False

    def __init__(self) -> None:
        self._steps = Recent[int, dict[str, Any]](_OPEN_STEPS)
        self._calls = Seen[int]()

    def _created(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        interaction = members(payload.get("interaction"))
        self._names(interaction.get("model"), interaction.get("id"), deltas)

    def _start(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        index = part_index(payload.get("index"))
        step = members(payload.get("step") or payload.get("content"))
        self._steps.put(index, {"kind": step.get("type"), "given": step.get("arguments"), "pieces": False})
        self._whole(step, index, deltas)

    def _whole(self, step: dict[str, Any], index: int, deltas: list[Delta]) -> None:
        """What a step holds where it starts, or in an answer that was not streamed."""
        kind = step.get("type")
        if kind == "function_call":
            self._calls.add(index)
            deltas.append(ToolCall(index, string(step.get("id")), string(step.get("name")), ""))
        elif kind == "thought":
            summary = step.get("summary")
            self._texts(summary if isinstance(summary, list) else [summary], index, deltas, thought=True)
        elif isinstance(kind, str) and kind.endswith("_call"):
            call = {"slot": index, "type": kind, "name": string(step.get("name"))}
            deltas.append(Meta("server_tool_call", call))
        elif isinstance(kind, str) and kind.endswith("_result"):
            deltas.append(Meta("server_tool_result", step))
        else:
            self._texts([*items(step.get("content")), step.get("text")], index, deltas)

    def _texts(self, parts: list[Any], index: int, deltas: list[Delta], *, thought: bool = False) -> None:
        for kind, text in pieces_of(parts):
            kind = Reasoning if thought else kind
            self._spoke = self._spoke or kind is Text
            deltas.append(kind(text, 0, index))

    def _delta(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        index, delta = part_index(payload.get("index")), members(payload.get("delta"))
        step = self._steps.get(index) or {}
        kind = delta.get("type")
        if kind in ("arguments_delta", "arguments"):
            piece = arguments_text(delta.get("arguments") or delta.get("partial_arguments"))
            if piece:
                step["pieces"] = True
                deltas.append(ToolCall(index, None, None, piece))
        elif kind == "function_call":  # whole, as before there were steps
            call = {**delta, **members(delta.get("function_call"))}
            arguments = call.get("arguments", call.get("args"))
            self._calls.add(index)
            step["pieces"] = True
            deltas.append(
                ToolCall(index, string(call.get("id")), string(call.get("name")), arguments_text(arguments))
            )
        elif kind in ("thought_summary", "thought"):
            self._texts([delta.get("content") or delta.get("text")], index, deltas, thought=True)
        elif kind == "thought_signature":
            deltas.append(Meta("signature", delta.get("signature")))
        elif kind == "audio":
            deltas.append(Meta("audio", len(string(delta.get("data")) or "") * 3 // 4))
        elif kind in ("image", "video", "document"):
            deltas.append(Meta("file", string(delta.get("mime_type"))))
        elif isinstance(kind, str) and kind.endswith(("_call", "_result")):
            deltas.append(Meta("tool_status", kind))
        else:
            self._texts([delta], index, deltas)

    def _stop(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        """The end of a step, with the arguments of a call that came whole with its start."""
        index = part_index(payload.get("index"))
        step = self._steps.pop(index)
        if step and step["kind"] == "function_call" and not step["pieces"]:
            given = step["given"]
            deltas.append(ToolCall(index, None, None, "{}" if given is None else arguments_text(given)))
        self._usage(payload, deltas)

    def _completed(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        self._created(payload, deltas)
        interaction = members(payload.get("interaction"))
        for index, step in enumerate(
            map(members, items(interaction.get("steps") or interaction.get("outputs")))
        ):
            if step.get("type") == "function_call":
                if self._calls.add(index):
                    self._whole(step, index, deltas)
                    deltas.append(ToolCall(index, None, None, compact(step.get("arguments") or {})))
            elif not self._spoke or step.get("type") not in ("model_output", "text", "thought"):
                self._whole(step, index, deltas)
        self._usage(interaction, deltas)
        status = string(interaction.get("status")) or "completed"
        deltas.append(Finish(status))
        fault = fault_in(interaction)
        if fault is None and status == "failed":
            fault = StreamFault(None, status, None)
        if fault is not None:
            self._failed = True
            deltas.append(fault)
        self._ended = True

    def _status(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        status = string(payload.get("status")) or ""
        deltas.append(Meta("tool_status", f"interaction {status}"))
        if status in _FAILED:
            deltas.append(Finish(status))

    def _usage(self, fields: dict[str, Any], deltas: list[Delta]) -> None:
        """The counts; thoughts are not among the output tokens there, and are added to them."""
        usage = members(fields.get("usage"))
        given, output = count(usage.get("total_input_tokens")), count(usage.get("total_output_tokens"))
        thoughts = count(usage.get("total_thought_tokens"))
        if output is not None and thoughts and count(usage.get("total_tokens")) != (given or 0) + output:
            output += thoughts
        deltas += usage_of(given, output, thoughts, usage.get("total_cached_tokens"))

    readers: ClassVar[Mapping[str, Reader]] = {
        "interaction.created": _created,
        "interaction.start": _created,
        "interaction.status_update": _status,
        "interaction.completed": _completed,
        "interaction.complete": _completed,
        "step.start": _start,
        "step.delta": _delta,
        "step.stop": _stop,
        "content.start": _start,
        "content.delta": _delta,
        "content.stop": _stop,
    }
