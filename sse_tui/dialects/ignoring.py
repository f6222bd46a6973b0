"""Leaves placeholders out of an answer: content that a server sends while it has none, such as "Thinking..."."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from sse_tui.dialects.base import Delta, Dialect, Meta, Reasoning, Text
from sse_tui.eventstream.items import Event


class Ignoring(Dialect):
    """Reads as `inner` does, but a piece of text that one of `ignored` matches as a whole becomes a heartbeat.

    White space around the piece does not count, and * in a pattern matches anything.
    """

    def __init__(self, inner: Dialect, ignored: Sequence[str]) -> None:
        self._inner = inner
        self._ignored = tuple(pattern.strip() for pattern in ignored)
        self._follow()

    def _follow(self) -> None:
        """What is found out about a stream while it is read holds for this reader too."""
        self.name, self.answers, self.provider = self._inner.name, self._inner.answers, self._inner.provider

    def again(self) -> Dialect:
        """A reader for the same response that has read nothing yet."""
        return Ignoring(self._inner.again(), self._ignored)

    @property
    def chosen(self) -> Dialect:
        """The dialect that reads."""
        return self._inner.chosen

    @property
    def recognised(self) -> bool:
        """Whether some event had the shape of the dialect that reads."""
        return self._inner.recognised

    @property
    def ended(self) -> bool:
        """Whether the dialect that reads has seen its end marker."""
        return self._inner.ended

    @property
    def complete(self) -> bool | None:
        """Whether the response is whole by the dialect that reads."""
        return self._inner.complete

    def request_seen(self, headers: Sequence[tuple[str, str]], body: str) -> None:
        """Take the request, before its response."""
        self._inner.request_seen(headers, body)
        self._follow()

    def headers_seen(self, headers: Sequence[tuple[str, str]]) -> None:
        """Take the headers of the response, before its events."""
        self._inner.headers_seen(headers)
        self._follow()

    def comment_seen(self, text: str) -> None:
        """Take a comment of the stream."""
        self._inner.comment_seen(text)
        self._follow()

    def read(self, event: Event) -> Sequence[Delta]:
        """The deltas of one event, without the placeholders."""
        deltas = self._inner.read(event)
        self._follow()
        return self._without(deltas)

    def read_ignored(self, line: str) -> Sequence[Delta]:
        """The deltas of a line, without the placeholders."""
        deltas = self._inner.read_ignored(line)
        self._follow()
        return self._without(deltas)

    def _without(self, deltas: Sequence[Delta]) -> Sequence[Delta]:
        return [
            Meta("ping", delta.text)
            if isinstance(delta, Text | Reasoning) and self._matches(delta.text)
            else delta
            for delta in deltas
        ]

    def _matches(self, text: str) -> bool:
        piece = text.strip()
        return any(fnmatchcase(piece, pattern) for pattern in self._ignored)
