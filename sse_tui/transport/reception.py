"""What the driver itself must know of the stream it receives, over all connections of a turn."""

from __future__ import annotations

from collections.abc import Sequence

from sse_tui.dialects.base import Delta, Dialect, StreamFault
from sse_tui.eventstream import Comment, Event, EventTooLarge, Ignored, Item, Parser
from sse_tui.limits import MAX_EVENT_BYTES
from sse_tui.recording.content import ContentDecoder
from sse_tui.resume import Continuity


class Reception:
    """Last event ID, reconnection time, whether the stream has ended: no more than reconnecting needs.

    `events` counts on the running connection, `total` over all of them; `had_ids`: any of them had one. `fault`
    is an error that the stream told of.
    """

    def __init__(self, dialect: Dialect, last_event_id: str, limit: int = MAX_EVENT_BYTES) -> None:
        self._dialect = dialect
        self._limit = limit
        self._continuity = Continuity()
        self._decoder = ContentDecoder(())
        self._parser = Parser(limit, last_event_id)
        self.was_open = False
        self._body_ended = False
        self.last_event_id = last_event_id
        self.retry_ms: int | None = None
        self.events = 0
        self.total = 0
        self.had_ids = bool(last_event_id)
        self.fault: StreamFault | None = None

    def start(self) -> None:
        """A new attempt starts; it has brought nothing yet."""
        self.events = 0

    def open(self, headers: Sequence[tuple[str, str]]) -> None:
        """An event stream opened; `headers` are the answer's.

        The standard's id buffer starts anew with each connection; it is seeded with the last event ID, or
        the first event without an id would wipe it.
        """
        self.was_open = True
        self._parser = Parser(self._limit, self.last_event_id)
        self._decoder = ContentDecoder(headers)
        answered = next((value for name, value in headers if name.lower() == "last-event-id"), None)
        self._continuity.connected(self.last_event_id, answered)
        self._dialect.headers_seen(headers)

    def closed(self, reason: str) -> None:
        """The body is over, for the reason of its close record."""
        self._body_ended = reason == "eof"

    @property
    def orderly(self) -> bool:
        """The last body ended in order, and nothing says that it was not all."""
        return self._body_ended and self.complete is not False

    def feed(self, data: bytes) -> None:
        """Bytes of the body as the client sees them. Raises EventTooLarge."""
        try:
            self._take(self._parser.feed(self._decoder.decode(data)))
        except EventTooLarge as error:
            self._take(error.items)
            raise

    @property
    def coding_damage(self) -> str:
        """What is wrong with the content coding; "" for nothing.

        A coding that is not known does not matter where its bytes make events all the same.
        """
        return "" if self._decoder.identity and self.events else self._decoder.damage or ""

    @property
    def decoding(self) -> bool:
        """The body has a content coding that is undone."""
        return not self._decoder.identity

    @property
    def coding_unfinished(self) -> bool:
        """An end of the body here would lie within its compressed data."""
        return self._decoder.unfinished

    @property
    def ended(self) -> bool:
        """Nothing follows: the stream said so, or told of an error."""
        return self._dialect.ended or self.fault is not None

    @property
    def marked_end(self) -> bool:
        """The stream's own end marker came."""
        return self._dialect.ended

    @property
    def complete(self) -> bool | None:
        """Whether the answer is whole as it stands; None when its dialect cannot tell."""
        return self._dialect.complete

    def _take(self, items: list[Item]) -> None:
        for item in items:
            if isinstance(item, Event):
                self.events += 1
                self.total += 1
                self.had_ids = self.had_ids or bool(item.id)
                if self._continuity.event(item.id, item.data):
                    self._understand(self._dialect.read(item))
            elif isinstance(item, Ignored):
                self._understand(self._dialect.read_ignored(item.line))
            elif isinstance(item, Comment):
                self._dialect.comment_seen(item.text)
        self.last_event_id = self._parser.last_event_id
        if self._parser.retry is not None:
            self.retry_ms = self._parser.retry

    def _understand(self, deltas: Sequence[Delta]) -> None:
        for delta in deltas:
            if isinstance(delta, StreamFault):
                self.fault = delta
