"""Reading a response whose dialect nobody named: detect it from the first events, then read as that dialect.

`Detecting` does so for event streams, `DetectingLines` for JSON lines. Neither knows which dialects there are: the
registry, which imports them all, hands in `readers` and the `line_reader`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from sse_tui.dialects import provenance
from sse_tui.dialects.base import Delta, Dialect, Meta, StreamFault
from sse_tui.dialects.detect import (
    NO_FINGERPRINT,
    Detection,
    by_event,
    by_headers,
    by_request,
    detect,
    detection,
)
from sse_tui.dialects.fingerprints import clue_of
from sse_tui.dialects.generic import Generic
from sse_tui.dialects.line_dialects import NAME as NOT_SSE
from sse_tui.dialects.line_dialects import SPACE, GenericLines, LineDialect, looks_like_lines
from sse_tui.dialects.provenance import Headers, Provider
from sse_tui.eventstream.items import Event

_PATIENCE = 16  # events without a fingerprint after which a stream is taken to be generic


class Delegating(Dialect):
    """Lets another dialect read, and passes for it."""

    @property
    def chosen(self) -> Dialect:
        """The dialect that reads."""
        return self._chosen

    def _choose(self, dialect: Dialect) -> None:
        self._chosen = dialect
        self.name, self.answers = dialect.name, dialect.answers

    @property
    def recognised(self) -> bool:
        """Always: the events themselves show the dialect."""
        return True

    @property
    def ended(self) -> bool:
        """Whether the dialect that reads has seen its end marker."""
        return self._chosen.ended

    @property
    def complete(self) -> bool | None:
        """Whether the response is whole by the dialect that reads."""
        return self._chosen.complete


class Detecting(Delegating):
    """Detects the dialect of one response and then reads as that dialect.

    `detection` is the result so far, `chosen` the dialect that reads, `name` is that one's name, and `provider` a guess
    at who sent the stream. Until a fingerprint is found, events are read as generic ones; no answer's text can be
    lost in them, since any event with text in it would have had a fingerprint.

    A body of JSON objects on lines, which the standard ignores, is read as JSON lines until the first event shows
    that it is an event stream after all.
    """

    name = "auto"
    readers: ClassVar[Mapping[str, type[Dialect]]]
    line_reader: ClassVar[type[DetectingLines]]

    def __init__(self) -> None:
        self.detection = Detection(Generic.name, NO_FINGERPRINT)
        self.decided = False
        self.provider: Provider | None = None
        self._seen: list[tuple[Event, Sequence[Delta]]] = []  # with what the generic reader gave for each
        self._lines: DetectingLines | None = None
        self._choose(Generic())

    def request_seen(self, headers: Headers, body: str) -> None:
        """Take the request. It shows the dialect where the stream may end before any of its events does."""
        found = by_request(headers, body)
        if found is not None:
            self._decide(found)

    def headers_seen(self, headers: Headers) -> None:
        """Take the response headers. They may show the dialect, and more often the provider."""
        self._guess(provenance.of_headers(headers))
        found = by_headers(headers)
        if found is not None:
            self._decide(found)

    def comment_seen(self, text: str) -> None:
        """Take a comment: a heartbeat may show the provider."""
        if self.provider is None:
            self._guess(provenance.of_comment(text))

    def _guess(self, provider: Provider | None) -> None:
        if provider is not None and self.provider is None:
            self.provider = provider
            self.detection = self.detection._replace(provider=provider.name)

    def read(self, event: Event) -> Sequence[Delta]:
        """The deltas of the event in the dialect found, this event included in the evidence.

        What earlier events meant in that dialect comes with the event that identifies it.
        """
        if self._lines is not None:
            self._choose(Generic())
            self.detection = Detection(Generic.name, NO_FINGERPRINT, self.detection.provider)
            self.decided = False
            self._lines = None
        if self.decided:
            self.reader = self._chosen
            return self._chosen.read(event)
        clue = clue_of(event)
        found = by_event(clue)
        if found is not None:
            self._guess(provenance.of_payload(clue.data))
            late = self._decide(found)
            return [*late, *self._chosen.read(event)]
        deltas = self._chosen.read(event)
        self._seen.append((event, deltas))
        self.decided = len(self._seen) >= _PATIENCE
        if self.decided:
            self._seen.clear()
        return deltas

    def read_ignored(self, line: str) -> Sequence[Delta]:
        """The meaning of a line that the standard ignores: JSON lines, when nothing else has come."""
        if not self.decided and not self._seen and looks_like_lines(line):
            self.decided = True
            self._lines = self.line_reader()
        if self._lines is None:
            return self._chosen.read_ignored(line)
        deltas = self._lines.read_ignored(line)
        self._choose(self._lines)  # again: its name is that of the dialect that it has found by now
        self.detection = Detection(self.name, f"{NOT_SSE}: {self._lines.reason}", self.detection.provider)
        return deltas

    def _decide(self, found: tuple[str, str]) -> list[Delta]:
        if self.decided:
            return []
        self.decided = True
        self.detection = detection(*found, self.readers, self.provider)
        late: list[Delta] = []
        if self.detection.name != Generic.name:
            self._choose(self.readers[self.detection.name]())
            for earlier, given in self._seen:
                given_types = {type(delta) for delta in given}
                for delta in self._chosen.read(earlier):
                    known = StreamFault in given_types if isinstance(delta, StreamFault) else _passes(delta)
                    if not known:
                        late.append(delta)
        self._seen.clear()
        return late

    @classmethod
    def prompt_of(cls, body: str) -> str | None:
        """The prompt found by the first dialect that finds one: their requests differ enough to be told apart."""
        found = (dialect.prompt_of(body) for dialect in cls.readers.values())
        return next((prompt for prompt in found if prompt is not None), None)


def _passes(delta: Delta) -> bool:
    """Whether the delta counts only when its event comes; the generic reader gave it then."""
    return isinstance(delta, Meta) and delta.name in ("done", "ping")


class DetectingLines(Delegating, LineDialect):
    """Detects from its lines what a body of JSON lines is, and reads it as that.

    `chosen` reads, `name` is its name, `reason` says in words what it was recognised by. Lines that hold the payloads
    of an event stream's dialect (Cohere's first API, chunks without ``data:``) are read in that dialect.
    """

    name = "ndjson"
    readers: ClassVar[Mapping[str, type[Dialect]]]

    def __init__(self) -> None:
        self.reason = NO_FINGERPRINT
        self._choose(GenericLines())

    def read_ignored(self, line: str) -> Sequence[Delta]:
        """The meaning of one line, this line included in the evidence."""
        event = Event("message", line.strip(SPACE), "", 0, 0)
        if self.reason == NO_FINGERPRINT and event.data:
            found = detect((), (event,), self.readers)
            if found.reason != NO_FINGERPRINT:
                self.reason = found.reason
                self._choose(self.readers[found.name]())
        if self._chosen.line_based:
            return self._chosen.read_ignored(line)
        return self._chosen.read(event) if event.data else ()
