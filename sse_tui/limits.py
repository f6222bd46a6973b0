"""Default limits that several parts of the program share, in bytes."""

from __future__ import annotations

MIB = 2**20

MAX_EVENT_BYTES = 16 * MIB
"""The largest event, or line of an event stream, that is read; more is an error."""
