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
from functools import partial
from typing import Any, ClassVar

from sse_tui.bounded import Seen, Slots
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
)
from sse_tui.dialects.inband import fault_in
from sse_tui.dialects.json_events import Reader, TypedDialect, part_index, passed_on
from sse_tui.dialects.payload import items, members, string
from sse_tui.dialects.providers.openai_responses.openai_responses_calls import ResponseCalls
from sse_tui.dialects.request import endpoint, last_of_role, mapped, members_of, post, split_system, turns
from sse_tui.dialects.usage import usage_of
from sse_tui.eventstream.items import Event

# Room for the parts of one item: reasoning summaries first, then its reasoning text.
_ITEM = 2**20
_AFTER_SUMMARIES = 2**19

_NAMES = {"temperature": "temperature", "top_p": "top_p", "max_tokens": "max_output_tokens"}

_Kind = type[Text] | type[Reasoning] | type[Refusal]


class OpenAIResponses(TypedDialect):
    """Reads one streamed response. `sequence_number` is that of the last event, None before any."""

    name = "openai-responses"
    resume: ClassVar[Resume] = "starting-after"
    sequence_number: int | None = None

    def __init__(self) -> None:
        self._slots = Slots[str]()
        self._brought = Seen[tuple[_Kind, int]]()
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
        return self._slots.of(*(name for name in map(string, known) if name is not None))

    def _piece(self, kind: _Kind, part: int, text: Any, deltas: list[Delta], *, whole: bool = False) -> None:
        """A piece of text, or with `whole` all of a part's text, which counts only when no piece came before."""
        if not isinstance(text, str) or not text or (whole and (kind, part) in self._brought):
            return
        self._brought.add((kind, part))
        deltas.append(kind(text, 0, part))

    def _text(
        self,
        payload: dict[str, Any],
        deltas: list[Delta],
        kind: _Kind = Text,
        member: str = "delta",
        index: str = "content_index",
        after: int = 0,
    ) -> None:
        """The text in a member: a piece in "delta", the whole of a part in any other."""
        part = self._slot(payload) * _ITEM + after + part_index(payload.get(index))
        self._piece(kind, part, payload.get(member), deltas, whole=member != "delta")

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
        for index, part in enumerate(items(item.get("summary"))):
            self._piece(Reasoning, slot * _ITEM + index, members(part).get("text"), deltas, whole=True)
        for index, part in enumerate(items(item.get("content"))):
            self._content_part(slot, index, part, deltas)
        self._calls.finished(slot, item, deltas)

    def _arguments_delta(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        self._calls.piece(self._slot(payload), payload.get("delta"), deltas)

    def _arguments_done(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        whole = payload.get("arguments") or payload.get("input")
        self._calls.whole(self._slot(payload), payload.get("name"), whole, deltas)

    def _server_arguments_delta(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        self._calls.server_piece(self._slot(payload), payload.get("delta"), deltas)

    def _server_arguments_done(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        self._calls.server_piece(self._slot(payload), payload.get("arguments"), deltas, whole=True)

    def _response(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        response = members(payload.get("response"))
        self._names(response.get("model"), response.get("id"), deltas)

    def _closing(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        """The terminal events; their response holds all output again."""
        self._response(payload, deltas)
        response = members(payload.get("response"))
        for slot, item in enumerate(map(members, items(response.get("output")))):
            # A server that sends output_index counts the items in this order; otherwise their ids identify them.
            self._whole_item(slot if not self._slots else self._slot({}, item), item, deltas)
        usage = members(response.get("usage"))
        deltas += usage_of(
            usage.get("input_tokens"),
            usage.get("output_tokens"),
            members(usage.get("output_tokens_details")).get("reasoning_tokens"),
            members(usage.get("input_tokens_details")).get("cached_tokens"),
        )
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

    def _shown(self, payload: dict[str, Any], deltas: list[Delta], name: str = "code") -> None:
        if string(payload.get("delta")):
            deltas.append(Meta(name, payload["delta"]))

    def _other(self, kind: str, payload: dict[str, Any], deltas: list[Delta]) -> None:
        """Progress of tools and the like: ``response.web_search_call.searching``."""
        stage = kind.removeprefix("response.")
        if stage != kind and not stage.endswith((".delta", ".done", ".added")):
            deltas.append(Meta("tool_status", stage))

    readers: ClassVar[Mapping[str, Reader]] = {
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
        "response.output_text.delta": _text,
        "response.output_text.done": partial(_text, member="text"),
        "response.output_text.annotation.added": passed_on("citation", "annotation"),
        "response.refusal.delta": partial(_text, kind=Refusal),
        "response.refusal.done": partial(_text, kind=Refusal, member="refusal"),
        "response.reasoning_text.delta": partial(_text, kind=Reasoning, after=_AFTER_SUMMARIES),
        "response.reasoning_text.done": partial(_text, kind=Reasoning, member="text", after=_AFTER_SUMMARIES),
        "response.reasoning_summary_text.delta": partial(_text, kind=Reasoning, index="summary_index"),
        "response.reasoning_summary_text.done": _summary_done,
        "response.reasoning_summary_part.done": _summary_done,
        "response.function_call_arguments.delta": _arguments_delta,
        "response.function_call_arguments.done": _arguments_done,
        "response.custom_tool_call_input.delta": _arguments_delta,
        "response.custom_tool_call_input.done": _arguments_done,
        "response.mcp_call_arguments.delta": _server_arguments_delta,
        "response.mcp_call_arguments.done": _server_arguments_done,
        "response.code_interpreter_call_code.delta": _shown,
        "response.shell_call_command.delta": _shown,
        "response.audio.transcript.delta": partial(_shown, name="audio_transcript"),
    }

    @classmethod
    def prepare(
        cls, base_url: str, model: str, messages: Sequence[Message], params: Mapping[str, Any]
    ) -> Prepared:
        """POST to ``{base_url}/responses``; the system prompt goes into ``instructions``.

        ``store`` is false: a conversation in a debugging tool has no business in the provider's storage. Resuming
        needs ``extra = {"background": true, "store": true}``.
        """
        system, rest = split_system(messages)
        body: dict[str, Any] = {"model": model, "input": turns(rest), "stream": True, "store": False}
        if system is not None:
            body["instructions"] = system
        body.update(mapped(params, _NAMES, cls.name))
        return post(endpoint(base_url, "responses"), body, params)

    @classmethod
    def prompt_of(cls, body: str) -> str | None:
        """The input when it is text, else the text of the user's last message in it."""
        given = members_of(body).get("input")
        return given if isinstance(given, str) else last_of_role(given)
