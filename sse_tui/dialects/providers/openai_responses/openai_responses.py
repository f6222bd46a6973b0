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
from sse_tui.dialects.content_parts import Kind, pieces_of
from sse_tui.dialects.event_order import BlockEvents, order_of
from sse_tui.dialects.inband import fault_in
from sse_tui.dialects.json_events import Reader, TypedDialect, part_index, passed_on
from sse_tui.dialects.payload import items, members, string
from sse_tui.dialects.providers.openai_responses.openai_responses_calls import ResponseCalls
from sse_tui.dialects.providers.openai_responses.openai_responses_texts import (
    ITEM,
    FinalPart,
    ResponseTexts,
)
from sse_tui.dialects.providers.openai_responses.output_items import OutputItems
from sse_tui.dialects.request import endpoint, last_of_role, mapped, members_of, post, split_system, turns
from sse_tui.dialects.usage import usage_in
from sse_tui.eventstream.items import Event

# In the number of a part: reasoning summaries of an item first, then its reasoning text.
_AFTER_SUMMARIES = 2**19

# A spoken answer in words, as the Responses and the Realtime API have called it.
_TRANSCRIPTS = (
    *("response.audio.transcript.delta", "response.audio_transcript.delta"),
    "response.output_audio_transcript.delta",
)

_NAMES = {"temperature": "temperature", "top_p": "top_p", "max_tokens": "max_output_tokens"}


class OpenAIResponses(TypedDialect):
    """Reads one streamed response. `sequence_number` is that of the last event, None before any."""

    name = "openai-responses"
    resume: ClassVar[Resume] = "starting-after"
    sequence_number: int | None = None
    _from_start: bool = True  # False for a stream that was resumed: what came before is not known

    def __init__(self) -> None:
        self._items = OutputItems()
        self._texts = ResponseTexts()
        self._calls = ResponseCalls()
        self._items_with_text = False

    def _take(self, event: Event, payload: dict[str, Any], deltas: list[Delta]) -> None:
        self._follow(payload, deltas)
        if type(payload.get("type")) is not str and self._is_whole(payload):
            self._whole_response(payload, deltas)
        else:
            super()._take(event, payload, deltas)

    def _follow(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        """Heartbeats have a number of their own, too."""
        number = payload.get("sequence_number")
        if type(number) is int:
            last, self.sequence_number = self.sequence_number, number
            if last is None and number > 1:
                self._from_start = False
            if last is not None and number != last + 1:
                deltas.append(Meta("sequence-gap", (last + 1, number)))

    def _slot(self, payload: dict[str, Any], item: dict[str, Any] | None = None) -> int:
        """The position of the payload's output item."""
        index = payload.get("output_index")
        if item is None and not self._items.shared and type(index) is int and 0 <= index < 2**31:
            return index  # in the shortest time, since it is the usual case
        item = item or {}
        known = (payload.get("item_id"), item.get("id"), item.get("call_id"))
        began = payload.get("type") == "response.output_item.added"
        return self._items.of(index, [name for name in map(string, known) if name is not None], began=began)

    def _piece(self, kind: Kind, part: int, text: Any, deltas: list[Delta]) -> None:
        """A piece of text."""
        if not isinstance(text, str) or not text:
            return
        if self._texts.add(kind, part, text):
            deltas.append(Meta("late-delta", text))
        deltas.append(kind(text, 0, part))

    def _whole(self, kind: Kind, part: int, text: Any, deltas: list[Delta], event: str) -> None:
        """All of a part's text, which counts only when no piece came before."""
        if not isinstance(text, str) or not text:
            return
        new, other = self._texts.part_done(FinalPart(kind, part, text))
        if new:
            self._texts.add(kind, part, text)
            deltas.append(kind(text, 0, part))
        elif other is not None:
            self._differs(event, other, len(text), deltas)

    def _differs(self, event: str, given: int, final: int, deltas: list[Delta]) -> None:
        if self._from_start:
            deltas.append(Meta("final-text", {"event": event, "given": given, "final": final}))

    def _text(
        self,
        payload: dict[str, Any],
        deltas: list[Delta],
        kind: Kind = Text,
        member: str = "delta",
        index: str = "content_index",
        after: int = 0,
    ) -> None:
        """The text in a member: a piece in "delta", the whole of a part in any other."""
        part = self._slot(payload) * ITEM + after + part_index(payload.get(index))
        if member == "delta":
            self._piece(kind, part, payload.get(member), deltas)
        else:
            self._whole(kind, part, payload.get(member), deltas, str(payload.get("type")))

    def _summary_done(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        part = self._slot(payload) * ITEM + part_index(payload.get("summary_index"))
        text = payload.get("text") or members(payload.get("part")).get("text")
        self._whole(Reasoning, part, text, deltas, str(payload.get("type")))

    def _part_added(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        """A part began. Text that it already has is repeated by its deltas or its end."""
        self._prefilled([payload.get("part")], deltas)

    def _prefilled(self, parts: list[Any], deltas: list[Delta]) -> None:
        text = "".join(final.text for final in _finals(0, parts) if final.kind is Text)
        if text:
            deltas.append(Meta("prefilled", text))

    def _part_done(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        index, slot = part_index(payload.get("content_index")), self._slot(payload)
        for final in _finals(slot, [payload.get("part")], first=index):
            self._whole(final.kind, final.part, final.text, deltas, str(payload.get("type")))

    def _item_added(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        item = members(payload.get("item"))
        slot = self._slot(payload, item)
        self._calls.added(slot, item, deltas)
        self._prefilled(items(item.get("content")), deltas)
        if item.get("type") == "message" and string(item.get("role")) and slot == 0:
            deltas.append(Meta("role", item["role"]))

    def _item_done(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        item = members(payload.get("item"))
        self._whole_item(self._slot(payload, item), item, deltas)

    def _whole_item(self, slot: int, item: dict[str, Any], deltas: list[Delta]) -> None:
        """What a finished item holds and no delta brought."""
        finals = _item_finals(slot, item)
        self._items_with_text = self._items_with_text or any(final.kind is Text for final in finals)
        self._take_finals(slot, finals, deltas, "response.output_item.done")
        self._calls.finished(slot, item, deltas)

    def _take_finals(
        self, slot: int | None, finals: list[FinalPart], deltas: list[Delta], event: str
    ) -> None:
        new, differing = self._texts.item_done(slot, finals)
        for final in new:
            self._texts.add(final.kind, final.part, final.text)
            deltas.append(final.kind(final.text, 0, final.part))
        for given in differing:
            self._differs(event, given, sum(len(final.text) for final in finals), deltas)

    def _arguments_delta(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        self._calls.piece(self._call_slot(payload), payload.get("delta"), deltas)

    def _call_slot(self, payload: dict[str, Any], *, whole: bool = False) -> int:
        """The position of the call that the arguments in a payload are for, even if it does not say which."""
        if payload.get("output_index") is None and not string(payload.get("item_id")):
            slot = self._calls.open_slot(whole=whole)
            if slot is not None:
                return slot
        return self._slot(payload)

    def _arguments_done(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        whole = payload.get("arguments") or payload.get("input")
        self._calls.whole(self._call_slot(payload, whole=True), payload.get("name"), whole, deltas)

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
        self._output(response, str(payload.get("type")), deltas)
        deltas += usage_in(members(response.get("usage")))
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

    def _output(self, response: dict[str, Any], event: str, deltas: list[Delta]) -> None:
        """The output of a finished response: what of it is new, and what is missing."""
        given, finals = self._texts.characters(Text), list[FinalPart]()
        for position, item in enumerate(map(members, items(response.get("output")))):
            slot = self._place(position, item)
            finals += _item_finals(slot, item)
            self._calls.finished(slot, item, deltas)
        if not finals and not given and string(response.get("output_text")):
            finals.append(FinalPart(Text, 0, response["output_text"]))
        self._take_finals(None, finals, deltas, event)
        completed = event in ("response.completed", "response.done")
        if completed and given and self._from_start and not any(final.kind is Text for final in finals):
            missing = [event] if self._items_with_text else [event, "response.output_item.done"]
            deltas.append(Meta("final-text", {"missing": missing, "given": given}))

    def _place(self, position: int, item: dict[str, Any]) -> int:
        """The position of an item of the final response, which may have left out others before it."""
        known = self._items.known(string(item.get("id")))
        if known is not None:
            return known
        # A server that sends output_index counts the items in this order; otherwise their ids identify them.
        return position if self._items.indexed else self._slot({}, item)

    def _whole_response(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        """The response as the API answers it without streaming."""
        deltas.append(Meta("whole-object", "response"))
        self._closing({"type": "response", "response": payload}, deltas)

    def _is_whole(self, payload: dict[str, Any]) -> bool:
        return payload.get("object") == "response" and "output" in payload

    def _audio(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        if string(payload.get("delta")):
            deltas.append(Meta("audio", len(payload["delta"]) * 3 // 4))

    def _transcript_done(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        member = "transcript" if payload.get("transcript") else "text"
        self._text(payload, deltas, member=member)

    def _shown(self, payload: dict[str, Any], deltas: list[Delta], name: str = "code") -> None:
        if string(payload.get("delta")):
            deltas.append(Meta(name, payload["delta"]))

    def _other(self, kind: str, payload: dict[str, Any], deltas: list[Delta]) -> None:
        """Progress of tools and the like: ``response.web_search_call.searching``."""
        stage = kind.removeprefix("response.")
        if stage != kind and not stage.endswith((".delta", ".done", ".added")):
            deltas.append(Meta("tool_status", stage))

    order = order_of(
        "response.created",
        BlockEvents(
            "response.output_item.added",
            (
                "response.content_part.added",
                "response.output_text.delta",
                "response.refusal.delta",
                "response.reasoning_text.delta",
                "response.reasoning_summary_text.delta",
                "response.function_call_arguments.delta",
            ),
            "response.output_item.done",
            "output_index",
        ),
        counter="sequence_number",
    )
    readers: ClassVar[Mapping[str, Reader]] = {
        "response.created": _response,
        "response.queued": _response,
        "response.in_progress": _response,
        "response.completed": _closing,
        "response.incomplete": _closing,
        "response.failed": _closing,
        "response.cancelled": _closing,
        "response.done": _closing,  # the Realtime API's, and that of gateways to it
        "response.output_item.added": _item_added,
        "response.output_item.done": _item_done,
        "response.content_part.added": _part_added,
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
        **dict.fromkeys(_TRANSCRIPTS, _text),
        **dict.fromkeys((name.replace(".delta", ".done") for name in _TRANSCRIPTS), _transcript_done),
        **dict.fromkeys(("response.audio.delta", "response.output_audio.delta"), _audio),
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


def _item_finals(slot: int, item: dict[str, Any]) -> list[FinalPart]:
    """The texts of an output item."""
    summaries = [{"type": "summary_text", **members(part)} for part in items(item.get("summary"))]
    return _finals(slot, summaries) + _finals(slot, items(item.get("content")))


def _finals(slot: int, parts: list[Any], first: int = 0) -> list[FinalPart]:
    """The texts of the parts of an item, of which these begin at the index `first`."""
    found = []
    for index, part in enumerate(parts, first):
        part = members(part)
        thought = part.get("type") == "reasoning_text"
        at = slot * ITEM + (_AFTER_SUMMARIES if thought else 0) + part_index(index)
        spoken = [{"type": "text", "text": part.get("transcript")}] if "transcript" in part else []
        found += [FinalPart(kind, at, text) for kind, text in pieces_of(spoken or [part])]
    return found
