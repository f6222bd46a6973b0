"""Calls among the output items of a response: those for the client to answer, and those of the service.

Functions and custom tools stream their arguments; the items of computer, shell and patch calls hold an action
for the client to carry out and come whole. Every other ``*_call`` (web search, file search, code interpreter,
image generation, MCP, tool search) is the service's own.
"""

from __future__ import annotations

from typing import Any
from zlib import crc32

from sse_tui.bounded import Recent, Seen
from sse_tui.dialects.base import Delta, Meta, ToolCall
from sse_tui.dialects.payload import compact, members, string

_OPEN = 64  # calls that are waiting for their arguments at once

_STREAMED = ("function_call", "custom_tool_call")

# The member that holds what the client is to do.
_ACTIONS = {
    "computer_call": "action",
    "local_shell_call": "action",
    "shell_call": "action",
    "apply_patch_call": "operation",
}


class ResponseCalls:
    """Gives each call once, however much of it a server repeats."""

    def __init__(self) -> None:
        self._named = Seen[int]()
        self._filled = Seen[int]()
        self._served = Seen[int]()
        self._pieces = Recent[int, int]()  # the checksum of a call's pieces
        self._open: list[int] = []  # calls whose arguments are not whole, in the order of their start

    def open_slot(self, *, whole: bool) -> int | None:
        """The call that arguments without an index and an id are for; None where none is waiting for any.

        Pieces are the last call's; whole arguments come for one call after another, as llama.cpp sends them.
        """
        return self._open[0 if whole else -1] if self._open else None

    def added(self, slot: int, item: dict[str, Any], deltas: list[Delta]) -> None:
        """An output item began. Arguments that it may already hold are repeated by its deltas or its end."""
        kind = string(item.get("type")) or ""
        if kind in _STREAMED:
            self._name(slot, item, deltas)
        elif kind.endswith("_call") and not _for_client(kind, item):
            self._serve(slot, kind, item, deltas)

    def finished(self, slot: int, item: dict[str, Any], deltas: list[Delta]) -> None:
        """An output item is whole: what no earlier event brought is taken from it."""
        kind = string(item.get("type")) or ""
        if kind in _STREAMED:
            self._name(slot, item, deltas)
            self.whole(slot, None, item.get("arguments") or item.get("input"), deltas)
        elif _for_client(kind, item):
            self._action(slot, kind, item, deltas)
        elif kind.endswith("_call"):
            self._serve(slot, kind, item, deltas)
            self.server_piece(slot, item.get("arguments"), deltas, whole=True)

    def _action(self, slot: int, kind: str, item: dict[str, Any], deltas: list[Delta]) -> None:
        if self._filled.add(slot):
            action = item.get(_ACTIONS[kind])
            if action is None:
                action = item.get("actions")
            name = kind.removesuffix("_call")
            ident = string(item.get("call_id")) or string(item.get("id"))
            deltas.append(ToolCall(slot, ident, name, "" if action is None else compact(action)))

    def piece(self, slot: int, piece: Any, deltas: list[Delta]) -> None:
        """A fragment of a call's arguments or input."""
        if isinstance(piece, str) and piece:
            self._filled.add(slot)
            if slot in self._named:  # else they may have begun before the stream that we see
                self._pieces.put(slot, _checksum(piece, self._pieces.get(slot) or 0))
            deltas.append(ToolCall(slot, None, None, piece))

    def whole(self, slot: int, name: Any, arguments: Any, deltas: list[Delta]) -> None:
        """All of a call's arguments; they count only when no fragment came before."""
        if slot in self._open:
            self._open.remove(slot)
        if not arguments:
            return
        text = arguments if isinstance(arguments, str) else compact(arguments)
        given = self._pieces.pop(slot)
        if given is not None and given != _checksum(text):
            deltas.append(Meta("final-arguments", {"slot": slot, "arguments": text}))
        if self._filled.add(slot):
            known = slot in self._named  # a name that came before is not repeated, however it is spelled now
            deltas.append(ToolCall(slot, None, None if known else string(name), text))

    def server_piece(self, slot: int, piece: Any, deltas: list[Delta], *, whole: bool = False) -> None:
        """A fragment, or with `whole` all, of the arguments of a call of the service (MCP)."""
        if not isinstance(piece, str) or not piece or (whole and slot in self._filled):
            return
        self._filled.add(slot)
        call = {"slot": slot, "type": "mcp_call", "name": None, "arguments": piece}
        deltas.append(Meta("server_tool_call", call))

    def _name(self, slot: int, item: dict[str, Any], deltas: list[Delta]) -> None:
        ident = string(item.get("call_id")) or string(item.get("id"))
        name = string(item.get("name"))
        if slot not in self._named and (ident or name):
            if name:
                self._named.add(slot)
            if slot not in self._open and len(self._open) < _OPEN:
                self._open.append(slot)
            deltas.append(ToolCall(slot, ident, name, ""))

    def _serve(self, slot: int, kind: str, item: dict[str, Any], deltas: list[Delta]) -> None:
        if not self._served.add(slot):
            return
        call: dict[str, Any] = {"slot": slot, "type": kind, "name": string(item.get("name"))}
        if isinstance(item.get("arguments"), str):
            call["arguments"] = ""
        deltas.append(Meta("server_tool_call", call))


def _checksum(text: str, before: int = 0) -> int:
    """That of a text in UTF-16, in which the halves of a character that two pieces share are what they are together."""
    return crc32(text.encode("utf-16-le", "surrogatepass"), before)


def _for_client(kind: str, item: dict[str, Any]) -> bool:
    """Whether the client is to act. Shell calls in a container of the service run there."""
    if kind == "shell_call":
        return not str(members(item.get("environment")).get("type", "local")).startswith("container")
    return kind in _ACTIONS
