"""Messages of LangChain as its servers serialize them: whole, or as chunks to be appended.

``{"type": "AIMessageChunk", "id", "content", "tool_call_chunks", "usage_metadata", "response_metadata"}``, or
the same under ``kwargs`` of ``{"lc": 1, "type": "constructor"}``. Content is text or a list of parts.
"""

from __future__ import annotations

from typing import Any
from zlib import crc32

from sse_tui.bounded import Recent, Seen, Slots
from sse_tui.dialects.base import Delta, Finish, Meta, Reasoning, Text, ToolCall
from sse_tui.dialects.call_slots import CallPiece, CallSlots
from sse_tui.dialects.content_parts import pieces_of
from sse_tui.dialects.payload import compact, index_of, items, members, string
from sse_tui.dialects.usage import usage_in

# What chains call their output; and what tells a message from such an output.
_OUTPUTS = ("answer", "output", "text", "result")
_MESSAGE = frozenset({"content", "type", "lc", "kwargs"})

_ASSISTANT = ("ai", "AIMessage", "AIMessageChunk")


class LangChainMessages:
    """Gives the text of each message once, whether it comes in chunks, whole, or repeated with every state."""

    def __init__(self) -> None:
        # Of each message's text and reasoning so far the length and the checksum: the text itself would grow the
        # state that is kept for reading rows again.
        self._given = Recent[tuple[str | None, bool], tuple[int, int]]()
        self._parts = Slots[str | None]()
        self._slots = CallSlots()
        self._whole_calls = Seen[str | None]()
        self._model: str | None = None

    def output(self, payload: Any, deltas: list[Delta]) -> None:
        """A chain's output: text as it is, or a message chunk, or one of these under the name of an output."""
        if isinstance(payload, dict) and not _MESSAGE & payload.keys():
            payload = next((payload[name] for name in _OUTPUTS if name in payload), payload)
        if isinstance(payload, str):
            if payload:
                deltas.append(Text(payload))
        else:
            self.chunk(payload, deltas)

    def chunk(self, message: Any, deltas: list[Delta]) -> None:
        """A message chunk; one that is whole counts like its only chunk."""
        message = _fields(message)
        if message.get("type") not in (*_ASSISTANT, None):
            return
        ident = string(message.get("id"))
        if message.get("type") in _ASSISTANT[:2] and (ident, False) in self._given:
            self.whole([message], deltas)
            return
        part = self._parts.of(ident)
        for text, thought in _texts(message.get("content")):
            deltas.append(Reasoning(text, 0, part) if thought else Text(text, 0, part))
            if ident is not None:
                length, checksum = self._given.get((ident, thought)) or (0, 0)
                self._given.put((ident, thought), (length + len(text), _checksum(text, checksum)))
        for call in map(members, items(message.get("tool_call_chunks"))):
            given, name = string(call.get("id")), string(call.get("name"))
            args = string(call.get("args")) or ""
            piece = CallPiece(part, index_of(call.get("index")), given, name, args)
            deltas.append(ToolCall(self._slots.of(piece)[0], given, name, args))
        self._facts(message, deltas)

    def whole(self, messages: Any, deltas: list[Delta]) -> None:
        """Whole messages: the text beyond what was given before is new."""
        for message in map(_fields, items(messages)):
            if message.get("type") not in _ASSISTANT:
                continue
            ident = string(message.get("id"))
            part = self._parts.of(ident)
            for thought in (True, False):
                text = "".join(text for text, reasons in _texts(message.get("content")) if reasons is thought)
                if (ident, thought) not in self._given:
                    self._given.put((ident, thought), (0, 0))
                length, checksum = self._given.get((ident, thought)) or (0, 0)
                if len(text) > length and _checksum(text[:length]) == checksum:
                    new = text[length:]
                    self._given.put((ident, thought), (len(text), _checksum(new, checksum)))
                    deltas.append(Reasoning(new, 0, part) if thought else Text(new, 0, part))
            if message.get("response_metadata") and self._whole_calls.add(ident):
                self._whole_message(ident, message, deltas)

    def _whole_message(self, ident: str | None, message: dict[str, Any], deltas: list[Delta]) -> None:
        for position, call in enumerate(map(members, items(message.get("tool_calls")))):
            given, name = string(call.get("id")), string(call.get("name"))
            arguments = "" if call.get("args") is None else compact(call["args"])
            slot, new = self._slots.of(CallPiece(self._parts.of(ident), position, given, name, arguments))
            if new:
                deltas.append(ToolCall(slot, given, name, arguments))
        self._facts(message, deltas)

    def _facts(self, message: dict[str, Any], deltas: list[Delta]) -> None:
        usage = members(message.get("usage_metadata"))
        deltas += usage_in(usage)
        facts = members(message.get("response_metadata"))
        model = string(facts.get("model_name")) or string(facts.get("model"))
        if model and model != self._model:
            self._model = model
            deltas.append(Meta("model", model))
        reason = string(facts.get("finish_reason")) or string(facts.get("stop_reason"))
        if reason:
            deltas.append(Finish(reason))


def _checksum(text: str, of_text_before: int = 0) -> int:
    return crc32(text.encode("utf-8", "replace"), of_text_before)


def _fields(message: Any) -> dict[str, Any]:
    """The fields of a message, out of LangChain's constructor form too."""
    fields = members(message)
    if fields.get("type") != "constructor":
        return fields
    names = fields.get("id")
    kind = names[-1] if isinstance(names, list) and names else None
    return {"type": kind, **members(fields.get("kwargs"))}


def _texts(content: Any) -> list[tuple[str, bool]]:
    """The texts of a message's content, and whether each is reasoning."""
    if isinstance(content, str):
        return [(content, False)] if content else []
    parts = pieces_of(content) if isinstance(content, list) else ()
    return [(text, kind is Reasoning) for kind, text in parts]
