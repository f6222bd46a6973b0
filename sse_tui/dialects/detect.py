"""Telling the dialect of a stream from its response headers and first events.

A table of fingerprints, the first that matches wins. It also knows shapes that have no reader yet: those are
read as generic, and the reason says what they look like.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sse_tui.dialects.base import Delta, Dialect, Malformed
from sse_tui.dialects.generic import Generic
from sse_tui.dialects.payload import JsonError, decode, members
from sse_tui.eventstream.items import Event

_PATIENCE = 16  # events without a fingerprint after which a stream is taken to be generic

Headers = Sequence[tuple[str, str]]


class Detection(NamedTuple):
    """The dialect to read with, and why, in words for the user."""

    name: str
    reason: str


NO_FINGERPRINT = "no known fingerprint"


class _Clue(NamedTuple):
    """One event, decoded once. `data` is {} when the payload is no object."""

    type: str
    data: dict[str, Any]

    def kind(self) -> str:
        """The payload's own ``type``, by which many dialects name their events."""
        kind = self.data.get("type")
        return kind if isinstance(kind, str) else ""

    def choice(self) -> dict[str, Any]:
        choices = self.data.get("choices")
        return members(choices[0]) if isinstance(choices, list) and choices else {}


class _Rule(NamedTuple):
    dialect: str
    reason: str
    matches: Callable[[_Clue], bool]


def _starts(prefix: str) -> Callable[[_Clue], bool]:
    return lambda clue: clue.type.startswith(prefix) or clue.kind().startswith(prefix)


def _is(*names: str) -> Callable[[_Clue], bool]:
    return lambda clue: clue.type in names or clue.kind() in names


def _llamacpp(clue: _Clue) -> bool:
    return isinstance(clue.data.get("stop"), bool) and isinstance(clue.data.get("content"), str)


def _chat(clue: _Clue) -> bool:
    if clue.data.get("object") == "chat.completion.chunk" or "delta" in clue.choice():
        return True
    return "choices" in clue.data and not clue.data["choices"] and "prompt" not in clue.data


def _completions(clue: _Clue) -> bool:
    return clue.data.get("object") == "text_completion" or "text" in clue.choice()


_RULES: tuple[_Rule, ...] = (
    _Rule(
        "anthropic-messages",
        "Anthropic's message_start or content_block events",
        _is("message_start", "content_block_start", "content_block_delta", "message_delta"),
    ),
    _Rule("openai-responses", "events named response.*", _starts("response.")),
    _Rule("mcp", "an endpoint event, MCP's older transport", lambda clue: clue.type == "endpoint"),
    _Rule("mcp", "JSON-RPC messages", lambda clue: clue.data.get("jsonrpc") == "2.0"),
    _Rule("vercel-ui", "Vercel's UI message parts", _is("start-step", "text-start", "text-delta")),
    _Rule("openai-chat", "Groq's x_groq member", lambda clue: "x_groq" in clue.data),
    _Rule("gemini", "a candidates member", lambda clue: isinstance(clue.data.get("candidates"), list)),
    _Rule(
        "cohere-v2",
        "Cohere's message-start or content-delta",
        _is("message-start", "content-start", "content-delta"),
    ),
    _Rule("lmstudio", "a chat.start event", _is("chat.start")),
    _Rule("openai-chat", "Azure's prompt_filter_results", lambda clue: "prompt_filter_results" in clue.data),
    _Rule(
        "tgi",
        "a token member with an id",
        lambda clue: "id" in members(clue.data.get("token")) and "choices" not in clue.data,
    ),
    _Rule("llamacpp-native", "stop and content at the top of the payload", _llamacpp),
    _Rule(
        "langgraph",
        "a metadata, values or updates event",
        lambda clue: clue.type in ("metadata", "values", "updates"),
    ),
    _Rule("openai-assistants", "events named thread.*", _starts("thread.")),
    _Rule("openai-transcription", "payloads of type transcript.text.*", _starts("transcript.text.")),
    _Rule("openai-chat", "chat.completion.chunk payloads", _chat),
    _Rule("openai-completions", "text_completion payloads", _completions),
)


def _clue(event: Event) -> _Clue:
    try:
        return _Clue(event.type, members(decode(event.data)))
    except JsonError:
        return _Clue(event.type, {})


def detect(headers: Headers, events: Iterable[Event], readers: Iterable[str] | None = None) -> Detection:
    """The dialect that the headers and the events point to, in this order.

    `readers` names the dialects that can be read; a fingerprint of any other gives "generic", its reason
    saying what it is. Nothing recognised gives ``Detection("generic", NO_FINGERPRINT)``: more events may
    tell.
    """
    known = set(_readers() if readers is None else readers)
    for name, _ in headers:
        if name.lower() == "x-vercel-ai-ui-message-stream":
            return _found("vercel-ui", "the header x-vercel-ai-ui-message-stream", known)
    for event in events:
        clue = _clue(event)
        for rule in _RULES:
            if rule.matches(clue):
                return _found(rule.dialect, rule.reason, known)
    return Detection(Generic.name, NO_FINGERPRINT)


def _found(dialect: str, reason: str, known: set[str]) -> Detection:
    if dialect in known:
        return Detection(dialect, reason)
    return Detection(Generic.name, f"{reason}: looks like {dialect}, which has no reader")


def _readers() -> Mapping[str, type[Dialect]]:
    from sse_tui.dialects import READERS

    return READERS


class Auto(Dialect):
    """Detects the dialect of one response and then reads as that dialect.

    `detection` says what was found so far, `chosen` is the dialect that reads, `name` is that one's name.
    Until a fingerprint is found events are read as generic ones; no fingerprint can hide in them, since
    anything with text in it would have been one.
    """

    name = "auto"

    def __init__(self) -> None:
        self.detection = Detection(Generic.name, NO_FINGERPRINT)
        self.chosen: Dialect = Generic()
        self.name = self.chosen.name
        self.decided = False
        self._seen: list[Event] = []

    def headers_seen(self, headers: Headers) -> None:
        """Take the response headers; before the first event they may tell the dialect."""
        self._decide(detect(headers, ()))

    def read(self, event: Event) -> Sequence[Delta]:
        """The deltas of the event in the dialect found, this event included in the evidence.

        What earlier events turn out to have broken in that dialect comes with the event that tells it.
        """
        if self.decided:
            return self.chosen.read(event)
        late = self._decide(detect((), (event,)))
        if not self.decided:
            self._seen.append(event)
            self.decided = len(self._seen) >= _PATIENCE
        return [*late, *self.chosen.read(event)]

    def _decide(self, detection: Detection) -> list[Delta]:
        late: list[Delta] = []
        if self.decided or detection.reason == NO_FINGERPRINT:
            return late
        self.decided = True
        self.detection = detection
        if detection.name != Generic.name:
            self.chosen = _readers()[detection.name]()
            self.name = self.chosen.name
            for earlier in self._seen:  # for its state; the rest of what they meant has been told as generic
                late += [delta for delta in self.chosen.read(earlier) if isinstance(delta, Malformed)]
        self._seen.clear()
        return late

    @property
    def ended(self) -> bool:
        """As the dialect found says."""
        return self.chosen.ended

    @property
    def complete(self) -> bool | None:
        """As the dialect found says."""
        return self.chosen.complete
