"""What well-known clients would have made of each connection of a recording."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sse_tui import fields
from sse_tui.diagnosis.clients.ends import End, end_of
from sse_tui.diagnosis.clients.lens import ClientResult, compare
from sse_tui.recording.content import ContentDecoder
from sse_tui.recording.records import Chunk, Close, Record, Request, Response

MAX_BODY = 64 * 2**20
"""Bytes of a body that the clients are given: they read it as a whole."""


class ClientComparison(NamedTuple):
    """What the clients made of one connection, whose body ended so.

    `cut` when they were only given the beginning of it.
    """

    conn: int
    end: End
    results: list[ClientResult]
    cut: bool


@dataclass
class _Body:
    content_type: str | None = fields.EVENT_STREAM
    status: int = 200
    dialect: str = "auto"
    decoder: ContentDecoder = field(default_factory=lambda: ContentDecoder([]))
    data: bytearray = field(default_factory=bytearray)
    end: End = "fin"


def compare_clients(records: Iterable[Record], dialect: str | None = None) -> list[ClientComparison]:
    """Every connection that brought a body under the status 200, in order."""
    bodies = defaultdict[int, _Body](_Body)
    for record in records:
        if isinstance(record, Request):
            bodies[record.conn].dialect = record.dialect or "auto"
        elif isinstance(record, Response):
            body = bodies[record.conn]
            body.status = record.status
            body.decoder = ContentDecoder(record.headers)
            body.content_type = fields.first(record.headers, "content-type")
        elif isinstance(record, Chunk) and len(bodies[record.conn].data) <= MAX_BODY:
            body = bodies[record.conn]
            body.data += body.decoder.decode(record.data)
        elif isinstance(record, Close):
            bodies[record.conn].end = end_of(record)
    return [
        ClientComparison(
            conn,
            body.end,
            compare(
                bytes(body.data[:MAX_BODY]),
                content_type=body.content_type,
                dialect=dialect or body.dialect,
                end=body.end,
            ),
            len(body.data) > MAX_BODY or body.decoder.runaway,
        )
        for conn, body in bodies.items()
        if body.status == 200 and body.data
    ]


def comparison_json(comparison: ClientComparison) -> dict[str, Any]:
    """One connection as plain data."""
    return {
        "conn": comparison.conn,
        "cut": comparison.cut,
        "end": comparison.end,
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
