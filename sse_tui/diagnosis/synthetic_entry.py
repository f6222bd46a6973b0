"""What rules run on besides the entries of the wire log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sse_tui.diagnosis.scanner import ByteMatch
from sse_tui.dialects.base import Delta
from sse_tui.dialects.bearing import Bearing
from sse_tui.eventstream import Item
from sse_tui.recording.records import Record


class SyntheticEntry(NamedTuple):
    """A read, what was found in its bytes, or the end of a turn."""

    kind: str
    t: int | None
    conn: int
    item: Item | ByteMatch | None = None
    record: Record | None = None
    deltas: Sequence[Delta] = ()
    number: int = 0
    repeat: bool = False
    bearing: Bearing = Bearing.NONE
