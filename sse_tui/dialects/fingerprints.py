"""The table of fingerprints: by what in one event its dialect is recognised.

The first one that matches wins, so narrower ones come before wider ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from sse_tui.dialects.payload import JsonError, decode, members
from sse_tui.dialects.providers.bedrock.bedrock_faults import EXCEPTIONS
from sse_tui.dialects.providers.cohere import is_whole_message
from sse_tui.dialects.providers.dify import EVENTS as DIFY_EVENTS
from sse_tui.dialects.providers.gemini.gemini_interactions import PREFIXES as INTERACTION_PREFIXES
from sse_tui.dialects.providers.workers_ai import MEMBERS as WORKERS_AI_MEMBERS
from sse_tui.dialects.wrapped import unwrapped
from sse_tui.eventstream.items import Event


class Clue(NamedTuple):
    """One event, decoded once. `data` is {} when the payload is not an object."""

    type: str
    id: str
    data: dict[str, Any]

    def kind(self) -> str:
        """The payload's own ``type``, by which many dialects name their events."""
        kind = self.data.get("type")
        return kind if isinstance(kind, str) else ""

    def choice(self) -> dict[str, Any]:
        """The first of the payload's choices."""
        return self.first("choices")

    def first(self, name: str) -> dict[str, Any]:
        """The first object of the list `name`."""
        found = self.data.get(name)
        return members(found[0]) if isinstance(found, list) and found else {}


def clue_of(event: Event) -> Clue:
    """What there is in an event to recognise its dialect by."""
    try:
        decoded = decode(event.data)
    except JsonError:
        decoded = None
    if isinstance(decoded, list) and decoded:  # a batch of JSON-RPC messages
        first = members(decoded[0])
        decoded = first if "jsonrpc" in first else None
    return Clue(event.type, event.id, members(decoded))


class Fingerprint(NamedTuple):
    """What gives a dialect away in one event; `reason` says it in words for the user."""

    dialect: str
    reason: str
    matches: Callable[[Clue], bool]


def _starts(prefix: str) -> Callable[[Clue], bool]:
    return lambda clue: clue.type.startswith(prefix) or clue.kind().startswith(prefix)


def _is(*names: str) -> Callable[[Clue], bool]:
    return lambda clue: clue.type in names or clue.kind() in names


def _has(name: str) -> Callable[[Clue], bool]:
    return lambda clue: name in clue.data


def _anthropic_message(clue: Clue) -> bool:
    whole = clue.kind() == "message" and clue.data.get("role") == "assistant"
    return whole and isinstance(clue.data.get("content"), list)


def _responses_error(clue: Clue) -> bool:
    return clue.kind() == "error" and "sequence_number" in clue.data


def _vercel(clue: Clue) -> bool:
    kind = clue.kind()
    if kind == "start":
        return "messageId" in clue.data or "messageMetadata" in clue.data
    return kind in ("start-step", "text-start", "reasoning-start", "tool-input-start") or (
        kind in ("text-delta", "reasoning-delta") and isinstance(clue.data.get("delta"), str)
    )


def _gemini(clue: Clue) -> bool:
    data = clue.data
    if "candidates" not in data and isinstance(data.get("response"), dict):
        data = data["response"]
    return isinstance(data.get("candidates"), list)


def _gemini_facts(clue: Clue) -> bool:
    return "promptFeedback" in clue.data or {"usageMetadata", "modelVersion"} <= clue.data.keys()


def _bedrock(clue: Clue) -> bool:
    data = clue.data
    if clue.type in (*_CONVERSE, *EXCEPTIONS) or (
        "stopReason" in data and "message" in members(data.get("output"))
    ):
        return True
    return any(isinstance(data.get(name), dict) for name in (*_CONVERSE, *EXCEPTIONS))


def _bedrock_chunk(clue: Clue) -> bool:
    return clue.type == "chunk" and isinstance(clue.data.get("bytes"), str)


def _cohere_v1(clue: Clue) -> bool:
    return isinstance(clue.data.get("event_type"), str) and "is_finished" in clue.data


def _tgi(clue: Clue) -> bool:
    return "id" in members(clue.data.get("token")) and "choices" not in clue.data


def _llamacpp(clue: Clue) -> bool:
    return isinstance(clue.data.get("stop"), bool) and isinstance(clue.data.get("content"), str)


_CONVERSE = ("messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop")
_GRAPH = ("values", "updates", "messages/partial", "messages/complete", "messages/metadata")


def _langgraph(clue: Clue) -> bool:
    mode = clue.type.partition("|")[0]
    return mode in _GRAPH or (mode == "metadata" and "run_id" in clue.data)


def _wikimedia(clue: Clue) -> bool:
    if clue.id.startswith('[{"topic"'):
        return True
    return {"stream", "domain"} <= members(clue.data.get("meta")).keys()


def _ollama(clue: Clue) -> bool:
    data = clue.data
    return (
        isinstance(data.get("done"), bool) and "model" in data and ("message" in data or "response" in data)
    )


def _kubernetes(clue: Clue) -> bool:
    watch = clue.kind() in ("ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR")
    return watch and isinstance(clue.data.get("object"), dict)


def _dify(clue: Clue) -> bool:
    kind = clue.data.get("event")
    if not isinstance(kind, str) or kind not in DIFY_EVENTS:
        return False
    known = ("task_id", "message_id", "conversation_id", "workflow_run_id", "answer")
    return any(name in clue.data for name in known) or (kind == "text_chunk" and "data" in clue.data)


def _interactions(clue: Clue) -> bool:
    kind = clue.data.get("event_type")
    return isinstance(kind, str) and kind.startswith(INTERACTION_PREFIXES)


def _workers_ai(clue: Clue) -> bool:
    return isinstance(clue.data.get("response"), str) and clue.data.keys() <= WORKERS_AI_MEMBERS


def _replicate(clue: Clue) -> bool:
    return clue.type == "output" and (not clue.data or re.fullmatch(r"\d+:\d+", clue.id) is not None)


def _chat(clue: Clue) -> bool:
    kind = clue.data.get("object")
    # Baidu's first API names all of its events so; those with text have the member that `unwrapped` reads.
    own = "result" not in clue.data or "is_end" in clue.data
    if kind == "chat.completion.chunk" or (kind == "chat.completion" and own):
        return True
    if not {"delta", "message"}.isdisjoint(clue.choice()):
        return True
    return "choices" in clue.data and not clue.data["choices"] and "prompt" not in clue.data


def _wrapped_chat(clue: Clue) -> bool:
    inner, wrapper = unwrapped(clue.data)
    return bool(wrapper) and _chat(clue._replace(data=inner))


def _completions(clue: Clue) -> bool:
    return clue.data.get("object") == "text_completion" or "text" in clue.choice()


FINGERPRINTS: tuple[Fingerprint, ...] = (
    Fingerprint(
        "anthropic-messages",
        "Anthropic's message_start or content_block events",
        _is("message_start", "content_block_start", "content_block_delta", "message_delta"),
    ),
    Fingerprint("anthropic-messages", "a whole message of Anthropic's API", _anthropic_message),
    Fingerprint("openai-responses", "events named response.*", _starts("response.")),
    Fingerprint("openai-responses", "an error with a sequence_number", _responses_error),
    Fingerprint(
        "openai-responses",
        "a whole object of the Responses API",
        lambda clue: clue.data.get("object") == "response" and isinstance(clue.data.get("output"), list),
    ),
    Fingerprint("mcp", "an endpoint event, MCP's older transport", lambda clue: clue.type == "endpoint"),
    Fingerprint("mcp", "JSON-RPC messages", lambda clue: clue.data.get("jsonrpc") == "2.0"),
    Fingerprint("vercel-ui", "Vercel's UI message parts", _vercel),
    Fingerprint("openai-chat", "Groq's x_groq member", _has("x_groq")),
    Fingerprint("gemini-interactions", "an event_type of Google's Interactions API", _interactions),
    Fingerprint("dify", "Dify's event member", _dify),
    Fingerprint("gemini", "a candidates member", _gemini),
    Fingerprint("gemini", "Gemini's promptFeedback, or its usageMetadata and modelVersion", _gemini_facts),
    Fingerprint(
        "cohere-v2",
        "Cohere's message-start or content-delta",
        _is("message-start", "content-start", "content-delta", "tool-plan-delta", "tool-call-start"),
    ),
    Fingerprint("cohere-v2", "event_type and is_finished, Cohere's first API", _cohere_v1),
    Fingerprint("bedrock-invoke", "chunk events with bytes, as Bedrock's InvokeModel sends", _bedrock_chunk),
    Fingerprint("bedrock-converse", "Bedrock's messageStart, contentBlockDelta or an exception", _bedrock),
    Fingerprint("cohere-v2", "a whole message of Cohere's API", lambda clue: is_whole_message(clue.data)),
    Fingerprint("lmstudio", "a chat.start event", _is("chat.start")),
    Fingerprint(
        "mistral-conversations",
        "Mistral's conversation events",
        _is("conversation.response.started", "message.output.delta", "function.call.delta"),
    ),
    Fingerprint(
        "openai-completions", "text_completion payloads", lambda c: c.data.get("object") == "text_completion"
    ),
    Fingerprint("openai-chat", "Azure's prompt_filter_results", _has("prompt_filter_results")),
    Fingerprint("tgi", "a token member with an id", _tgi),
    Fingerprint(
        "tgi", "a generated_text at the top", lambda clue: isinstance(clue.data.get("generated_text"), str)
    ),
    Fingerprint("llamacpp-native", "top-level members stop and content", _llamacpp),
    Fingerprint("langgraph", "a metadata, values, updates or messages event", _langgraph),
    Fingerprint("openai-assistants", "events named thread.*", _starts("thread.")),
    Fingerprint("openai-transcription", "payloads of type transcript.text.*", _starts("transcript.text.")),
    Fingerprint(
        "openai-chat",
        "chat.completion.chunk payloads with llama.cpp's timings",
        lambda clue: _chat(clue) and "timings" in clue.data,
    ),
    Fingerprint("openai-chat", "chat.completion.chunk payloads", _chat),
    Fingerprint("openai-completions", "text_completion payloads", _completions),
    Fingerprint("openai-chat", "chat.completion.chunk payloads nested in another object", _wrapped_chat),
    Fingerprint("ollama", "Ollama's members model, message and done", _ollama),
    Fingerprint("kubernetes-watch", "members type and object, as in a Kubernetes watch", _kubernetes),
    Fingerprint(
        "watsonx", "results with generated_text", lambda clue: "generated_text" in clue.first("results")
    ),
    Fingerprint("workers-ai", "Workers AI's response member", _workers_ai),
    Fingerprint("replicate", "output events with plain text", _replicate),
    Fingerprint("wikimedia", "ids with topics and offsets, or Wikimedia's meta member", _wikimedia),
    Fingerprint(
        "mercure", "urn:uuid ids, as Mercure hubs assign them", lambda c: c.id.startswith("urn:uuid:")
    ),
    Fingerprint(
        "writer-completions",
        "payloads with a value member and nothing else",
        lambda clue: clue.data.keys() == {"value"} and isinstance(clue.data["value"], str),
    ),
    Fingerprint("langgraph", "data events, as LangServe sends", lambda clue: clue.type == "data"),
)
