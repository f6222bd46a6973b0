"""The kernel is asked for stamps in good time: it starts a moment after the first socket that wants them."""

from __future__ import annotations

from sse_tui.transport import SessionClock

SessionClock()
