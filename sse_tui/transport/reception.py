"""What the driver itself must know of the stream it receives, over all connections of a turn."""

from __future__ import annotations

from collections.abc import Sequence

from sse_tui.dialects.base import Delta, Dialect, Meta
from sse_tui.dialects.markup import deltas_of, deltas_of_line
from sse_tui.dialects.stray_lines import stray_text
from sse_tui.dialects.substance import Substance
from sse_tui.eventstream import Comment, Event, Item, NoData, Retry
from sse_tui.fields import first
from sse_tui.resume import Continuity, ResumesBy
from sse_tui.transport.http.message import LAST_EVENT_ID, STREAM_ID


class Reception:
    """Last event ID, reconnection time, whether the stream has ended: no more than reconnecting needs.

    `progress` counts the new events with data on the running connection, `total` all events of all of them; `had_ids`:
    any of them had one; `received`: a byte of any body came. `substance` is what the answer amounts to.
    """

    def __init__(self, dialect: Dialect, last_event_id: str) -> None:
        self.dialect = dialect
        self._continuity = Continuity()
        self.last_event_id = last_event_id
        self.retry: Retry | None = None
        self.progress = 0
        self.total = 0
        self.had_ids = bool(last_event_id)
        self.received = False
        self.substance = Substance()
        self._stream_id = ""

    def open(self, headers: Sequence[tuple[str, str]]) -> None:
        """An event stream opened; `headers` are the response's."""
        self._continuity.connected(self.last_event_id, first(headers, LAST_EVENT_ID))
        self.dialect.headers_seen(headers)
        self._stream_id = first(headers, STREAM_ID) or self._stream_id

    @property
    def ended(self) -> bool:
        """Nothing follows: the stream said so, or an answer failed. Other streams may report errors and go on."""
        return self.dialect.ended or (self.substance.fault is not None and self.dialect.answers)

    @property
    def resumes_by(self) -> ResumesBy:
        """How this server goes on with a stream that a POST began, as far as protocol or endpoint show it.

        Our endpoint names the stream in a header, and its event IDs begin with that name: it resumes after any of them.
        """
        if self.dialect.chosen.resume == "get":
            return "get"
        return "repeat" if self._stream_id and self.last_event_id.startswith(f"{self._stream_id}-") else ""

    def feed(self, items: Sequence[Item]) -> None:
        """Items of the body that the client got."""
        for item in items:
            if isinstance(item, Event):
                self.total += 1
                self.last_event_id = item.id
                self.had_ids = self.had_ids or bool(item.id)
                if self._continuity.event(item.id, item.data):
                    deltas = deltas_of(self.dialect, item)
                    self.substance.add(deltas)
                    # A heartbeat, or an event that only sets an ID, brings a client no further.
                    if item.data and not (deltas and _is_ping(deltas[-1])):
                        self.progress += 1
            elif text := stray_text(item):
                self.substance.add(deltas_of_line(self.dialect, text))
            elif isinstance(item, Comment):
                self.dialect.comment_seen(item.text)
            elif isinstance(item, Retry):
                self.retry = item
            if isinstance(item, NoData):  # no event, but it sets the last event ID all the same
                self.last_event_id = item.id


def _is_ping(delta: Delta) -> bool:
    return isinstance(delta, Meta) and delta.name == "ping"
