"""What reading a connection needs from one record to the next."""

from __future__ import annotations

from collections.abc import Iterable

from sse_tui import fields
from sse_tui.analysis.pulse import Pulse
from sse_tui.analysis.turn import Connection
from sse_tui.bodies import BodyItems, Form, ItemReader
from sse_tui.recording.content import SLICE, ContentDecoder
from sse_tui.recording.records import Response

LARGEST_READ = 64 * 1024
"""A read of ours has no more bytes; one in a file of another program may, and is taken in slices."""


class WireState:
    """The reading state of the running connection."""

    def __init__(self, conn: Connection, limit: int, last_event_id: str, pulse: Pulse) -> None:
        self.conn = conn
        self._items = BodyItems(limit, last_event_id, self._chosen)
        self.parser: ItemReader = self._items
        self.pulse = pulse
        self.decoder: ContentDecoder | None = None
        self.last_event_t: int | None = None
        self.last_event_read = -1
        self.broken = False  # what comes is not read: an event was too large, or it is the body of a refusal

    def opened(self, response: Response) -> None:
        """The response, before its body."""
        self.conn.response = response
        decoder = ContentDecoder(response.headers)
        self.decoder = None if decoder.identity else decoder
        self.conn.undecoded = decoder.damage or ""
        self._items.opened(fields.first(response.headers, "content-type"))
        self.broken = response.is_refusal

    def pieces(self, data: bytes) -> Iterable[bytes]:
        """The bytes of a read, its content coding removed, in slices that are made when they are asked for."""
        if self.decoder is not None:
            return self.decoder.slices(data)
        return (data[at : at + SLICE] for at in range(0, len(data), SLICE))

    def _chosen(self, form: Form, reader: ItemReader) -> None:
        """The first bytes have shown what the body is: from here on its reader is fed without a detour."""
        self.conn.form = form
        self.parser = reader
