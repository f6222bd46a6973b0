"""OpenAI's Responses API, and servers that copy it (Azure, Bedrock, DeepSeek, OpenRouter, xAI, llama.cpp, vLLM).

Every event's ``event`` equals the ``type`` in its data, with a ``sequence_number`` that grows by one. A response
is a list of output items (messages, reasoning, calls), identified by ``output_index``; llama.cpp sends none, so there
they are identified by id and ordered by first appearance. The stream ends with
``response.completed``, ``.incomplete`` or ``.failed``; OpenRouter adds ``[DONE]``.

Text that only a finished part, item or response holds, and no delta brought, is taken from there: some servers send no
deltas, and a stream that is resumed begins in the middle.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from sse_tui.dialects.base import (
    Delta,
    Finish,
    Message,
    Meta,
    Prepared,
    Reasoning,
    Refusal,
    Resume,
    StreamFault,
    Text,
    Usage,
)
from sse_tui.dialects.inband import fault_in
from sse_tui.dialects.json_events import Reader, TypedDialect, part_index
from sse_tui.dialects.payload import count, members, string
from sse_tui.dialects.providers.openai_responses import openai_responses_request
from sse_tui.dialects.providers.openai_responses.openai_responses_calls import ResponseCalls
from sse_tui.eventstream.items import Event

# Room for the parts of one item: reasoning summaries first, then its reasoning text.
_ITEM = 2**20
_AFTER_SUMMARIES = 2**19

_Kind = type[Text] | type[Reasoning] | type[Refusal]


class OpenAIResponses(TypedDialect):
    """Reads one streamed response. `sequence_number` is that of the last event, None before any."""

    name = "openai-responses"
    resume: ClassVar[Resume] = "starting-after"

    def __init__(self) -> None:
        super().__init__()
        self.sequence_number: int | None = None
        self._slots: dict[str, int] = {}
        self._appeared = 0
        self._brought: set[tuple[_Kind, int]] = set()
        self._calls = ResponseCalls()

    def _take(self, event: Event, payload: dict[str, Any], deltas: list[Delta]) -> None:
        number = payload.get("sequence_number")
        if type(number) is int:
            last, self.sequence_number = self.sequence_number, number
            if last is not None and number != last + 1:
                deltas.append(Meta("sequence-gap", (last + 1, number)))
        super()._take(event, payload, deltas)

    def _slot(self, payload: dict[str, Any], item: dict[str, Any] | None = None) -> int:
        """The position of the payload's output item."""
        index = payload.get("output_index")
        if type(index) is int and 0 <= index < 2**31:
            return index
        item = item or {}
        known = (payload.get("item_id"), item.get("id"), item.get("call_id"))
        names = [name for name in map(string, known) if name is not None]
        slot = next((self._slots[name] for name in names if name in self._slots), None)
        if slot is None:
            slot, self._appeared = self._appeared, self._appeared + 1
        for name in names:
            self._slots[name] = slot
        return slot

    def _piece(self, kind: _Kind, part: int, text: Any, deltas: list[Delta], *, whole: bool = False) -> None:
        """A piece of text, or with `whole` all of a part's text, which counts only when no piece came before."""
        if not isinstance(text, str) or not text or (whole and (kind, part) in self._brought):
            return
        self._brought.add((kind, part))
        deltas.append(kind(text, 0, part))

    # Deltas and the finished texts

    def _text_delta(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        part = self._slot(payload) * _ITEM + part_index(payload.get("content_index"))
        self._piece(Text, part, payload.get("delta"), deltas)

    def _text_done(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        part = self._slot(payload) * _ITEM + part_index(payload.get("content_index"))
        self._piece(Text, part, payload.get("text"), deltas, whole=True)

    def _refusal_delta(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        part = self._slot(payload) * _ITEM + part_index(payload.get("content_index"))
        self._piece(Refusal, part, payload.get("delta"), deltas)

    def _refusal_done(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        part = self._slot(payload) * _ITEM + part_index(payload.get("content_index"))
        self._piece(Refusal, part, payload.get("refusal"), deltas, whole=True)

    def _reasoning_delta(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        part = self._slot(payload) * _ITEM + _AFTER_SUMMARIES + part_index(payload.get("content_index"))
        self._piece(Reasoning, part, payload.get("delta"), deltas)

    def _reasoning_done(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        part = self._slot(payload) * _ITEM + _AFTER_SUMMARIES + part_index(payload.get("content_index"))
        self._piece(Reasoning, part, payload.get("text"), deltas, whole=True)

    def _summary_delta(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        part = self._slot(payload) * _ITEM + part_index(payload.get("summary_index"))
        self._piece(Reasoning, part, payload.get("delta"), deltas)

    def _summary_done(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        part = self._slot(payload) * _ITEM + part_index(payload.get("summary_index"))
        text = payload.get("text") or members(payload.get("part")).get("text")
        self._piece(Reasoning, part, text, deltas, whole=True)

    def _part_done(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        index = part_index(payload.get("content_index"))
        self._content_part(self._slot(payload), index, payload.get("part"), deltas)

    def _content_part(self, slot: int, index: int, part: Any, deltas: list[Delta]) -> None:
        part = members(part)
        kind = part.get("type")
        if kind == "refusal":
            self._piece(Refusal, slot * _ITEM + index, part.get("refusal"), deltas, whole=True)
        elif kind == "reasoning_text":
            at = slot * _ITEM + _AFTER_SUMMARIES + index
            self._piece(Reasoning, at, part.get("text"), deltas, whole=True)
        elif kind in ("output_text", "text"):
            self._piece(Text, slot * _ITEM + index, part.get("text"), deltas, whole=True)

    # Output items

    def _item_added(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        item = members(payload.get("item"))
        slot = self._slot(payload, item)
        self._calls.added(slot, item, deltas)
        if item.get("type") == "message" and string(item.get("role")) and slot == 0:
            deltas.append(Meta("role", item["role"]))

    def _item_done(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        item = members(payload.get("item"))
        self._whole_item(self._slot(payload, item), item, deltas)

    def _whole_item(self, slot: int, item: dict[str, Any], deltas: list[Delta]) -> None:
        """What a finished item holds and no delta brought."""
        for name in ("summary", "content"):
            parts = item.get(name)
            for index, part in enumerate(parts if isinstance(parts, list) else ()):
                if name == "summary":
                    text = members(part).get("text")
                    self._piece(Reasoning, slot * _ITEM + index, text, deltas, whole=True)
                else:
                    self._content_part(slot, index, part, deltas)
        self._calls.finished(slot, item, deltas)

    # Calls

    def _arguments_delta(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        self._calls.piece(self._slot(payload), payload.get("delta"), deltas)

    def _arguments_done(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        whole = payload.get("arguments") or payload.get("input")
        self._calls.whole(self._slot(payload), payload.get("name"), whole, deltas)

    def _server_arguments_delta(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        self._calls.server_piece(self._slot(payload), payload.get("delta"), deltas)

    def _server_arguments_done(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        self._calls.server_piece(self._slot(payload), payload.get("arguments"), deltas, whole=True)

    # The response itself

    def _response(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        response = members(payload.get("response"))
        self._names(response.get("model"), response.get("id"), deltas)

    def _closing(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        """The terminal events; their response holds all output again."""
        response = members(payload.get("response"))
        self._names(response.get("model"), response.get("id"), deltas)
        output = response.get("output")
        for slot, item in enumerate(output if isinstance(output, list) else ()):
            item = members(item)
            # A server that sends output_index counts the items in this order; otherwise their ids identify them.
            self._whole_item(slot if not self._slots else self._slot({}, item), item, deltas)
        self._usage(response.get("usage"), deltas)
        status = string(response.get("status")) or str(payload.get("type")).removeprefix("response.")
        reason = string(members(response.get("incomplete_details")).get("reason"))
        if reason:
            deltas.append(Meta("incomplete_reason", reason))
        deltas.append(Finish(status))
        fault = fault_in(response)
        if fault is None and status == "failed":
            fault = StreamFault(None, None, None)
        if fault is not None:
            self._failed = True
            deltas.append(fault)
        self._ended = True

    def _usage(self, usage: Any, deltas: list[Delta]) -> None:
        usage = members(usage)
        tokens_in, tokens_out = count(usage.get("input_tokens")), count(usage.get("output_tokens"))
        if tokens_in is None and tokens_out is None:
            return
        reasoning = count(members(usage.get("output_tokens_details")).get("reasoning_tokens"))
        cached = count(members(usage.get("input_tokens_details")).get("cached_tokens"))
        deltas.append(Usage(tokens_in, tokens_out, reasoning, cached))

    def _annotation(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        deltas.append(Meta("citation", payload.get("annotation")))

    def _transcript(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        if string(payload.get("delta")):
            deltas.append(Meta("audio_transcript", payload["delta"]))

    def _code(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        if string(payload.get("delta")):
            deltas.append(Meta("code", payload["delta"]))

    def _other(self, kind: str, payload: dict[str, Any], deltas: list[Delta]) -> None:
        """Progress of tools and the like: ``response.web_search_call.searching``."""
        stage = kind.removeprefix("response.")
        if stage != kind and not stage.endswith((".delta", ".done", ".added")):
            deltas.append(Meta("tool_status", stage))

    readers: ClassVar[Mapping[str, Reader[Any]]] = {
        "response.created": _response,
        "response.queued": _response,
        "response.in_progress": _response,
        "response.completed": _closing,
        "response.incomplete": _closing,
        "response.failed": _closing,
        "response.cancelled": _closing,
        "response.output_item.added": _item_added,
        "response.output_item.done": _item_done,
        "response.content_part.done": _part_done,
        "response.output_text.delta": _text_delta,
        "response.output_text.done": _text_done,
        "response.output_text.annotation.added": _annotation,
        "response.refusal.delta": _refusal_delta,
        "response.refusal.done": _refusal_done,
        "response.reasoning_text.delta": _reasoning_delta,
        "response.reasoning_text.done": _reasoning_done,
        "response.reasoning_summary_text.delta": _summary_delta,
        "response.reasoning_summary_text.done": _summary_done,
        "response.reasoning_summary_part.done": _summary_done,
        "response.function_call_arguments.delta": _arguments_delta,
        "response.function_call_arguments.done": _arguments_done,
        "response.custom_tool_call_input.delta": _arguments_delta,
        "response.custom_tool_call_input.done": _arguments_done,
        "response.mcp_call_arguments.delta": _server_arguments_delta,
        "response.mcp_call_arguments.done": _server_arguments_done,
        "response.code_interpreter_call_code.delta": _code,
        "response.shell_call_command.delta": _code,
        "response.audio.transcript.delta": _transcript,
    }

    @classmethod
    def prepare(
        cls, base_url: str, model: str, messages: Sequence[Message], params: Mapping[str, Any]
    ) -> Prepared:
        """See `openai_responses_request.prepare`."""
        return openai_responses_request.prepare(base_url, model, messages, params)

    @classmethod
    def prompt_of(cls, body: str) -> str | None:
        """See `openai_responses_request.prompt_of`."""
        return openai_responses_request.prompt_of(body)
