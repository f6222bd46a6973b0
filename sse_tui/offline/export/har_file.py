"""A recording as an HTTP archive (HAR 1.2), which browsers import, with the times of every read kept beside it."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import msgspec

from sse_tui.fields import EVENT_STREAM, first
from sse_tui.offline.export.tape import Tape, TapedConnection
from sse_tui.recording.imports.har_own import OWN
from sse_tui.recording.records import Close, Headers, Request, Response
from sse_tui.version import __version__

# A browser refuses an entry without a URL.
UNKNOWN_URL = "http://unknown.invalid/"
PAGE = "page_1"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def har(tape: Tape) -> dict[str, Any]:
    """The archive, to be written as JSON: an entry a connection."""
    created = _moment(tape.header.created)
    others = [{"place": index, "record": msgspec.to_builtins(record)} for index, record in tape.others]
    return {
        "log": {
            "version": "1.2",
            "creator": {"name": "sse-tui", "version": __version__},
            # Browsers group entries by page, and some do not import an archive without one.
            "pages": [
                {
                    "startedDateTime": _stamp(created, 0),
                    "id": PAGE,
                    "title": "Recorded by sse-tui",
                    "pageTimings": {"onContentLoad": -1, "onLoad": -1},
                }
            ],
            "entries": [_entry(conn, created) for conn in tape.connections.values()],
            OWN: {"clock": tape.header.clock, "created": tape.header.created, "records": others},
        }
    }


def _moment(created: str) -> datetime:
    try:
        moment = datetime.fromisoformat(created)
    except ValueError:
        return _EPOCH
    return moment.replace(tzinfo=moment.tzinfo or UTC)


def _entry(conn: TapedConnection, created: datetime) -> dict[str, Any]:
    reads = conn.decoded()
    body = b"".join(data for _, data in reads)
    # HAR can leave out neither. A body without a response is an imported one: no browser shows it under status 0.
    request = conn.request or Request(t=conn.began, method="GET", url=UNKNOWN_URL, headers=[])
    headers: Headers = [("content-type", EVENT_STREAM)] if body else []
    response = conn.response or Response(
        t=conn.began, status=200 if body else 0, http_version="", headers=headers
    )
    ended = conn.close.t if conn.close is not None else reads[-1][0] if reads else response.t
    timings = _timings({phase.name: phase.dt for phase in conn.phases}, conn.began, response.t, ended)
    entry: dict[str, Any] = {
        "pageref": PAGE,
        "startedDateTime": _stamp(created, conn.began),
        "time": sum(ms for name, ms in timings.items() if ms > 0 and name != "ssl"),
        "request": _request(request),
        "response": _response(response, body),
        "cache": {},
        "timings": timings,
        "_resourceType": "eventsource" if request.method == "GET" else "fetch",
        OWN: {
            "turn": conn.turn,
            "conn": conn.number,
            "t": conn.began,
            "answered_at": response.t,
            "phases": [[phase.name, phase.t, phase.dt] for phase in conn.phases],
            "reads": [[t, len(data)] for t, data in reads],
            "close": _close(conn.close),
            "dialect": request.dialect,
            "asked": conn.request is not None,
            "answered": conn.response is not None,
        },
    }
    if conn.close is not None and not conn.whole:
        entry["response"]["_error"] = conn.close.words
    return entry


def _stamp(created: datetime, t: int) -> str:
    try:
        return (created + timedelta(microseconds=t // 1000)).isoformat(timespec="milliseconds")
    except OverflowError:
        return created.isoformat(timespec="milliseconds")


def _close(close: Close | None) -> dict[str, Any]:
    if close is None:
        return {}
    named = {"code": close.code} if close.code else {}
    return {"t": close.t, "reason": close.reason, "detail": close.detail, **named}


def _timings(phases: dict[str, int], began: int, answered: int, ended: int) -> dict[str, float]:
    """In ms, -1 for what did not happen; `connect` includes `ssl`."""
    tcp, tls = phases.get("tcp"), phases.get("tls")
    known = sum(phases.get(name, 0) for name in ("dns", "tcp", "tls", "sent"))
    return {
        "blocked": -1,
        "dns": _ms(phases.get("dns")),
        "connect": _ms((tcp or 0) + (tls or 0)) if tcp is not None or tls is not None else -1,
        "ssl": _ms(tls),
        "send": max(0.0, _ms(phases.get("sent", 0))),
        "wait": max(0.0, _ms(phases.get("headers", answered - began - known))),
        "receive": max(0.0, _ms(ended - answered)),
    }


def _ms(ns: int | None) -> float:
    return -1 if ns is None else ns / 1e6


def _request(request: Request) -> dict[str, Any]:
    out: dict[str, Any] = {
        "method": request.method,
        "url": request.url,
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": _pairs(request.headers),
        "queryString": _query(request.url),
        "headersSize": -1,
        "bodySize": len(request.data),
    }
    if request.data:
        posted: dict[str, Any] = {
            "mimeType": first(request.headers, "content-type") or "application/octet-stream"
        }
        if request.body is not None:
            posted["text"] = request.body
        else:
            posted |= {"text": request.body_b64 or "", "encoding": "base64"}
        out["postData"] = posted | {"params": []}
    return out


def _response(response: Response, body: bytes) -> dict[str, Any]:
    content: dict[str, Any] = {
        "size": len(body),
        "mimeType": first(response.headers, "content-type") or "x-unknown",
    }
    try:
        content["text"] = body.decode()
    except UnicodeDecodeError:
        content |= {"text": base64.b64encode(body).decode("ascii"), "encoding": "base64"}
    return {
        "status": response.status,
        "statusText": _phrase(response.status),
        "httpVersion": response.http_version,
        "cookies": [],
        "headers": _pairs(response.headers),
        "content": content,
        "redirectURL": first(response.headers, "location") or "",
        "headersSize": -1,
        "bodySize": len(body),
    }


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""


def _pairs(headers: Iterable[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in headers]


def _query(url: str) -> list[dict[str, str]]:
    try:
        pairs = parse_qsl(urlsplit(url).query, keep_blank_values=True)
    except ValueError:
        return []
    return _pairs(pairs)
