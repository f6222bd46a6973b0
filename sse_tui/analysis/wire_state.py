"""What reading a connection needs from one record to the next."""

from __future__ import annotations

from collections.abc import Iterable

from sse_tui.analysis.pulse import Pulse
from sse_tui.analysis.turn import Connection
from sse_tui.eventstream import Parser
from sse_tui.recording.content import SLICE, ContentDecoder

LARGEST_READ = 64 * 1024
"""A read of ours has no more bytes; one in a file of another program may, and is taken in slices."""


class WireState:
    """The reading state of the running connection."""

    def __init__(self, conn: Connection, parser: Parser, pulse: Pulse) -> None:
        self.conn = conn
        self.parser = parser
        self.pulse = pulse
        self.decoder: ContentDecoder | None = None
        self.last_event_t: int | None = None
        self.last_event_read = -1
        self.broken = False  # what comes is not read: an event was too large, or it is the body of a refusal

    def pieces(self, data: bytes) -> Iterable[bytes]:
        """The bytes of a read, its content coding removed, in slices that are made when they are asked for."""
        if self.decoder is not None:
            return self.decoder.slices(data)
        return (data[at : at + SLICE] for at in range(0, len(data), SLICE))
