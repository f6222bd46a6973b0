"""Google's ``streamGenerateContent`` with ``alt=sse``: the Gemini API and Vertex AI.

Every event is a whole response object with the next parts of each candidate. Function calls arrive whole, or
on Vertex in pieces (``partialArgs``). There is no end marker: the last chunk has a ``finishReason``, then the
body ends. Without ``alt=sse`` the same objects come as one JSON array, which is not an event stream.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from sse_tui.bounded import Recent
from sse_tui.dialects.base import (
    Auth,
    Delta,
    Malformed,
    Message,
    Meta,
    Prepared,
    Reasoning,
    StreamFault,
    Text,
    ToolCall,
)
from sse_tui.dialects.json_events import ChoiceDialect, add_text
from sse_tui.dialects.payload import arguments_text, items, kind_of, members, string
from sse_tui.dialects.providers.gemini.gemini_args import RunningCall
from sse_tui.dialects.request import endpoint, last_of_role, mapped, members_of, post, split_system
from sse_tui.dialects.usage import usage_in
from sse_tui.eventstream.items import Event

_NAMES = {
    "temperature": "temperature",
    "top_p": "topP",
    "top_k": "topK",
    "max_tokens": "maxOutputTokens",
    "seed": "seed",
    "stop": "stopSequences",
}

# Parts other than text: tools that the service called itself, and their results.
_SERVER_CALLS = ("toolCall", "executableCode")
_SERVER_RESULTS = ("toolResponse", "codeExecutionResult", "functionResponse")

# The numbers of FinishReason that the Gemini API and Vertex AI share; the later ones differ.
_REASONS = dict(
    enumerate(("FINISH_REASON_UNSPECIFIED", "STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "OTHER"))
)

_OUTPUT = frozenset({Text, Reasoning, ToolCall})

_CALLS_AT_ONCE = 64  # calls in pieces: one a candidate


class Gemini(ChoiceDialect):
    """Reads one streamed response; a candidate is a choice."""

    name = "gemini"
    auth: ClassVar[Auth] = Auth("x-goog-api-key")
    reasoning_apart: ClassVar[bool] = True

    _slots: int = 0
    _finishes_always: bool = False  # text followed a finish reason, so that the reason proves nothing

    def __init__(self) -> None:
        super().__init__()
        self._running = Recent[int, RunningCall](_CALLS_AT_ONCE)

    def _take(self, event: Event, payload: dict[str, Any], deltas: list[Delta]) -> None:
        if isinstance(payload.get("response"), dict) and "candidates" not in payload:
            payload = payload["response"]  # Google's Code Assist wraps each chunk
        self._names(payload.get("modelVersion"), payload.get("responseId"), deltas)
        self._choices(payload.get("candidates"), "candidates", self._candidate, deltas)
        feedback = members(payload.get("promptFeedback"))
        if string(feedback.get("blockReason")):
            self._finished = True
            deltas.append(Meta("blocked", feedback))
        deltas += usage_in(members(payload.get("usageMetadata")), reasoning_apart=self.reasoning_apart)
        self._error(event, payload, deltas)

    def _error(self, event: Event, payload: dict[str, Any], deltas: list[Delta]) -> None:
        before = len(deltas)
        self._fault(payload, deltas, announced=event.type == "error")
        status = string(members(payload.get("error")).get("status"))
        if len(deltas) > before and status:
            fault = deltas[before]
            assert isinstance(fault, StreamFault)
            deltas[before] = fault._replace(type=fault.type or status)  # Google's name for the kind of error

    @property
    def complete(self) -> bool | None:
        """True once every candidate has its reason; None for a service that sends a reason with every chunk."""
        whole = super().complete
        return None if whole and self._finishes_always else whole

    def _candidate(self, candidate: dict[str, Any], index: int, deltas: list[Delta]) -> None:
        before = len(deltas)
        content = candidate.get("content")
        if content is not None and not isinstance(content, dict):
            deltas.append(Malformed(f"content: expected an object, got {kind_of(content)}"))
        for part in items(members(content).get("parts")):
            self._part(part, index, deltas)
        for name, meta in (("groundingMetadata", "grounding"), ("citationMetadata", "citation")):
            if candidate.get(name):
                deltas.append(Meta(meta, candidate[name]))
        if self._finishes.get(index) is not None and any(type(delta) in _OUTPUT for delta in deltas[before:]):
            self._finishes_always = True
        reason = candidate.get("finishReason")
        if type(reason) is int:  # enum-encoding=int, as Google's client libraries ask for
            reason = _REASONS.get(reason, f"finishReason {reason}")
        if isinstance(reason, str) and reason:
            self._end(index, reason, deltas)
            if string(candidate.get("finishMessage")):
                deltas.append(Meta("safety", candidate["finishMessage"]))

    def _part(self, part: Any, index: int, deltas: list[Delta]) -> None:
        if not isinstance(part, dict):
            deltas.append(Malformed(f"parts: expected objects, got {kind_of(part)}"))
            return
        kind = Reasoning if part.get("thought") is True else Text
        add_text(kind, part.get("text"), "text", deltas, index)
        if isinstance(part.get("functionCall"), dict):
            self._call(part["functionCall"], index, deltas)
        for name in _SERVER_CALLS:
            if isinstance(part.get(name), dict):
                call = part[name]
                deltas.append(Meta("server_tool_call", {"type": name, "name": string(call.get("name"))}))
                if string(call.get("code")):
                    deltas.append(Meta("code", call["code"]))
        for name in _SERVER_RESULTS:
            if isinstance(part.get(name), dict):
                deltas.append(Meta("server_tool_result", part[name]))
        for name in ("inlineData", "fileData"):
            if isinstance(part.get(name), dict):
                deltas.append(_file(part[name]))

    def _call(self, call: dict[str, Any], index: int, deltas: list[Delta]) -> None:
        """A function call: whole, or the next piece of the one that runs in this candidate."""
        name, ident = string(call.get("name")), string(call.get("id"))
        running = self._running.get(index)
        if running is not None and running.ended_by(name, ident):
            self._finish_call(running, index, None, deltas)
            running = None
        if running is None:
            slot, self._slots = self._slots, self._slots + 1
            if not call.get("partialArgs") and not call.get("willContinue"):
                arguments = arguments_text(call.get("args")) or "{}"
                deltas.append(ToolCall(slot, ident, name, arguments, index))
                return
            running = RunningCall(slot, name, ident)
            self._running.put(index, running)
            deltas.append(ToolCall(slot, ident, name, "", index))
        running.arguments.add(call.get("partialArgs"))
        if not call.get("willContinue"):
            self._finish_call(running, index, call.get("args"), deltas)

    def _finish_call(self, running: RunningCall, index: int, rest: Any, deltas: list[Delta]) -> None:
        self._running.pop(index)
        deltas.append(ToolCall(running.slot, None, None, running.arguments.text(rest), index))

    @classmethod
    def prepare(
        cls, base_url: str, model: str, messages: Sequence[Message], params: Mapping[str, Any]
    ) -> Prepared:
        """POST to ``models/MODEL:streamGenerateContent?alt=sse``, under ``/v1beta`` where no version is given.

        For Vertex AI `base_url` ends in ``/publishers/google``. The system prompt goes beside the contents,
        and the assistant is called "model".
        """
        system, rest = split_system(messages)
        contents = [
            {"role": "model" if message.role == "assistant" else "user", "parts": [{"text": message.content}]}
            for message in rest
        ]
        body: dict[str, Any] = {"contents": contents}
        if system is not None:
            body["systemInstruction"] = {"parts": [{"text": system}]}
        config = mapped(params, _NAMES, cls.name)
        if config:
            body["generationConfig"] = config
        return post(_url(base_url, model), body, params)

    @classmethod
    def prompt_of(cls, body: str) -> str | None:
        """The text of the last content of the user; a content without a role is the user's."""
        contents = members_of(body).get("contents")
        last = contents[-1] if isinstance(contents, list) and contents else None
        if isinstance(last, dict) and "role" not in last:
            contents = [*contents[:-1], {**last, "role": "user"}]  # type: ignore[index]
        return last_of_role(contents, content="parts")


def _file(data: dict[str, Any]) -> Meta:
    """Data beside the text: an answer in audio comes in pieces, anything else is a file."""
    kind = string(data.get("mimeType"))
    if kind is not None and kind.startswith("audio/"):
        return Meta("audio", len(string(data.get("data")) or "") * 3 // 4)
    return Meta("file", kind)


def _url(base_url: str, model: str) -> str:
    path = f"{model if model.startswith('models/') else 'models/' + model}:streamGenerateContent"
    bare = base_url.split("?")[0].rstrip("/")
    if "/" not in bare.partition("://")[2]:
        path = "v1beta/" + path
    return endpoint(base_url, path, query={"alt": "sse"})
