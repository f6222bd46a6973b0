"""A complete request and its response, as archives contain them: whether it is a stream, and its records."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sse_tui import fields
from sse_tui.bodies import is_stream_type
from sse_tui.recording.imports.heads import with_body, without_undone_coding
from sse_tui.recording.imports.piece import Piece
from sse_tui.recording.records import Close, Headers, Note, Phase, Record, Request, Response, chunk

# Reads of a body that came as one text: small enough to be shown while they are read.
_BLOCK = 1 << 18
_STREAM_START = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:(?:data|event|id|retry):|:)")
_ASKS = re.compile(rb'"stream"\s*:\s*true')
# Of Gemini and Bedrock, whose requests say by their path that they want a stream.
_STREAMING_PATH = re.compile(r"[:/](?:streamGenerateContent|converse-stream|invoke-with-response-stream)\b")


@dataclass
class Exchange:
    """One exchange. Times are ns since the first one began, all 0 in an archive without the times of its reads.

    `reads` are the times and sizes of all reads of `body`; without them it is one read. `answered_at` is when the
    headers had arrived; `phases` are (name, when it ended, how long it took). `numbers` are the turn and the connection
    if the archive contains them. If `asked` is False, the request is not known.
    """

    method: str
    url: str
    request_headers: Headers
    request_body: bytes = b""
    status: int = 0
    http_version: str = ""
    headers: Headers = field(default_factory=list)
    body: bytes = b""
    t: int = 0
    answered_at: int = 0
    phases: Sequence[tuple[str, int, int]] = ()
    reads: Sequence[tuple[int, int]] | None = None
    reason: str = "eof"
    detail: str = ""
    code: str = ""
    closed_at: int | None = None
    dialect: str | None = None
    numbers: tuple[int, int] | None = None
    asked: bool = True
    notes: list[Note] = field(default_factory=list)

    @property
    def is_stream(self) -> bool:
        """Whether the response is a stream, by its media type or its first bytes."""
        kind = fields.first(self.headers, "content-type")
        return is_stream_type(kind) or bool(_STREAM_START.match(self.body[:256]))

    @property
    def asked_for_stream(self) -> bool:
        """Whether a stream was requested, so that any other response is worth looking at."""
        accepts = (fields.first(self.request_headers, "accept") or "").lower()
        asks = _ASKS.search(self.request_body[: 1 << 20]) or _STREAMING_PATH.search(self.url)
        return fields.EVENT_STREAM in accepts or bool(asks)

    def records(self, turn: int, conn: int) -> Iterator[Record]:
        """The exchange as records of one connection."""
        yield from self.notes
        if self.asked:
            request = Request(
                t=self.t,
                turn=turn,
                conn=conn,
                method=self.method,
                url=self.url,
                headers=self.request_headers,
                dialect=self.dialect,
            )
            yield with_body(request, self.request_body)
        phases = [Phase(t=t, turn=turn, conn=conn, name=name, dt=dt) for name, t, dt in self.phases]
        yield from (phase for phase in phases if phase.name != "first_byte")
        last = self.answered_at
        if self.status:
            yield Response(
                t=self.answered_at,
                turn=turn,
                conn=conn,
                status=self.status,
                http_version=self.http_version,
                headers=without_undone_coding(self.headers, self.body),
            )
        yield from (phase for phase in phases if phase.name == "first_byte")
        for t, data in self._pieces():
            last = t
            yield chunk(t, data, turn=turn, conn=conn)
        closed = last if self.closed_at is None else self.closed_at
        yield Close(t=closed, turn=turn, conn=conn, reason=self.reason, detail=self.detail, code=self.code)

    def _pieces(self) -> Iterator[Piece]:
        if self.reads is None:
            for at in range(0, len(self.body), _BLOCK):
                yield self.answered_at, self.body[at : at + _BLOCK]
            return
        at = 0
        for t, size in self.reads:
            yield t, self.body[at : at + size]
            at += size


def streams_of(exchanges: Sequence[Exchange]) -> list[bool]:
    """Which exchanges of an archive to take: the streams; if there are none, those that requested one."""
    taken = [exchange.is_stream for exchange in exchanges]
    return taken if any(taken) else [exchange.asked_for_stream for exchange in exchanges]


class ConnectionNumbers:
    """Numbers connections and turns: a request that resumes after an event id belongs to the turn before it."""

    def __init__(self) -> None:
        self._turn = 0
        self._conn = 0
        self._asked: tuple[str, str] | None = None

    def next(self, exchange: Exchange) -> tuple[int, int]:
        """The turn and the connection of the next exchange."""
        asked = (exchange.method, exchange.url)
        resumes = fields.first(exchange.request_headers, "last-event-id")
        if not (resumes and asked == self._asked):
            self._turn += 1
        self._asked = asked
        self._conn += 1
        return self._turn, self._conn
