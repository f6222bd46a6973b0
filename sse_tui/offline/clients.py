"""What named clients would have made of each connection of a recording."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from sse_tui import fields
from sse_tui.diagnosis.clients.lens import ClientResult, compare
from sse_tui.recording.content import ContentDecoder
from sse_tui.recording.records import Chunk, Record, Request, Response

MAX_BODY = 64 * 2**20
"""Bytes of a body that are looked at: the clients are played over a whole one."""


class Look(NamedTuple):
    """One connection through the lens; `cut` when its body was longer than what was looked at."""

    conn: int
    outcomes: list[ClientResult]
    cut: bool


class _Body:
    def __init__(self) -> None:
        self.content_type: str | None = fields.EVENT_STREAM
        self.status = 200
        self.dialect = "auto"
        self.decoder = ContentDecoder([])
        self.pieces: list[bytes] = []
        self.size = 0


def looks(records: Iterable[Record], dialect: str | None = None) -> list[Look]:
    """Every connection that brought a body under the status 200, in order."""
    bodies: dict[int, _Body] = {}
    for record in records:
        if not isinstance(record, Request | Response | Chunk):
            continue
        body = bodies.setdefault(record.conn, _Body())
        if isinstance(record, Request):
            body.dialect = record.dialect or "auto"
        elif isinstance(record, Response):
            body.status = record.status
            body.decoder = ContentDecoder(record.headers)
            body.content_type = fields.first(record.headers, "content-type")
        elif body.size <= MAX_BODY:
            data = body.decoder.decode(record.data)
            body.pieces.append(data)
            body.size += len(data)
    return [_look(conn, body, dialect) for conn, body in bodies.items() if body.status == 200 and body.size]


def _look(conn: int, body: _Body, dialect: str | None) -> Look:
    data = b"".join(body.pieces)[:MAX_BODY]
    outcomes = compare(data, content_type=body.content_type, dialect=dialect or body.dialect)
    return Look(conn, outcomes, body.size > MAX_BODY)


def look_json(look: Look) -> dict[str, Any]:
    """One connection as plain data."""
    return {
        "conn": look.conn,
        "cut": look.cut,
        "clients": [
            {
                "client": outcome.client.name,
                "version": outcome.client.version,
                "events": len(outcome.events),
                "raised": outcome.raised._asdict() if outcome.raised is not None else None,
                "text": outcome.text,
                "lost": outcome.lost,
                "pitfalls": outcome.pitfalls,
            }
            for outcome in look.outcomes
        ],
    }
