"""OpenAI's chat completion chunks and everything shaped like them.

``data: {"object": "chat.completion.chunk", "choices": [{"index", "delta", "finish_reason"}], ...}`` and at
the end ``data: [DONE]``. Read the same way: Azure OpenAI, DeepSeek, Groq, Mistral, OpenRouter, Perplexity,
Fireworks, Together, Ollama's ``/v1``, vLLM, SGLang, llama.cpp, llama-cpp-python, TGI's ``/v1``, LiteLLM, LM
Studio, Writer, Snowflake and more.

Where they differ, and how that is read:

- Null is the same as absent, everywhere; ``choices`` may be empty or null (usage, content filter results).
- ``content`` is text or, with Mistral, a list of parts, some of them thinking.
- Reasoning has many names, see `sse_tui.dialects.content_parts`; they often repeat each other in one delta.
- A ``message`` beside a ``delta`` repeats or accumulates it (Perplexity, Writer) and is ignored; one in place of a
  ``delta`` is read: some servers send whole completions, or the chunks of an older API (DashScope).
- An answer in audio has its text in ``audio.transcript``, and ends with ``audio.expires_at``.
- Gateways nest the chunk in a member of their own.
- Usage comes once at the end, in every chunk, in ``x_groq``, in a choice (Moonshot), or never.
- Errors come as a chunk, in a chunk, as an ``event: error``, in ``x_groq``; some servers send ``[DONE]``
  after one, so ``[DONE]`` alone proves nothing. Nor does its absence: Perplexity and Writer never send it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from zlib import crc32

from sse_tui.bounded import Recent, Seen
from sse_tui.dialects.base import (
    Delta,
    Malformed,
    Message,
    Meta,
    Prepared,
    Progress,
    Reasoning,
    Refusal,
    Text,
)
from sse_tui.dialects.content_parts import REASONING, pieces_of, reasoning_in
from sse_tui.dialects.error_names import announces
from sse_tui.dialects.heartbeats import is_heartbeat, named_ping
from sse_tui.dialects.json_events import DONE, ChoiceDialect
from sse_tui.dialects.payload import (
    NOT_STRICT,
    JsonError,
    count,
    decode,
    decode_strictly,
    index_of,
    items,
    kind_of,
    members,
    string,
)
from sse_tui.dialects.providers.openai_chat.misplaced_reasons import misplaced_reasons
from sse_tui.dialects.providers.openai_chat.openai_chat_tools import ToolCalls
from sse_tui.dialects.request import PARAMS, endpoint, mapped, post, turns
from sse_tui.dialects.usage import usage_in
from sse_tui.dialects.wrapped import unwrapped
from sse_tui.eventstream.items import Event

# Top-level members that are passed on unchanged: the server's own numbers and facts about the request.
_PASSED_ON = ("timings", "perf_metrics", "x_groq", "prompt_filter_results", "sglext")

# Members that make a payload more than choices, names and usage ("type" and "object" only with some values).
_BESIDE = frozenset({*_PASSED_ON, "prompt_progress", "error", "type"})

_THOUGHT = frozenset(REASONING)

_NAMES = {name: name for name in PARAMS}

_new = tuple.__new__  # makes a delta in half the time of its class


class OpenAIChat(ChoiceDialect):
    """Reads one streamed chat completion."""

    name = "openai-chat"
    messages_in = "messages"
    sentinel = "ends"
    _provider: str | None = None
    _own_usage: bool = False

    def __init__(self) -> None:
        super().__init__()
        self._roles = Seen[tuple[int, str]]()
        self._spoke = False  # a delta had text; read at every event
        # Of the messages that came in place of deltas: the length and the checksum of the text so far.
        self._messages = Recent[int, tuple[int, int]]()
        self._calls = ToolCalls()

    @property
    def complete(self) -> bool | None:
        """True once every choice that began has a finish reason; never after an error.

        None where ``[DONE]`` came and a finish reason is missing: llama-cpp-python ends an interrupted answer this way,
        and Snowflake every answer.
        """
        return False if "error" in self._finishes.values() else super().complete

    def read(self, event: Event) -> Sequence[Delta]:
        """The deltas of one event, in the order: facts, content, finish, tokens, error."""
        data, named = event.data, event.type != "message"
        if self._ended:
            return (Meta("after-end", data),)
        if named or len(data) < 16:
            special = self._special(event)
            if special is not None:
                return special
        broken: Sequence[Delta] = ()
        try:
            payload = decode_strictly(data)
        except NOT_STRICT:
            try:
                payload, broken = self._leniently(data)
            except JsonError as exc:
                return self._not_json(event, str(exc))
        if type(payload) is not dict:
            return self._no_object(event, payload)
        deltas: list[Delta] = []
        if "choices" not in payload:
            payload, wrapper = unwrapped(payload)
            if wrapper:
                deltas.append(Meta("wrapped", wrapper))
        if payload.get("model") != self._model or payload.get("id") != self._id:
            self._names(payload.get("model"), payload.get("id"), deltas)
            provider = payload.get("provider")
            if provider != self._provider and string(provider):
                self._provider = provider
                deltas.append(Meta("provider", provider))
        choices = payload.get("choices")
        if type(choices) is list:
            if len(choices) == 1:  # the usual chunk
                self._choice(choices[0], 0, deltas)
            else:
                for position, choice in enumerate(choices):
                    self._choice(choice, position, deltas)
        elif choices is not None:
            deltas.append(Malformed(f"choices: expected an array, got {kind_of(choices)}"))
        usage = payload.get("usage")
        if usage and self._usage(usage, deltas):
            self._own_usage = True
        if not _BESIDE.isdisjoint(payload) or event.type == "error" or payload.get("object") == "error":
            self._beside(event, payload, deltas)
        if not deltas or usage:
            self._misplaced(payload, deltas)
        if (not choices and all(type(delta) is Meta for delta in deltas)) or (
            named and announces(event.type)
        ):
            self._unread(event, payload, deltas)
        if broken:
            deltas[:0] = broken
        return deltas if self._joiner is None else self._joiner.joined(deltas)

    def _is_whole(self, payload: dict[str, Any]) -> bool:
        choices = payload.get("choices")
        return isinstance(choices, list) and any("message" in members(choice) for choice in choices)

    def _special(self, event: Event) -> Sequence[Delta] | None:
        """The sentinel and heartbeats; None for anything that is read as a chunk."""
        data = event.data
        if data.strip() == DONE:
            return self._sentinel(data)
        if not data:
            return self._empty(event)
        if named_ping(event.type):
            try:
                decode(data)
            except JsonError as exc:
                return self._not_json(event, str(exc))
            return (Meta("ping", data),)
        return None

    def _choice(self, choice: Any, position: int, deltas: list[Delta]) -> None:
        if type(choice) is not dict:
            if choice is not None:
                deltas.append(Malformed(f"choices[{position}]: expected an object, got {kind_of(choice)}"))
            return
        index = choice.get("index")
        if type(index) is not int:
            index = index_of(index)
            if index is None:
                index = position
        if index != self._index:
            self._turn(index, position, choice, deltas)
        delta = choice.get("delta")
        if type(delta) is dict:
            content = delta.get("content")
            if type(content) is str and len(delta) == 1:  # the usual chunk, in the shortest time
                if content:
                    self._spoke = True
                    deltas.append(_new(Text, (content, index, 0)))
            else:
                if not delta and not self._spoke and type(choice.get("message")) is dict:
                    self._message(choice["message"], index, deltas)
                self._delta(delta, content, index, deltas)
        elif type(choice.get("message")) is dict:
            self._message(choice["message"], index, deltas)
        elif delta is not None:
            deltas.append(Malformed(f"delta: expected an object, got {kind_of(delta)}"))
        reason = choice.get("finish_reason")
        if reason:
            self._finish(reason, index, deltas)
        if "error" in choice or "usage" in choice or "text" in choice:
            self._choice_extras(choice, index, deltas)

    def _finish(self, reason: Any, index: int, deltas: list[Delta]) -> None:
        if isinstance(reason, dict) and string(reason.get("type")):
            reason = reason["type"]  # SGLang's, with the token that matched beside it
        if not isinstance(reason, str):
            deltas.append(Malformed(f"finish_reason: expected a string, got {kind_of(reason)}"))
            return
        self._end(index, reason, deltas)

    def _misplaced(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        """The finish reason of a chunk without text, where it does not stand in ``choices[].finish_reason``."""
        for path, index, reason in misplaced_reasons(payload):
            if self._finishes.get(index, "") is None:
                self._end(index, reason, deltas)
                if self._finishes[index] is not None:
                    deltas.append(Meta("misplaced-finish", path))

    def _choice_extras(self, choice: dict[str, Any], index: int, deltas: list[Delta]) -> None:
        """Errors, usage and text that some gateways put into the choice."""
        text = string(choice.get("text"))
        if text and "delta" in choice and not members(choice["delta"]).get("content"):
            self._spoke = True
            deltas += (
                Malformed("the text stands in choices[].text, where SDKs do not look for it"),
                Text(text, index),
            )
        if choice.get("error"):
            self._fault(choice, deltas)
        usage = choice.get("usage")
        if usage and not self._own_usage:
            self._usage(usage, deltas)

    def _delta(self, delta: dict[str, Any], content: Any, index: int, deltas: list[Delta]) -> None:
        role = delta.get("role")
        if role and isinstance(role, str) and self._roles.add((index, role)):
            deltas.append(Meta("role", role))
        if not _THOUGHT.isdisjoint(delta) and (reasoning := reasoning_in(delta)):
            deltas.append(Reasoning(reasoning, index))
        if content:
            self._spoke = True
            _content(content, index, deltas)
        refusal = delta.get("refusal")
        if refusal and isinstance(refusal, str):
            deltas.append(Refusal(refusal, index))
        function = delta.get("function_call")
        if function is not None:
            self._calls.read_function(function, index, deltas)
        calls = delta.get("tool_calls")
        if calls is not None:
            self._calls.read(calls, index, deltas)
        if delta.get("executed_tools"):
            deltas.append(Meta("executed_tools", delta["executed_tools"]))
        if "audio" in delta:
            self._audio(members(delta["audio"]), index, deltas, spoken=not content)
        if "images" in delta:
            deltas += [Meta("file", "image") for _ in items(delta["images"])]
        text = delta.get("text")
        if text and content is None and isinstance(text, str):
            self._spoke = True
            deltas += (
                Malformed("the text stands in delta.text, where SDKs do not look for it"),
                Text(text, index),
            )
        if delta.get("finish_reason"):
            deltas.append(Meta("misplaced-finish", "the delta"))
            self._finish(delta["finish_reason"], index, deltas)

    def _audio(self, audio: dict[str, Any], index: int, deltas: list[Delta], *, spoken: bool) -> None:
        """A piece of a spoken answer: the transcript is its text. ``expires_at`` comes last, for a finish reason."""
        transcript = string(audio.get("transcript"))
        if transcript and spoken:
            deltas.append(Text(transcript, index))
        data = string(audio.get("data"))
        if data or transcript:
            deltas.append(Meta("audio", len(data or "") * 3 // 4))
        if audio.get("expires_at") and self._finishes.get(index, "") is None:
            self._finishes[index] = "expires_at"

    def _message(self, message: dict[str, Any], index: int, deltas: list[Delta]) -> None:
        """A message where a delta should be: whole, or the next piece, or all of the text so far."""
        if self._spoke and index not in self._messages:
            if index == 0 and isinstance(message.get("content"), str):
                deltas.append(Meta("repeated", message["content"]))
            return
        deltas.append(Meta("whole-object", "message"))
        content = message.get("content")
        known, new = self._messages.get(index), content if type(content) is str else ""
        if known is not None and new:
            length, checksum = known
            if len(new) >= length and crc32(new[:length].encode("utf-8", "replace")) == checksum:
                new = new[length:]
                message = {}
        length, checksum = known or (0, 0)
        self._messages.put(index, (length + len(new), crc32(new.encode("utf-8", "replace"), checksum)))
        self._delta(message, new if type(content) is str else content, index, deltas)

    def _beside(self, event: Event, payload: dict[str, Any], deltas: list[Delta]) -> None:
        """What only some events have beside their choices."""
        progress = payload.get("prompt_progress")
        if progress:
            _progress(progress, deltas)
        for name in _PASSED_ON:
            if payload.get(name):
                deltas.append(Meta(name, payload[name]))
        self._groq(members(payload.get("x_groq")), deltas)
        if "choices" not in payload and is_heartbeat(payload):
            deltas.append(Meta("ping", event.data))
        self._fault(payload, deltas, announced=event.type == "error")

    def _groq(self, extension: dict[str, Any], deltas: list[Delta]) -> None:
        """Groq's member: its usage, where there is no other, and its error, the reason why it stopped early."""
        usage = extension.get("usage")
        if usage and not self._own_usage:
            self._usage(usage, deltas)
        self._fault(extension, deltas)

    def _usage(self, usage: Any, deltas: list[Delta]) -> bool:
        """Add the counts in `usage`; False when there are none."""
        if type(usage) is not dict:
            deltas.append(Malformed(f"usage: expected an object, got {kind_of(usage)}"))
            return False
        counts = usage_in(usage)
        deltas += counts
        return bool(counts)

    @classmethod
    def prepare(
        cls, base_url: str, model: str, messages: Sequence[Message], params: Mapping[str, Any]
    ) -> Prepared:
        """POST to ``{base_url}/chat/completions``; a query in `base_url` (Azure's api-version) stays where it belongs.

        `params` are those of `PARAMS`, where None means "not sent", and "extra": a mapping merged into the body
        last, whose values replace what is there and whose None removes it. Raises `UsageError` on any other name.
        """
        body: dict[str, Any] = {
            "model": model,
            "messages": turns(messages),
            "stream": True,
            # Without it most servers send no token counts, and speed could only be guessed from the number of chunks.
            "stream_options": {"include_usage": True},
            **mapped(params, _NAMES, cls.name),
        }
        return post(endpoint(base_url, "chat/completions"), body, params)


def _content(content: Any, index: int, deltas: list[Delta]) -> None:
    if isinstance(content, str):
        deltas.append(Text(content, index))
    elif isinstance(content, list):
        deltas += [kind(text, index) for kind, text in pieces_of(content)]
    else:
        deltas.append(Malformed(f"content: expected a string or an array, got {kind_of(content)}"))


def _progress(progress: Any, deltas: list[Delta]) -> None:
    """llama.cpp's ``prompt_progress``."""
    done, total = count(members(progress).get("processed")), count(members(progress).get("total"))
    if done is not None and total is not None:
        deltas.append(Progress(done, total))
