"""Recordings in the forms of other tools: HAR, the raw stream, a curl command, a pytest file."""

from sse_tui.offline.export.tape import Tape, TapedConnection, read_tape

__all__ = ["Tape", "TapedConnection", "read_tape"]
