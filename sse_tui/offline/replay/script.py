"""The response of a replay to a request: a recorded connection, or the rest of one after an event ID.

A request with a ``Last-Event-ID`` gets the connection that was recorded for that ID, if there is one; otherwise what
came after the event with that ID, at the recorded pace. Requests without one get the turns in order, over and over,
only those with the same path if there are any. A redirect leads to the replay itself, and is left out where it would
lead to the URL that it answers, as one from http to https does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urljoin, urlsplit

from sse_tui import fields
from sse_tui.eventstream import Event, NoData, Parser
from sse_tui.limits import UNLIMITED
from sse_tui.offline.export.tape import Tape, TapedConnection
from sse_tui.recording.records import Fault, Headers
from sse_tui.recording.redact import PLACEHOLDER

Ending = Literal["whole", "cut", "reset", "hang"]
Framing = Literal["chunked", "length", "close", "none"]

_ENDINGS: dict[str, Ending] = {
    "eof": "whole", "client": "whole", "refused": "whole", "reset": "reset", "timeout": "hang",
}  # fmt: skip
# Written anew for the connection that carries the replay.
_FRAMING_HEADERS = frozenset(["transfer-encoding", "connection", "keep-alive", "upgrade", "trailer"])
_EVENT_STREAM: Headers = [("content-type", fields.EVENT_STREAM)]


@dataclass(frozen=True, slots=True)
class ScriptedResponse:
    """A response to send. Times are ns after the request came; `conn` is the recorded connection, 0 for none.

    `ending`: "whole", "cut" (closed with the framing unfinished), "reset", or "hang" (silence until the client leaves).
    """

    status: int
    headers: Headers = field(default_factory=list)
    framing: Framing = "length"
    pieces: Sequence[tuple[int, bytes]] = ()
    headers_at: int = 0
    ending: Ending = "whole"
    ends_at: int = 0
    conn: int = 0


class Script:
    """Chooses responses from a recording, and counts the requests. `connections` are those that can be served."""

    def __init__(self, tape: Tape) -> None:
        self.connections = [
            conn for conn in tape.connections.values() if conn.response is not None or conn.reads
        ]
        self._resets = {
            record.conn
            for _, record in tape.others
            if isinstance(record, Fault) and record.plan.startswith("reset")
        }
        self._served: Counter[str] = Counter()
        self._positions: dict[str, tuple[TapedConnection, int]] = {}
        for conn in self.connections:
            self._index(conn)

    @property
    def path(self) -> str:
        """Path and query of the first request; "/" if it is not known."""
        return next((_target(conn) for conn in self.connections if conn.request is not None), "/")

    def answer(self, target: str, last_event_id: str) -> ScriptedResponse:
        """The response to a request for `target` (path and query)."""
        if not last_event_id:
            return self._first(target)
        for conn in self.connections:
            if _asked_after(conn) == last_event_id:
                return self._whole(conn)
        if last_event_id not in self._positions:
            return _refusal(404, f"There is no event with the ID {last_event_id!r} in the recording.")
        return self._rest(*self._positions[last_event_id], last_event_id)

    def _index(self, conn: TapedConnection) -> None:
        """Note where each event ID is first set: later events may repeat the ID, and must not be lost."""
        parser = Parser(limit=UNLIMITED, last_event_id=_asked_after(conn))
        for _, data in conn.decoded():
            for item in parser.feed(data):
                if isinstance(item, Event | NoData) and item.id:
                    self._positions.setdefault(item.id, (conn, item.end))

    def _first(self, target: str) -> ScriptedResponse:
        conns = [conn for conn in self.connections if _led_to(conn) != _target(conn)]
        firsts = {conn.turn: conn for conn in reversed(conns)}
        begun = [firsts[turn] for turn in sorted(firsts)]
        path = target.partition("?")[0]
        matching = [conn for conn in begun if _target(conn).partition("?")[0] == path]
        if target in map(_led_to, conns) and target not in map(_target, begun):
            matching = [conn for conn in conns if _target(conn) == target and not _asked_after(conn)]
            path = target
        candidates = matching or begun
        if not candidates:
            return _refusal(404, "There is no response in the recording.")
        key = path if matching else ""
        number = self._served[key]
        self._served[key] += 1
        return self._whole(candidates[number % len(candidates)])

    def _ending(self, conn: TapedConnection) -> Ending:
        if conn.number in self._resets:
            return "reset"
        return _ENDINGS.get(conn.close.reason, "cut") if conn.close is not None else "cut"

    def _whole(self, conn: TapedConnection) -> ScriptedResponse:
        headers = _headers(conn)
        ending = self._ending(conn)
        began = conn.began
        ended = conn.close.t if conn.close is not None else (conn.reads[-1][0] if conn.reads else began)
        framing = _framing(conn, ending)
        return ScriptedResponse(
            status=conn.response.status if conn.response is not None else 200,
            headers=headers if framing == "length" else fields.without(headers, "content-length"),
            framing=framing,
            pieces=[(t - began, data) for t, data in conn.reads],
            headers_at=(conn.response.t - began) if conn.response is not None else 0,
            ending=ending,
            ends_at=ended - began,
            conn=conn.number,
        )

    def _rest(self, conn: TapedConnection, offset: int, last_event_id: str) -> ScriptedResponse:
        pieces: list[tuple[int, bytes]] = []
        at = 0
        for t, data in conn.decoded():
            left = data[max(0, offset - at) :]
            at += len(data)
            # The event may have ended at the CR of a CRLF; its line feed alone is not worth a response.
            if left and not (not pieces and left == b"\n"):
                pieces.append((t, left))
        if not pieces:
            return ScriptedResponse(204, framing="none", conn=conn.number)
        began = pieces[0][0]
        ended = conn.close.t if conn.close is not None else pieces[-1][0]
        headers = fields.without(_headers(conn), "content-length", "content-encoding", "last-event-id")
        return ScriptedResponse(
            status=200,
            headers=[*headers, ("Last-Event-ID", last_event_id)] if last_event_id.isascii() else headers,
            framing="chunked",
            pieces=[(t - began, data) for t, data in pieces],
            ending=self._ending(conn),
            ends_at=ended - began,
            conn=conn.number,
        )


def _target(conn: TapedConnection) -> str:
    """Path and query of the request; "/" if they are not known."""
    return _local(conn, "") or "/"


def _led_to(conn: TapedConnection) -> str | None:
    """Path and query of the URL that the connection was redirected to; None if it was not."""
    response = conn.response
    if response is None or not 300 <= response.status < 400:
        return None
    location = fields.first(response.headers, "location")
    return location and _local(conn, location)


def _local(conn: TapedConnection, location: str) -> str | None:
    """Path and query of a URL that is relative to the request's: a replay must not lead to the recorded server."""
    try:
        parts = urlsplit(urljoin(conn.request.url if conn.request is not None else "", location.strip()))
    except ValueError:
        return None
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def _asked_after(conn: TapedConnection) -> str:
    headers = conn.request.headers if conn.request is not None else []
    return fields.first(headers, "last-event-id") or ""


def _headers(conn: TapedConnection) -> Headers:
    """The recorded headers that can be sent again: not the framing, no redacted values, nothing that breaks a line."""
    headers = conn.response.headers if conn.response is not None else _EVENT_STREAM
    if led_to := _led_to(conn):
        headers = [*fields.without(headers, "location"), ("Location", led_to)]
    return [
        (name, value)
        for name, value in fields.without(headers, *_FRAMING_HEADERS)
        if name
        and PLACEHOLDER not in value
        and fields.is_value(name + value)
        and not any(char in " :\t" for char in name)
    ]


def _framing(conn: TapedConnection, ending: Ending) -> Framing:
    response = conn.response
    if response is None:
        return "chunked"
    if response.status in (204, 304) or response.status < 200:
        return "none"
    if "chunked" in (fields.first(response.headers, "transfer-encoding") or "").lower():
        return "chunked"
    length = (fields.first(response.headers, "content-length") or "").strip()
    size = sum(len(data) for _, data in conn.reads)
    if (
        length.isascii()
        and length.isdigit()
        and (int(length) == size or (ending != "whole" and int(length) > size))
    ):
        return "length"
    # With neither, the body ends with the connection, which is right only if it was recorded so and was not cut short.
    closes = response.http_version.startswith("HTTP/1") and not length and ending in ("whole", "reset")
    return "close" if closes else "chunked"


def _refusal(status: int, message: str) -> ScriptedResponse:
    body = (message + "\n").encode()
    headers = [("content-type", "text/plain; charset=utf-8"), ("content-length", str(len(body)))]
    return ScriptedResponse(status, headers, "length", [(0, body)])
