"""Tool calls of chat completions: they come in pieces, matched by index, or by id where that fails."""

from __future__ import annotations

from typing import Any

from sse_tui.bounded import Recent
from sse_tui.dialects.base import Delta, Malformed, ToolCall
from sse_tui.dialects.payload import arguments_text, kind_of, members, string

_LEGACY = "function_call"  # stands in for the index: the older form has a single call and no index


class ToolCalls:
    """Gives every tool call of one response its slot.

    A piece continues the call with the same choice and index, unless it brings a different id: then it starts
    a new call (Ollama and others send index 0 for all of them). A missing or null index counts as
    one index.
    """

    def __init__(self) -> None:
        self._running = Recent[tuple[int, Any], tuple[int, str | None]]()
        self._slots = 0

    def read(self, calls: Any, choice: int, deltas: list[Delta]) -> None:
        """The pieces in a delta's ``tool_calls``."""
        if not isinstance(calls, list):
            deltas.append(Malformed(f"tool_calls: expected an array, got {kind_of(calls)}"))
            return
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
        self._add((choice, _LEGACY), None, function.get("name"), function.get("arguments"), deltas)

    def _piece(self, piece: dict[str, Any], choice: int, deltas: list[Delta]) -> None:
        index = piece.get("index")
        if not isinstance(index, int):
            index = None
        ident = piece.get("id")
        if isinstance(ident, int):
            ident = str(ident)
        function, text = piece.get("function"), "arguments"
        if function is None and isinstance(piece.get("custom"), dict):
            function, text = piece["custom"], "input"  # OpenAI's tools with free-form input
        function = members(function)
        self._add((choice, index), string(ident), function.get("name"), function.get(text), deltas)

    def _add(
        self, key: tuple[int, Any], ident: str | None, name: Any, arguments: Any, deltas: list[Delta]
    ) -> None:
        arguments = arguments_text(arguments)
        name = string(name)
        running = self._running.get(key)
        new = running is None or (ident is not None and running[1] is not None and ident != running[1])
        if new or running is None:
            slot = self._slots
            self._slots += 1
            self._running.put(key, (slot, ident))
        else:
            slot = running[0]
            if ident is not None and running[1] is None:
                self._running.put(key, (slot, ident))
            if not (ident or name or arguments):
                return
        deltas.append(ToolCall(slot, ident, name, arguments, key[0]))
