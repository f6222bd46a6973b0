"""Tool calls of chat completions: they come in pieces, matched by index, or by id where that fails."""

from __future__ import annotations

from typing import Any

from sse_tui.dialects.base import Delta, Malformed, ToolCall
from sse_tui.dialects.call_slots import CallPiece, CallSlots
from sse_tui.dialects.payload import arguments_text, index_of, kind_of, members, string

_LEGACY = "function_call"  # stands in for the index: the older form has a single call and no index


class ToolCalls:
    """Reads the pieces of the tool calls of one response."""

    def __init__(self) -> None:
        self._slots = CallSlots()

    def read(self, calls: Any, choice: int, deltas: list[Delta]) -> None:
        """The pieces in a delta's ``tool_calls``."""
        if not isinstance(calls, list):
            deltas.append(Malformed(f"tool_calls: expected an array, got {kind_of(calls)}"))
            calls = [calls] if calls and isinstance(calls, dict) else []
        for piece in calls:
            if isinstance(piece, dict):
                self._piece(piece, choice, deltas)
            elif piece is not None:
                deltas.append(Malformed(f"tool_calls: expected objects, got {kind_of(piece)}"))

    def read_function(self, function: Any, choice: int, deltas: list[Delta]) -> None:
        """The piece in the older ``function_call``: a call without an id."""
        if not isinstance(function, dict):
            deltas.append(Malformed(f"function_call: expected an object, got {kind_of(function)}"))
            return
        arguments = arguments_text(function.get("arguments"))
        self._add(CallPiece(choice, _LEGACY, None, string(function.get("name")), arguments), deltas)

    def _piece(self, piece: dict[str, Any], choice: int, deltas: list[Delta]) -> None:
        ident = piece.get("id")
        if isinstance(ident, int):
            ident = str(ident)
        function, text = piece.get("function"), "arguments"
        if function is None and isinstance(piece.get("custom"), dict):
            function, text = piece["custom"], "input"  # OpenAI's tools with free-form input
        elif function is None:
            function = piece  # without the object around name and arguments
            if string(piece.get("name")) or piece.get("arguments"):
                deltas.append(
                    Malformed("tool_calls: name and arguments are due in function, where SDKs look for them")
                )
        function = members(function)
        name, arguments = string(function.get("name")), arguments_text(function.get(text))
        self._add(CallPiece(choice, index_of(piece.get("index")), string(ident), name, arguments), deltas)

    def _add(self, piece: CallPiece, deltas: list[Delta]) -> None:
        slot, new = self._slots.of(piece)
        if new or piece.ident or piece.name or piece.arguments:
            deltas.append(ToolCall(slot, piece.ident, piece.name, piece.arguments, piece.choice))
