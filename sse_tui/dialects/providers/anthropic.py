"""Anthropic's Messages API, and servers that copy it (llama.cpp, LiteLLM, LM Studio, DeepSeek, Z.AI, vLLM).

Every event's ``event`` equals the ``type`` in its data: ``message_start``; for each content block
``content_block_start``, deltas, ``content_block_stop``; ``message_delta`` with the stop reason and cumulative
usage; ``message_stop``. ``ping`` may come anywhere, ``error`` at any time after status 200. Event and block
types unknown here are passed over, as the API's own documentation asks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from sse_tui.bounded import Recent
from sse_tui.dialects.base import (
    Auth,
    Delta,
    Finish,
    Malformed,
    Message,
    Meta,
    Prepared,
    Reasoning,
    Text,
    ToolCall,
)
from sse_tui.dialects.event_order import BlockEvents, order_of
from sse_tui.dialects.json_events import PARTS, Reader, TypedDialect, part_index
from sse_tui.dialects.payload import compact, items, kind_of, members, string
from sse_tui.dialects.request import endpoint, mapped, post, split_system, turns
from sse_tui.dialects.usage import COUNTS, usage_in

VERSION = "2023-06-01"

MAX_TOKENS = 4096
"""Sent where the user sets none: the API requires a limit, and every model takes this one."""

_NAMES = {
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "max_tokens": "max_tokens",
    "stop": "stop_sequences",
}

_CALLS = ("tool_use", "server_tool_use", "mcp_tool_use")

# By the kind of a delta: the blocks that it fills.
_FILLS = {
    "text_delta": ("text",),
    "thinking_delta": ("thinking",),
    "input_json_delta": _CALLS,
}

_OPEN_BLOCKS = 16  # blocks come one after another: more have not begun and not stopped at once


class _Block:
    """What a running content block is, as far as its deltas need to know."""

    __slots__ = ("given", "kind", "pieces", "slot")

    def __init__(self, kind: str, given: Any, slot: int) -> None:
        self.kind = kind
        self.slot = slot
        self.given = given
        self.pieces = False


class AnthropicMessages(TypedDialect):
    """Reads one streamed message. Blocks are parts of one answer, in the order of their index."""

    name = "anthropic-messages"
    messages_in = "messages"
    reason_due = True
    auth: ClassVar[Auth] = Auth("x-api-key")

    _whole_blocks: int = 0

    def __init__(self) -> None:
        self._blocks = Recent[int, _Block](_OPEN_BLOCKS)
        self._stopped = Recent[int, int](
            _OPEN_BLOCKS
        )  # the slots of calls that stopped, for pieces that come late
        self._called = Recent[int, str | None]()
        self._renumbered = 0
        self._latest = 0  # the index of the last call, for pieces without one
        self._usage: dict[str, Any] = {}

    def _message_start(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        self._message(members(payload.get("message")), "message_start", deltas)

    def _message(self, message: dict[str, Any], kind: str, deltas: list[Delta]) -> None:
        """What an event of this kind says of the message: its content too, where the server did not stream it."""
        self._names(message.get("model"), message.get("id"), deltas)
        if string(message.get("role")):
            deltas.append(Meta("role", message["role"]))
        blocks, before = items(message.get("content")), len(deltas)
        for index, block in enumerate(blocks):  # a server that did not stream
            self._block_start({"index": index, "content_block": block}, deltas)
            self._block_stop({"index": index}, deltas)
        if len(deltas) > before:
            deltas.append(Meta("whole-object", kind))
            # Events of these blocks that follow would repeat them, unless the message goes on.
            self._whole_blocks = len(blocks) if message.get("stop_reason") else 0
        self._stop_reason(message.get("stop_reason"), deltas)
        self._count(message.get("usage"), deltas)

    def _whole_message(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        """The message as the API answers it without streaming."""
        if not self._is_whole(payload):
            return
        self._message(payload, "message", deltas)
        self._ended = self._finished

    def _is_whole(self, payload: dict[str, Any]) -> bool:
        return payload.get("role") == "assistant" and isinstance(payload.get("content"), list)

    def _count(self, usage: Any, deltas: list[Delta]) -> None:
        """Merge counts key by key, the later ones winning: ``message_delta`` repeats only some of them."""
        if not isinstance(usage, dict):
            if usage is not None:
                deltas.append(Malformed(f"usage: expected an object, got {kind_of(usage)}"))
            return
        self._usage.update((name, usage[name]) for name in COUNTS if usage.get(name) is not None)
        deltas += usage_in(self._usage)
        for entry in items(usage.get("iterations")):
            if isinstance(entry, dict) and entry.get("type") == "fallback_message":
                self._names(entry.get("model"), None, deltas)

    def _block_start(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        index, block = part_index(payload.get("index")), members(payload.get("content_block"))
        kind = string(block.get("type")) or ""
        if index < self._whole_blocks:
            return
        called, slot = kind in _CALLS, index
        if called:
            slot, self._latest = self._slot(index, string(block.get("id"))), index
        self._blocks.put(index, _Block(kind, block.get("input") if called else None, slot))
        if kind == "text":
            _text(Text, block.get("text"), index, deltas)
        elif kind == "thinking":
            _text(Reasoning, block.get("thinking"), index, deltas)
        elif kind == "tool_use":
            deltas.append(ToolCall(slot, string(block.get("id")), string(block.get("name")), ""))
        elif kind in _CALLS:
            call = {"slot": slot, "type": kind, "name": string(block.get("name")), "arguments": ""}
            deltas.append(Meta("server_tool_call", call))
        elif kind.endswith("_tool_result"):
            deltas.append(Meta("server_tool_result", block))
        elif kind == "fallback":
            deltas.append(Meta("fallback", block))
            self._names(members(block.get("to")).get("model"), None, deltas)
        elif kind in ("redacted_thinking", "compaction"):
            deltas.append(Meta(kind, block.get("content") or ""))

    def _block_delta(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        delta = payload.get("delta")
        if type(delta) is not dict:
            deltas.append(Malformed(f"delta: expected an object, got {kind_of(delta)}"))
            return
        given, kind = payload.get("index"), delta.get("type")
        index = part_index(given)
        if index < self._whole_blocks:
            return
        block = self._blocks.get(index)
        if block is not None and kind in _FILLS and block.kind not in _FILLS[kind]:
            deltas.append(Malformed(f"{kind} came in a block of the type {block.kind!r}, which SDKs refuse"))
        elif type(given) is not int:
            deltas.append(Malformed("the delta has no index, which SDKs need to find its block"))
        if kind == "text_delta":
            _text(Text, delta.get("text"), index, deltas)
        elif kind == "thinking_delta":
            _text(Reasoning, delta.get("thinking"), index, deltas)
        elif kind == "input_json_delta":
            if type(payload.get("index")) is not int:
                index = self._latest
            self._arguments(index, string(delta.get("partial_json")), deltas)
        elif kind in ("citations_delta", "signature_delta"):
            name = "citation" if kind == "citations_delta" else "signature"
            deltas.append(Meta(name, delta.get(name)))
        elif kind == "compaction_delta":
            deltas.append(Meta("compaction", delta.get("content") or ""))
        elif kind is None:
            self._untyped(delta, index, deltas)

    def _untyped(self, delta: dict[str, Any], index: int, deltas: list[Delta]) -> None:
        """A delta without its type, which its members tell."""
        before = len(deltas)
        _text(Text, delta.get("text"), index, deltas)
        _text(Reasoning, delta.get("thinking"), index, deltas)
        self._arguments(index, string(delta.get("partial_json")), deltas)
        if len(deltas) > before:
            deltas.append(
                Malformed("the delta has no type, by which SDKs tell text, thinking and input apart")
            )

    def _arguments(self, index: int, piece: str | None, deltas: list[Delta]) -> None:
        if not piece:
            return
        block = self._blocks.get(index)
        if block is not None:
            block.pieces = True
            if block.kind in _CALLS[1:]:
                call = {"slot": block.slot, "type": block.kind, "name": None, "arguments": piece}
                deltas.append(Meta("server_tool_call", call))
                return
        slot = block.slot if block is not None else self._stopped.get(index)
        deltas.append(ToolCall(index if slot is None else slot, None, None, piece))

    def _block_stop(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        """The input of a call that came whole with its start, as some servers send it."""
        index = part_index(payload.get("index"))
        block = self._blocks.get(index)
        if block is not None and block.kind in _CALLS and block.given and not block.pieces:
            self._arguments(index, compact(block.given), deltas)
        self._blocks.pop(index)
        if block is not None and block.kind in _CALLS:
            self._stopped.put(index, block.slot)

    def _slot(self, index: int, ident: str | None) -> int:
        """The slot of a call that begins: its index, or one of its own where another call had that index before."""
        if index not in self._called or self._called.get(index) == ident:
            self._called.put(index, ident)
            return index
        self._renumbered += 1
        return PARTS + self._renumbered

    def _message_delta(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        delta = members(payload.get("delta"))
        self._stop_reason(delta.get("stop_reason"), deltas)
        if delta.get("stop_details"):
            deltas.append(Meta("safety", delta["stop_details"]))
        self._count(payload.get("usage"), deltas)

    def _stop_reason(self, reason: Any, deltas: list[Delta]) -> None:
        if isinstance(reason, str) and reason:
            self._finished = True
            deltas.append(Finish(reason))
        elif reason is not None and reason != "":
            deltas.append(Malformed(f"stop_reason: expected a string, got {kind_of(reason)}"))

    def _message_stop(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        self._ended = True

    order = order_of(
        "message_start",
        BlockEvents(
            "content_block_start", ("content_block_delta",), "content_block_stop", "index", counted=True
        ),
    )
    readers: ClassVar[Mapping[str, Reader]] = {
        "message": _whole_message,
        "message_start": _message_start,
        "content_block_start": _block_start,
        "content_block_delta": _block_delta,
        "content_block_stop": _block_stop,
        "message_delta": _message_delta,
        "message_stop": _message_stop,
    }

    @classmethod
    def prepare(
        cls, base_url: str, model: str, messages: Sequence[Message], params: Mapping[str, Any]
    ) -> Prepared:
        """POST to ``/v1/messages``; the system prompt goes beside the messages."""
        system, rest = split_system(messages)
        body: dict[str, Any] = {
            "model": model,
            "max_tokens": MAX_TOKENS,
            "messages": turns(rest),
            "stream": True,
        }
        if system is not None:
            body["system"] = system
        body.update(mapped(params, _NAMES, cls.name))
        headers = [("anthropic-version", VERSION)]
        return post(endpoint(base_url, "v1/messages"), body, params, headers=headers)


def _text(kind: type[Text] | type[Reasoning], text: Any, index: int, deltas: list[Delta]) -> None:
    if text:
        if isinstance(text, str):
            deltas.append(kind(text, 0, index))
        else:
            deltas.append(Malformed(f"{kind.__name__.lower()}: expected a string, got {kind_of(text)}"))
