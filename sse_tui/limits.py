"""Default limits shared by several parts of the program, in bytes."""

from __future__ import annotations

MIB = 2**20

MAX_EVENT_BYTES = 16 * MIB
"""The largest event, and the longest line, that is accepted from a stream."""

MAX_REQUEST_BYTES = 8 * MIB
"""The largest request body that the endpoint accepts."""

STORE_BYTES = 64 * MIB
"""How much the endpoint keeps of all streams together, for clients that resume."""

EXPANSION_RATIO = 100
EXPANSION_BYTES = 16 * MIB
"""What a body under a content coding may decode to: these bytes, and this many more for each coded byte.

Real event streams under gzip have ratios of 3 to 60; a repeated byte has 1,000.
"""

EXPANSION_LINES_RATIO = 4
EXPANSION_LINES = 2**17
"""The same for its lines: what a line makes (a comment, a field) takes a hundred times the memory of its bytes."""

UNLIMITED = 1 << 40
"""For a body that is already in memory, where a limit would protect nothing."""

MAX_RECORDING_BYTES = 4096 * MIB
"""How long a recording gets: a stream that never ends must not fill the disk."""
