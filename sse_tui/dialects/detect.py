"""Telling the dialect of a stream from its response headers and first events, and who sent it.

The table of fingerprints is in `fingerprints`, the first that matches wins; `provenance` knows members, headers
and comments that only one provider has. What is found here is only ever a proposal: a dialect that the user
names is read without asking.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sse_tui.dialects import provenance
from sse_tui.dialects.base import Delta, Dialect, Meta, StreamFault
from sse_tui.dialects.fingerprints import RULES, Clue, clue_of
from sse_tui.dialects.generic import Generic
from sse_tui.dialects.line_dialects import NAME as NOT_SSE
from sse_tui.dialects.line_dialects import AutoLines, looks_like_lines
from sse_tui.dialects.provenance import Headers, Provider
from sse_tui.eventstream.items import Event

_PATIENCE = 16  # events without a fingerprint after which a stream is taken to be generic


class Detection(NamedTuple):
    """The dialect to read with, and why, in words for the user; `provider` is a guess at who sent it."""

    name: str
    reason: str
    provider: str | None = None


NO_FINGERPRINT = "no known fingerprint"

# Providers whose streams are chat completions, unless their events say something else.
_CHAT = frozenset(
    {"openrouter", "groq", "deepseek", "litellm", "fireworks", "mistral", "azure", "nvidia-nim"}
)


def detect(
    headers: Headers,
    events: Iterable[Event],
    readers: Iterable[str] | None = None,
    *,
    comments: Iterable[str] = (),
) -> Detection:
    """The dialect that the headers, the events and the texts of the comments point to.

    `readers` names the dialects that can be read; a fingerprint of any other gives "generic", its reason
    saying what it is. Nothing recognised gives the reason `NO_FINGERPRINT`: more events may tell.
    """
    known = set(_readers() if readers is None else readers)
    guess = provenance.first([provenance.of_headers(headers), *map(provenance.of_comment, comments)])
    found = _by_headers(headers)
    if found is not None:
        return _found(*found, known, guess)
    for event in events:
        clue = clue_of(event)
        found = _by_event(clue)
        if found is not None:
            return _found(*found, known, guess or provenance.of_payload(clue.data))
    if guess is not None and guess.name in _CHAT:
        return _found("openai-chat", guess.reason, known, guess)
    return Detection(Generic.name, NO_FINGERPRINT, guess.name if guess else None)


def _by_headers(headers: Headers) -> tuple[str, str] | None:
    """A dialect and why, where headers alone are enough."""
    for name, value in headers:
        lower = name.lower()
        if lower == "x-vercel-ai-ui-message-stream":
            return "vercel-ui", "the header x-vercel-ai-ui-message-stream"
        if lower == "mcp-session-id":
            return "mcp", "the header mcp-session-id"
        if lower == "link" and 'rel="mercure"' in value.replace("'", '"'):
            return "mercure", "a link header with the relation mercure"
    return None


def _by_event(clue: Clue) -> tuple[str, str] | None:
    return next(((rule.dialect, rule.reason) for rule in RULES if rule.matches(clue)), None)


def _found(dialect: str, reason: str, known: set[str], guess: Provider | None) -> Detection:
    provider = guess.name if guess else None
    if guess is not None and guess.reason != reason:
        reason = f"{reason}; {guess.name} by {guess.reason}"
    if dialect in known:
        return Detection(dialect, reason, provider)
    return Detection(Generic.name, f"{reason}: looks like {dialect}, which has no reader", provider)


def _readers() -> Mapping[str, type[Dialect]]:
    from sse_tui.dialects import READERS

    return READERS


class Auto(Dialect):
    """Detects the dialect of one response and then reads as that dialect.

    `detection` says what was found so far, `chosen` is the dialect that reads, `name` is that one's name, and
    `provider` a guess at who sent it. Until a fingerprint is found events are read as generic ones; no
    fingerprint can hide in them, since anything with text in it would have been one.

    A body of JSON objects on lines, which the standard ignores, is read as such until the first event proves
    that it is an event stream after all.
    """

    name = "auto"

    def __init__(self) -> None:
        self.detection = Detection(Generic.name, NO_FINGERPRINT)
        self.chosen: Dialect = Generic()
        self.name = self.chosen.name
        self.answers = self.chosen.answers
        self.decided = False
        self.provider: Provider | None = None
        self._seen: list[Event] = []
        self._lines = False

    def headers_seen(self, headers: Headers) -> None:
        """Take the response headers. They may tell the dialect, and more often the provider."""
        self._guess(provenance.of_headers(headers))
        found = _by_headers(headers)
        if found is not None:
            self._decide(found)

    def comment_seen(self, text: str) -> None:
        """Take a comment: a heartbeat may tell the provider."""
        if self.provider is None:
            self._guess(provenance.of_comment(text))

    def _guess(self, provider: Provider | None) -> None:
        if provider is not None and self.provider is None:
            self.provider = provider
            self.detection = self.detection._replace(provider=provider.name)

    def read(self, event: Event) -> Sequence[Delta]:
        """The deltas of the event in the dialect found, this event included in the evidence.

        What earlier events turn out to have meant in that dialect comes with the event that tells it.
        """
        if self._lines:
            self._choose(Generic())
            self.detection = Detection(Generic.name, NO_FINGERPRINT, self.detection.provider)
            self.decided = self._lines = False
        if self.decided:
            return self.chosen.read(event)
        clue = clue_of(event)
        found = _by_event(clue)
        late: list[Delta] = []
        if found is not None:
            self._guess(provenance.of_payload(clue.data))
            late = self._decide(found)
        else:
            self._seen.append(event)
            self.decided = len(self._seen) >= _PATIENCE
            if self.decided:
                self._seen.clear()
        return [*late, *self.chosen.read(event)]

    def read_ignored(self, line: str) -> Sequence[Delta]:
        """The meaning of a line that the standard ignores: JSON lines, when nothing else has come."""
        if not self.decided and not self._seen and looks_like_lines(line):
            self.decided = self._lines = True
            self._choose(AutoLines())
        deltas = self.chosen.read_ignored(line)
        if self._lines:
            assert isinstance(self.chosen, AutoLines)
            self._choose(self.chosen)
            reason = f"{NOT_SSE}: {self.chosen.reason}"
            self.detection = Detection(self.name, reason, self.detection.provider)
        return deltas

    def _choose(self, dialect: Dialect) -> None:
        self.chosen = dialect
        self.name, self.answers = dialect.name, dialect.answers

    def _decide(self, found: tuple[str, str]) -> list[Delta]:
        if self.decided:
            return []
        self.decided = True
        self.detection = _found(*found, set(_readers()), self.provider)
        late: list[Delta] = []
        if self.detection.name != Generic.name:
            self._choose(_readers()[self.detection.name]())
            for earlier in self._seen:
                late += [delta for delta in self.chosen.read(earlier) if not _told(delta)]
        self._seen.clear()
        return late

    @classmethod
    def prompt_of(cls, body: str) -> str | None:
        """The prompt as the first dialect finds it that finds any: their requests differ enough to tell."""
        found = (dialect.prompt_of(body) for dialect in _readers().values())
        return next((prompt for prompt in found if prompt is not None), None)

    @property
    def ended(self) -> bool:
        """As the dialect found says."""
        return self.chosen.ended

    @property
    def complete(self) -> bool | None:
        """As the dialect found says."""
        return self.chosen.complete


def _told(delta: Delta) -> bool:
    """Whether the generic reader has told as much already."""
    return isinstance(delta, StreamFault) or (isinstance(delta, Meta) and delta.name in ("done", "ping"))
