"""What a payload means: one `Dialect` reads the events of one response and gives deltas.

A dialect is a small state machine for one response. It never raises on what a server sent: a payload it does not
know gives no deltas, a payload that breaks its rules gives a `Malformed`, and reading continues. Its state can be
pickled and stays small: the wire log saves it again and again, so it must not hold the answer's text.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

from sse_tui.dialects.provenance import Provider
from sse_tui.eventstream.items import Event


class Text(NamedTuple):
    """A piece of the visible answer of choice `index`; `part` orders the blocks of one choice."""

    text: str
    index: int = 0  # type: ignore[assignment]
    part: int = 0


class Reasoning(NamedTuple):
    """A piece of the model's reasoning of choice `index`; `part` orders the blocks of one choice."""

    text: str
    index: int = 0  # type: ignore[assignment]
    part: int = 0


class Refusal(NamedTuple):
    """A piece of a refusal of choice `index`; `part` orders the blocks of one choice."""

    text: str
    index: int = 0  # type: ignore[assignment]
    part: int = 0


class ToolCall(NamedTuple):
    """A piece of a tool call: `slot` numbers the calls of one response in order of first appearance.

    `id` and `name` are None where this piece does not have them; `arguments` is the fragment, "" for none.
    """

    slot: int
    id: str | None
    name: str | None
    arguments: str
    index: int = 0  # type: ignore[assignment]


class Usage(NamedTuple):
    """Token counts as reported, None where not reported."""

    input: int | None
    output: int | None
    reasoning: int | None = None
    cached: int | None = None


class Finish(NamedTuple):
    """Why a choice ended, as the server spelled it."""

    reason: str
    index: int = 0  # type: ignore[assignment]


class StreamFault(NamedTuple):
    """An error reported inside the stream. Fields the stream did not give are None."""

    type: str | None
    code: str | int | None
    message: str | None


class Progress(NamedTuple):
    """Prompt processing: `done` of `total` tokens."""

    done: int
    total: int


class Meta(NamedTuple):
    """Anything else worth showing.

    Names in use: "model", "id", "provider", "role"; "done" (the sentinel), "after-end" (data after it),
    "ping" (a heartbeat sent as an event); "timings", "perf_metrics", "x_groq", "sglext" (the server's own
    numbers); "prompt_filter_results", "executed_tools"; "server_tool_call", "tool_plan",
    "final_text", "incomplete_reason", "jsonrpc" (see `Answer`); "server_tool_result", "tool_status", "code",
    "citation", "signature", "redacted_thinking", "compaction", "fallback", "grounding", "safety", "blocked",
    "file", "data" (beside the text); "tag", "reasoning-tag", "reasoning-before", "control-token" (see
    `sse_tui.dialects.markup`); "audio" (of a piece of sound its size or type), "whole-object", "wrapped",
    "repeated", "prefilled", "late-delta", "final-text", "final-arguments" (see `sse_tui.diagnosis.rules`);
    "index-counts" (see `Answer`); "sequence-gap" (``(expected, got)``); "out-of-order" (in words); "split-surrogates",
    "lone-surrogates" (see `sse_tui.dialects.surrogates`); "endpoint", "progress", "log", "watch" (protocols that are
    not answers of a model).
    """

    name: str
    value: Any


class Malformed(NamedTuple):
    """The payload breaks its dialect: `reason` says how.

    `kind` is "json" where the data is not JSON at all and "shape" where it is, but not what the dialect
    expects.
    """

    reason: str
    kind: str = "shape"


Delta: TypeAlias = (
    Text | Reasoning | Refusal | ToolCall | Usage | Finish | StreamFault | Progress | Meta | Malformed
)


class Message(NamedTuple):
    """One message of a conversation: `role` is "system", "user" or "assistant"."""

    role: str
    content: str


class Prepared(NamedTuple):
    """A request ready to send; `headers` are only those that the dialect itself needs."""

    method: str
    url: str
    headers: list[tuple[str, str]]
    body: bytes


class Auth(NamedTuple):
    """How a key is sent: in the header `header`, after the word `scheme` where there is one."""

    header: str
    scheme: str = ""

    def value(self, key: str) -> str:
        """The header's value for `key`."""
        return f"{self.scheme} {key}" if self.scheme else key


BEARER = Auth("Authorization", "Bearer")

Resume: TypeAlias = Literal["none", "last-event-id", "get", "starting-after", "byte-offset"]


class Dialect(ABC):
    """Reads one response. `name` is what ``--dialect`` and profiles call it.

    `sentinel` says what OpenAI's ``[DONE]`` means: it "ends" the stream, it "follows" the end that the payloads mark,
    or it is not part of the dialect ("") and proves nothing. An answer of a `silent` dialect may rightly be empty.
    `auth` is how the provider takes its key, `resume` how its streams can be resumed, if at all; "get" is by GET with
    the last event ID, whatever method the stream began with. Bodies of `line_based` dialects are JSON lines, not event
    streams: see `sse_tui.dialects.line_dialects`. `reasoning_apart`: the output that its usage counts does not include
    the reasoning. `json_due`: the data of every event is JSON, so that plain text in its place is none of the answer.
    Where `answers` is false the events are not pieces of a model's answer, so that showing only its text would show
    nothing.
    """

    name: str
    auth: ClassVar[Auth] = BEARER
    resume: ClassVar[Resume] = "none"
    line_based: ClassVar[bool] = False
    sentinel: ClassVar[Literal["ends", "follows", ""]] = ""
    silent: ClassVar[bool] = False
    reasoning_apart: ClassVar[bool] = False
    answers: bool = True
    json_due: bool = False
    provider: Provider | None = None  # who sends the stream, where that was looked for and shows

    # The state that all share: whether the end marker has come, whether an error was reported, whether the answer is
    # whole even if nothing follows. Kept in the class until it changes, so that a pickled state stays small.
    _ended: bool = False
    _failed: bool = False
    _finished: bool = False
    # False where the end of a whole response looks like that of a truncated one.
    _marks_end: bool = True

    markup: Any = None
    """What `sse_tui.dialects.markup` keeps of the response: here, since it is part of the state between two events."""

    reader: Dialect | None = None
    """The dialect that reads in this one's place, once that cannot change any more; None where this one reads."""

    @property
    def chosen(self) -> Dialect:
        """The dialect that reads: this one, unless it only detects which one should."""
        return self

    def again(self) -> Dialect:
        """A reader for the same response that has read nothing yet."""
        return type(self)()

    def request_seen(self, headers: Sequence[tuple[str, str]], body: str) -> None:  # noqa: B027 - most have no use for it
        """Take the request, before its response."""

    def headers_seen(self, headers: Sequence[tuple[str, str]]) -> None:  # noqa: B027 - most have no use for it
        """Take the headers of the response, before its events."""

    def comment_seen(self, text: str) -> None:  # noqa: B027 - most have no use for it
        """Take a comment of the stream."""

    @abstractmethod
    def read(self, event: Event) -> Sequence[Delta]:
        """The meaning of one dispatched event. Never raises."""

    def read_ignored(self, line: str) -> Sequence[Delta]:
        """The meaning of a line that the standard ignores, for bodies that are not event streams. Never raises."""
        return ()

    @property
    def recognised(self) -> bool:
        """Whether some event had the dialect's shape, even if it meant nothing; always where it was detected."""
        return False

    @property
    def waiting_halves(self) -> int:
        """Halves of characters that wait for the other half, so that the text does not have them yet."""
        return 0

    @property
    def ended(self) -> bool:
        """True once the stream's own end marker has come (for OpenAI: ``[DONE]``); the mark of another dialect is none.

        A reader must stop there and must not reconnect.
        """
        return self._ended

    @property
    def complete(self) -> bool | None:
        """Whether the response would be whole if its body ended now; None when the dialect cannot tell."""
        if self._ended or self._failed or self._finished:
            return not self._failed
        return False if self._marks_end else None

    @classmethod
    def prepare(
        cls, base_url: str, model: str, messages: Sequence[Message], params: Mapping[str, Any]
    ) -> Prepared:
        """The streaming request for a conversation. Raises `UsageError` for a dialect that cannot send."""
        from sse_tui.errors import UsageError

        raise UsageError(
            "dialect-cannot-send",
            f"sse-tui can read the dialect {cls.name} but cannot send chat requests in it.",
            "Set dialect in the profile to one that can, for example openai-chat.",
        )

    @classmethod
    def prompt_of(cls, body: str) -> str | None:
        """The user's last prompt in a recorded request body, for showing it; None when there is none to be found."""
        return None
