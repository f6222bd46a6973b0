"""Default limits that several parts of the program share, in bytes."""

from __future__ import annotations

MIB = 2**20

MAX_EVENT_BYTES = 16 * MIB
"""The largest event, and the longest line, that is read from a stream; more is an error."""

MAX_REQUEST_BYTES = 8 * MIB
"""The largest body of a request that our endpoint takes."""

STORE_BYTES = 64 * MIB
"""How much our endpoint keeps of all its streams together, for readers that resume."""

UNLIMITED = 1 << 40
"""For a body that is in memory already, where a limit protects nothing."""
