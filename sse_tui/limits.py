"""Default limits shared by several parts of the program, in bytes."""

from __future__ import annotations

MIB = 2**20

MAX_EVENT_BYTES = 16 * MIB
"""The largest event, and the longest line, that is accepted from a stream."""

MAX_REQUEST_BYTES = 8 * MIB
"""The largest request body that the endpoint accepts."""

STORE_BYTES = 64 * MIB
"""How much the endpoint keeps of all streams together, for clients that resume."""

UNLIMITED = 1 << 40
"""For a body that is already in memory, where a limit would protect nothing."""
