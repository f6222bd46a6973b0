"""What well-known clients would have made of each connection of a recording."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from sse_tui import fields
from sse_tui.diagnosis.clients.lens import ClientResult, compare
from sse_tui.recording.content import ContentDecoder
from sse_tui.recording.records import Chunk, Record, Request, Response

MAX_BODY = 64 * 2**20
"""Bytes of a body that the clients are given: they read it as a whole."""


class ClientComparison(NamedTuple):
    """What the clients made of one connection; `cut` when its body was longer than what they were given."""

    conn: int
    results: list[ClientResult]
    cut: bool


class _Body:
    def __init__(self) -> None:
        self.content_type: str | None = fields.EVENT_STREAM
        self.status = 200
        self.dialect = "auto"
        self.decoder = ContentDecoder([])
        self.pieces: list[bytes] = []
        self.size = 0


def compare_clients(records: Iterable[Record], dialect: str | None = None) -> list[ClientComparison]:
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
    return [
        _comparison(conn, body, dialect) for conn, body in bodies.items() if body.status == 200 and body.size
    ]


def _comparison(conn: int, body: _Body, dialect: str | None) -> ClientComparison:
    data = b"".join(body.pieces)[:MAX_BODY]
    results = compare(data, content_type=body.content_type, dialect=dialect or body.dialect)
    return ClientComparison(conn, results, body.size > MAX_BODY)


def comparison_json(comparison: ClientComparison) -> dict[str, Any]:
    """One connection as plain data."""
    return {
        "conn": comparison.conn,
        "cut": comparison.cut,
        "clients": [
            {
                "client": result.client.name,
                "version": result.client.version,
                "events": len(result.events),
                "raised": result.raised._asdict() if result.raised is not None else None,
                "text": result.text,
                "lost": result.lost,
                "pitfalls": result.pitfalls,
            }
            for result in comparison.results
        ],
    }
