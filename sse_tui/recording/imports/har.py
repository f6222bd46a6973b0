"""HTTP archives (HAR 1.2): of Chrome, of Firefox, of proxies, and our own.

An archive contains the body of each response as one text. Only some say when its parts arrived: ours in ``_sseTui``
(every read), Chrome's in ``_eventSourceMessages`` (every message of an EventSource). If that is missing for one of the
streams, no times are used at all, because numbers computed from them would be wrong.

The content coding has been removed from the text, although the headers still mention it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from typing import Any

import msgspec

from sse_tui.eventstream import Event, EventTooLarge, Parser
from sse_tui.fields import has
from sse_tui.recording.imports.exchange import ConnectionNumbers, Exchange, streams_of
from sse_tui.recording.imports.har_own import OWN, apply_own, other_records, own_clock
from sse_tui.recording.imports.piece import Piece, malformed
from sse_tui.recording.imports.rebuilt import NOTE, Rebuilder
from sse_tui.recording.imports.whole_documents import (
    BROKEN,
    decoded,
    encoded,
    fields,
    items,
    number,
    pairs,
    text,
    whole,
    whole_number,
)
from sse_tui.recording.records import End, Note, Record

_NS_PER_MS = 1_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY_S = 86_400
_ERRORS = (
    (re.compile(r"INCOMPLETE|CONTENT_LENGTH|PARTIAL_TRANSFER", re.IGNORECASE), "incomplete"),
    (re.compile(r"RESET|CONNECTION_CLOSED", re.IGNORECASE), "reset"),
    (re.compile(r"TIMED_?OUT|TIMEOUT", re.IGNORECASE), "timeout"),
    (re.compile(r"ABORTED", re.IGNORECASE), "client"),
)


class _Log(msgspec.Struct):
    entries: list[Any] = []
    own: Any = msgspec.field(default=None, name=OWN)


class _Har(msgspec.Struct):
    log: _Log


def read(pieces: Iterable[Piece]) -> tuple[str, Iterator[Record]]:
    """The clock of an archive's streams and their records. Raises RecordingError."""
    log = _log(whole(pieces, "HAR").removeprefix(b"\xef\xbb\xbf"))
    own = fields(log.own)
    taken = _taken(log.entries)
    started = min((start for _, entry in taken if (start := _start(entry))), default=0.0)
    for exchange, entry in taken:
        _set_times(exchange, entry, started)
        if not apply_own(exchange, entry.get(OWN)):
            _set_messages(exchange, items(entry.get("_eventSourceMessages")), _start(entry))
    exchanges = [exchange for exchange, _ in taken]
    timed = all(exchange.reads is not None or not exchange.body for exchange in exchanges)
    return own_clock(own) if timed else "none", _records(exchanges, timed, own)


def _log(document: bytes) -> _Log:
    try:
        return msgspec.json.decode(document, type=_Har).log
    except BROKEN as error:
        first = error
    try:
        # Browsers write lone surrogates and NaN, which msgspec rejects.
        return msgspec.convert(json.loads(document), type=_Har).log
    except BROKEN:
        hint = "Export it again from the browser's network panel."
        raise malformed("har", f"This is not a valid HAR file: {first}.", hint) from None


def _taken(entries: Sequence[Any]) -> list[tuple[Exchange, dict[str, Any]]]:
    """The exchanges with a stream, or from one of our own archives, each with its entry."""
    exchanges = [_exchange(entry, position) for position, entry in enumerate(entries, start=1)]
    found = [
        (exchange, entry)
        for exchange, entry, stream in zip(exchanges, entries, streams_of(exchanges), strict=True)
        if stream or fields(entry.get(OWN))
    ]
    if not found:
        raise malformed(
            "har-no-stream",
            f"None of the {len(entries)} entries in the HAR file is an event stream.",
            "Export it with content, after the stream has ended.",
        )
    return found


def _exchange(entry: Any, position: int) -> Exchange:
    if not isinstance(entry, dict):
        raise malformed("har", f"Entry {position} of the HAR file is not an object.")
    request, response = fields(entry.get("request")), fields(entry.get("response"))
    content = fields(response.get("content"))
    headers = pairs(response.get("headers"))
    kind = text(content.get("mimeType"))
    if kind and not has(headers, "content-type"):
        headers.append(("content-type", kind))
    version = text(response.get("httpVersion"))
    reason, detail = _ending(entry, response)
    return Exchange(
        text(request.get("method")) or "GET",
        text(request.get("url")),
        pairs(request.get("headers")),
        _bytes(fields(request.get("postData")), "The body of a request"),
        whole_number(response.get("status"), 0, 999) or 0,
        version.upper() if version.lower().startswith("http/") else version,
        headers,
        _bytes(content, f"The content of entry {position}"),
        reason=reason,
        detail=detail,
    )


def _bytes(content: dict[str, Any], what: str) -> bytes:
    body = text(content.get("text"))
    return decoded(body, what) if content.get("encoding") == "base64" else encoded(body)


def _ending(entry: dict[str, Any], response: dict[str, Any]) -> tuple[str, str]:
    error = text(response.get("_error")) or text(entry.get("_error"))
    if not error:
        return ("eof", "") if response.get("status") else ("error", "no response")
    return next((reason for pattern, reason in _ERRORS if pattern.search(error)), "error"), error


def _start(entry: dict[str, Any]) -> float:
    """When the entry began, in seconds since 1970; 0 if it does not say."""
    try:
        moment = datetime.fromisoformat(text(entry.get("startedDateTime")))
        return (moment.replace(tzinfo=moment.tzinfo or UTC) - _EPOCH) / timedelta(seconds=1)
    except (ValueError, OverflowError):
        return 0.0


def _set_times(exchange: Exchange, entry: dict[str, Any], started: float) -> None:
    """Set the phases, which the archive has in ms, -1 for none; ``connect`` includes ``ssl``."""
    start = _start(entry)
    exchange.t = t = round((start - started) * 1e9) if start else 0
    timings = fields(entry.get("timings"))

    def lasted(name: str) -> int:
        ms = number(timings.get(name))
        return round(min(ms, 1e9) * _NS_PER_MS) if ms is not None and ms > 0 else 0

    t += lasted("blocked")
    tls = lasted("ssl")
    phases: list[tuple[str, int, int]] = []
    steps = (("dns", lasted("dns")), ("tcp", max(0, lasted("connect") - tls)), ("tls", tls))
    for name, dt in (*steps, ("sent", lasted("send")), ("headers", lasted("wait"))):
        t += dt
        if dt:
            phases.append((name, t, dt))
    exchange.phases = phases
    exchange.answered_at = t
    exchange.closed_at = t + lasted("receive")


def _set_messages(exchange: Exchange, messages: list[Any], start: float) -> None:
    """Set the times from Chrome's list of messages: seconds since 1970, one message for each event."""
    found = [fields(message) for message in messages]
    times = [number(message.get("time")) for message in found]
    known = [time for time in times if time is not None]
    if not known or len(known) != len(times):
        return
    # Without a date, only the times since the first message are known.
    offset = start if start and abs(known[0] - start) < _DAY_S else known[0]
    base = exchange.t if offset == start else exchange.answered_at
    at = [max(exchange.answered_at, base + round((time - offset) * 1e9)) for time in known]
    if not exchange.body:
        rebuilder = Rebuilder()
        blocks = [
            rebuilder.block(text(m.get("eventName")), text(m.get("data")), text(m.get("eventId")))
            for m in found
        ]
        exchange.body = b"".join(blocks)
        sizes = list(map(len, blocks))
        exchange.notes.append(Note(t=exchange.t, text=NOTE))
    else:
        sizes = _block_sizes(exchange.body)
        if len(sizes) != len(found):
            return
        sizes[-1] += len(exchange.body) - sum(sizes)
    exchange.reads = list(zip(accumulate(at, max), sizes, strict=True))
    exchange.closed_at = max(exchange.closed_at or 0, exchange.reads[-1][0])


def _block_sizes(body: bytes) -> list[int]:
    """The bytes up to the end of each dispatched event, from the end of the one before."""
    parser = Parser(limit=len(body) + 1)
    try:
        ends = [item.end for item in parser.feed(body) if isinstance(item, Event)]
    except EventTooLarge:
        return []
    return [end - before for end, before in zip(ends, [0, *ends], strict=False)]


def _records(exchanges: list[Exchange], timed: bool, own: dict[str, Any]) -> Iterator[Record]:
    numbering = ConnectionNumbers()
    others = other_records(own)
    known = {exchange.numbers for exchange in exchanges}
    numbered = None not in known and len(known) == len(exchanges)
    count = 0
    last = 0
    for exchange in exchanges:
        if not timed:
            exchange.t = exchange.answered_at = 0
            exchange.phases, exchange.reads, exchange.closed_at = (), None, None
        numbers = exchange.numbers if numbered and exchange.numbers else numbering.next(exchange)
        for record in exchange.records(*numbers):
            while others and others[0][0] <= count:
                yield others.pop(0)[1]
                count += 1
            yield record
            last = max(last, record.t)
            count += 1
    yield from (record for _, record in others)
    if not any(isinstance(record, End) for _, record in others):
        yield End(t=last, reason="imported")
