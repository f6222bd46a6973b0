"""Sockets: requests for event streams, a time stamp for every read, faults and reconnects."""

from sse_tui.transport.clock import SessionClock
from sse_tui.transport.driver import Driver
from sse_tui.transport.stream_request import StreamRequest, Timeouts

__all__ = ["Driver", "SessionClock", "StreamRequest", "Timeouts"]
