"""The one reading of a body in this process: its content coding undone, then read into items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sse_tui import fields
from sse_tui.bodies import BodyItems, Form, ItemReader
from sse_tui.eventstream import Event, EventTooLarge, Item
from sse_tui.faults.injector import Parsed
from sse_tui.recording.content import ContentDecoder
from sse_tui.transport.problems import runaway, undecodable


class BodyParser:
    """Reads the body of one response, whose headers these are, to its end or to the first error in it.

    `form` is what the body is, once its first bytes have shown it.
    """

    def __init__(self, headers: Sequence[tuple[str, str]], limit: int, last_event_id: str) -> None:
        self._decoder = ContentDecoder(headers)
        # Seeded with the last event ID: the standard's ID buffer starts anew with each connection, and the first
        # event without an ID would otherwise wipe the one to resume from.
        items = BodyItems(limit, last_event_id, self._chosen)
        items.opened(fields.first(headers, "content-type"))
        self._parser: ItemReader | None = items
        self._any_event = False
        self.form = Form.EVENTS

    def _chosen(self, form: Form, reader: ItemReader) -> None:
        self.form, self._parser = form, reader

    @property
    def coded(self) -> bool:
        """The body has a content coding that is undone here: offsets of items are not offsets in the body."""
        return not self._decoder.identity

    @property
    def damage(self) -> str:
        """What is wrong with the content coding; "" for nothing.

        An unknown coding does not matter where its bytes make events all the same: some servers only claim one.
        """
        return "" if self._any_event and not self.coded else self._decoder.damage or ""

    @property
    def unfinished(self) -> bool:
        """If the body ended here, it would end within its compressed data."""
        return self._decoder.unfinished

    def parse(self, data: bytes) -> Parsed:
        """The items that the next bytes of the body complete, and the error that ends the reading, if there is one."""
        items: list[Item] = []
        for parsed in self.slices(data):
            items += parsed.items
            if parsed.error is not None:
                return Parsed(items, parsed.error)
        return Parsed(items)

    def slices(self, data: bytes) -> Iterator[Parsed]:
        """The same in parts, each made when it is asked for: a coded body may expand to a thousand times its size."""
        for piece in self._decoder.slices(data):
            if self._parser is None:
                return
            try:
                items = self._parser.feed(piece)
            except EventTooLarge as error:
                self._parser = None
                yield Parsed(error.items, error)
                return
            if not self._any_event:
                self._any_event = any(type(item) is Event for item in items)
            yield Parsed(items)
        damage = self._decoder.damage
        if damage and self.coded and self._parser is not None:
            self._parser = None
            yield Parsed((), runaway(damage) if self._decoder.runaway else undecodable(damage))

    def close(self) -> list[Item]:
        """The body is over: what it left open, or what only its end completes, unless an error ended the reading."""
        parser, self._parser = self._parser, None
        items = parser.close() if parser is not None else []
        self._any_event = self._any_event or any(type(item) is Event for item in items)
        return items
