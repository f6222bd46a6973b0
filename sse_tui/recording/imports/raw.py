"""A raw event stream: one connection whose chunks are the pieces in which it came, a close and an end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sse_tui.recording.imports.piece import Piece
from sse_tui.recording.records import Close, End, Record, chunk


def raw_records(pieces: Iterable[Piece], *, turn: int = 1, conn: int = 1) -> Iterator[Record]:
    """The records of a raw event stream that came as (nanoseconds, bytes) pieces: chunks, close, end."""
    t = 0
    for t, data in pieces:
        yield chunk(t, data, turn=turn, conn=conn)
    yield Close(t=t, turn=turn, conn=conn, reason="eof")
    yield End(t=t, reason="imported")
