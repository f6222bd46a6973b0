"""LM Studio's native ``/api/v1/chat``: named events from ``chat.start`` to ``chat.end``.

``chat.end`` repeats the whole result and has the server's own statistics. An ``error`` does not end the stream:
``chat.end`` follows with whatever was generated.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar

from sse_tui.dialects.base import Delta, Meta, Progress, Reasoning, Text
from sse_tui.dialects.json_events import Reader, TypedDialect
from sse_tui.dialects.payload import arguments_text, items, members, string
from sse_tui.dialects.usage import usage_of

_PERCENT = 100


class LMStudio(TypedDialect):
    """Reads one chat. All tools are the server's own (MCP and plugins): clients cannot bring any."""

    name = "lmstudio"
    _block: int = 0
    _call: int = -1
    _filled: bool = False

    def __init__(self) -> None:
        self._brought: set[type] = set()

    def _start(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        self._names(payload.get("model_instance_id"), None, deltas)

    def _progress(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        """A share from 0 to 1, given as a percentage: the event has no number of tokens."""
        share = payload.get("progress")
        if isinstance(share, int | float) and 0 <= share <= 1:
            deltas.append(Progress(round(share * _PERCENT), _PERCENT))

    def _begin(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        self._block += 1

    def _piece(
        self, payload: dict[str, Any], deltas: list[Delta], kind: type[Text] | type[Reasoning] = Text
    ) -> None:
        text = string(payload.get("content"))
        if text:
            self._brought.add(kind)
            deltas.append(kind(text, 0, self._block))

    def _tool(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        self._call += 1
        self._filled = False
        self._serve(payload, "", deltas)

    def _arguments(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        """The arguments, whole; the event with the result repeats them."""
        given = payload.get("arguments")
        if self._filled or given is None:
            return
        self._filled = True
        self._call = max(self._call, 0)
        self._serve(payload, arguments_text(given), deltas)

    def _serve(self, payload: dict[str, Any], arguments: str, deltas: list[Delta]) -> None:
        kind = string(members(payload.get("provider_info")).get("type")) or "tool"
        call = {"slot": self._call, "type": kind, "name": string(payload.get("tool")), "arguments": arguments}
        deltas.append(Meta("server_tool_call", call))

    def _result(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        self._arguments(payload, deltas)
        deltas.append(Meta("server_tool_result", payload))

    def _closing(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        result = members(payload.get("result"))
        self._names(
            result.get("model_instance_id"), result.get("response_id") or result.get("thread_id"), deltas
        )
        for item in items(result.get("output")):
            self._whole(members(item), deltas)
        stats = members(result.get("stats"))
        tokens = stats.get("input_tokens"), stats.get("total_output_tokens")
        deltas += usage_of(*tokens, stats.get("reasoning_output_tokens"))
        if stats:
            deltas.append(Meta("timings", stats))
        self._ended = True

    def _whole(self, item: dict[str, Any], deltas: list[Delta]) -> None:
        """What the closing result holds and no delta brought."""
        self._block += 1
        for name, kind in (("message", Text), ("reasoning", Reasoning)):
            text = string(item.get("content"))
            if item.get("type") == name and text and kind not in self._brought:
                deltas.append(kind(text, 0, self._block))

    def _other(self, kind: str, payload: dict[str, Any], deltas: list[Delta]) -> None:
        if kind.startswith(("model_load.", "prompt_processing.", "tool_call.")):
            deltas.append(Meta("tool_status", kind))

    readers: ClassVar[Mapping[str, Reader]] = {
        "chat.start": _start,
        "prompt_processing.progress": _progress,
        "reasoning.start": _begin,
        "reasoning.delta": partial(_piece, kind=Reasoning),
        "message.start": _begin,
        "message.delta": _piece,
        "tool_call.start": _tool,
        "tool_call.arguments": _arguments,
        "tool_call.success": _result,
        "tool_call.result": _result,
        "tool_call.failure": _result,
        "chat.end": _closing,
    }
