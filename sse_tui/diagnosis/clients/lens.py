"""What a given client would have made of a body: the events it sees, the exception it raises, the text it loses.

`play` runs a client of the table in `known_clients` over a whole body. It is a small interpreter of that table and
shares nothing with this program's own parser, so each checks the other: the standard's row must agree with the parser.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from sse_tui import dialects
from sse_tui.diagnosis.clients.ends import WORDS, End
from sse_tui.diagnosis.clients.known_clients import CLIENTS, STANDARD, Client, Payloads
from sse_tui.dialects import Answer
from sse_tui.dialects.markup import deltas_of
from sse_tui.eventstream import Event
from sse_tui.fields import parameters

_LINE_END = re.compile(rb"\r\n|\r|\n")
_TEXT_LINE_END = re.compile(r"\r\n|\r|\n")
_BOM = b"\xef\xbb\xbf"


class ClientEvent(NamedTuple):
    """An event as the client sees it; `type` is "" where the stream gave none."""

    type: str
    data: str
    id: str
    retry: int | None


class Raised(NamedTuple):
    """The exception that ends the client's loop: its class name and message."""

    name: str
    message: str


class ClientResult(NamedTuple):
    """What a client made of a body.

    `events` are those that the caller gets, `raised` is the exception after them, None when the loop ends normally.
    `text` is the answer's text in those events, `lost` what the standard's reading has beyond it. `pitfalls` describes
    events that arrive but break the usual loop over them.
    """

    client: Client
    events: list[ClientEvent]
    raised: Raised | None
    text: str
    lost: str
    pitfalls: list[str]


def play(
    client: Client,
    body: bytes,
    *,
    content_type: str | None = "text/event-stream",
    dialect: str = "auto",
    end: End = "fin",
) -> ClientResult:
    """What `client` makes of a body sent with status 200 and this content type, which ended so."""
    events, raised = _run(client, body, content_type, end)
    text = _text_of(events, dialect)
    lost = ""
    if client is not STANDARD:
        lost = _missing(_text_of(_run(STANDARD, body, "text/event-stream")[0], dialect), text)
    return ClientResult(client, events, raised, text, lost, _pitfalls(client, events))


def compare(
    body: bytes,
    *,
    content_type: str | None = "text/event-stream",
    dialect: str = "auto",
    end: End = "fin",
) -> list[ClientResult]:
    """What each client of the table makes of the body, the standard first."""
    return [play(client, body, content_type=content_type, dialect=dialect, end=end) for client in CLIENTS]


class _ClientRaised(Exception):  # noqa: N818
    """The client's loop ends with an exception, of which these are the fields of `Raised`."""


def _run(
    client: Client, body: bytes, content_type: str | None, end: End = "fin"
) -> tuple[list[ClientEvent], Raised | None]:
    seen: list[ClientEvent] = []
    try:
        _check_type(client, content_type)
        decoded = _ending(client, _decode(client, _lines(client, body, content_type)), end)
        for event in _PAYLOADS[client.payloads](decoded):
            seen.append(event)  # noqa: PERF402  (those before an exception are kept)
        if client.payloads == "anthropic helper":
            _accumulate(seen)
    except _ClientRaised as end:
        return seen, Raised(*end.args)
    return seen, None


def _ending(client: Client, events: Iterator[ClientEvent], end: End) -> Iterator[ClientEvent]:
    """The events, and then what the client's HTTP library says of the end, if the client reads on to it."""
    yield from events
    raised = client.ends.get(end)
    if raised is not None:
        raise _ClientRaised(raised, f"the body ended with a {WORDS[end]}")


def _check_type(client: Client, content_type: str | None) -> None:
    essence = (content_type or "").partition(";")[0]
    if client.checks_type == "fails" and essence.strip().lower() != "text/event-stream":
        why = f"the content type is {essence!r}: the connection fails without a retry"
        raise _ClientRaised("error event", why)
    if client.checks_type == "raises" and "text/event-stream" not in essence:
        raise _ClientRaised("SSEError", f"expected text/event-stream, got {essence!r}")


def _lines(client: Client, body: bytes, content_type: str | None) -> Iterator[str]:
    """The terminated lines as text. No client dispatches what stands in an unterminated one, but it is decoded."""
    if client.strips_bom:
        body = body.removeprefix(_BOM)
    if client.charset and (decoder := _decoder(content_type)) is not None:
        try:
            whole = decoder.decode(body, True)
        except Exception as error:  # a codec that is not one of text (base64, idna) raises what it likes
            raise _ClientRaised(type(error).__name__, str(error)) from None
        yield from _TEXT_LINE_END.split(whole)[:-1]
    else:
        *lines, rest = _LINE_END.split(body)
        for line in lines:
            yield _text(client, line)
        _text(client, rest)


def _text(client: Client, line: bytes) -> str:
    try:
        return line.decode("utf-8", "replace" if client.bad_utf8 == "replace" else "strict")
    except UnicodeDecodeError as error:
        raise _ClientRaised("UnicodeDecodeError", str(error)) from None


def _decoder(content_type: str | None) -> codecs.IncrementalDecoder | None:
    """The decoder that the header names; None for UTF-8, which it also is where the header names none or no codec."""
    try:
        charset = codecs.lookup(parameters(content_type).get("charset", "utf-8").strip("'")).name
        return None if charset == "utf-8" else codecs.getincrementaldecoder(charset)("replace")
    except LookupError:
        return None
    except (ValueError, AssertionError) as error:  # of the name itself, or of how errors are to be handled
        raise _ClientRaised(type(error).__name__, str(error)) from None


def _decode(client: Client, lines: Iterator[str]) -> Iterator[ClientEvent]:
    """Lines into events."""
    type_, id_ = "", ""
    data: list[str] = []
    retry: int | None = None
    for line in lines:
        if not line:
            if data or (client.phantoms and (type_ or id_ or retry is not None)):
                yield ClientEvent(type_, "\n".join(data), id_, retry)
            type_, data, retry = "", [], None
            continue
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            data.append(value)
        elif name == "event":
            type_ = value
        elif name == "id" and "\0" not in value:
            id_ = value
        elif name == "retry":
            retry = _retry(client, value, retry)


def _retry(client: Client, value: str, before: int | None) -> int | None:
    if not client.int_retry:
        return int(value[:18]) if value.isascii() and value.isdigit() else before
    try:
        return int(value)
    except ValueError:
        return before


def _openai(events: Iterator[ClientEvent]) -> Iterator[ClientEvent]:
    for event in events:
        if event.data.startswith("[DONE]"):
            return
        data = _loads(event.data)
        if not event.type.startswith("thread.") and isinstance(data, dict) and data.get("error"):
            error = data["error"]
            message = error.get("message") if isinstance(error, dict) else None
            raise _ClientRaised("APIError", str(message or "An error occurred during streaming"))
        yield event


def _anthropic(events: Iterator[ClientEvent]) -> Iterator[ClientEvent]:
    for event in events:
        if event.type in ("", "ping"):
            continue
        if event.type == "error":
            raise _ClientRaised("APIStatusError", event.data[:200])
        if event.data:
            _loads(event.data)
            yield event


# The events that a client passes to its caller.
_PAYLOADS: dict[Payloads, Callable[[Iterator[ClientEvent]], Iterator[ClientEvent]]] = {
    "as text": iter,
    "openai": _openai,
    "anthropic": _anthropic,
    "anthropic helper": _anthropic,
}


def _loads(data: str) -> Any:
    try:
        return json.loads(data)
    except (RecursionError, ValueError) as error:
        raise _ClientRaised(type(error).__name__, str(error)) from None


def _accumulate(events: Sequence[ClientEvent]) -> None:
    """The helper builds a message; raises where that fails. It ignores events before ``message_start``."""
    blocks = -1
    for event in events:
        payload = json.loads(event.data)
        if not isinstance(payload, dict):
            name = "AttributeError" if blocks < 0 else "TypeError"
            raise _ClientRaised(name, f"an event is not an object: {event.data[:40]}")
        kind = payload.get("type")
        if blocks < 0:
            blocks = 0 if kind == "message_start" else -1
        elif kind == "content_block_start":
            blocks += 1
        elif kind in ("content_block_delta", "content_block_stop") and payload.get("index", 0) >= blocks:
            raise _ClientRaised("IndexError", "list index out of range")
    if blocks < 0:
        raise _ClientRaised("AssertionError", "")


def _text_of(events: Sequence[ClientEvent], dialect: str) -> str:
    """The answer's text in the events that the caller gets."""
    reader, answer = dialects.create(dialect), Answer()
    for event in events:
        for delta in deltas_of(reader, Event(event.type or "message", event.data, event.id, 0, 0)):
            answer.add(delta)
    return answer.text


def _missing(whole: str, part: str) -> str:
    """What `whole` has that `part` lacks, assuming that `part` is its beginning and its end."""
    start = _in_common(whole, part)
    end = _in_common(whole[start:][::-1], part[start:][::-1])
    return whole[start : len(whole) - end]


def _in_common(a: str, b: str) -> int:
    """How many characters they have in common at the beginning."""
    return next((at for at, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def _pitfalls(client: Client, events: Sequence[ClientEvent]) -> list[str]:
    """Events that break the usual loop over chunk.choices[0], in a stream whose events have choices."""
    if client.payloads != "openai" or not any('"choices"' in event.data for event in events):
        return []
    payloads = (json.loads(event.data) for event in events)
    return [
        f"event {number} has no choices, so chunk.choices[0] raises TypeError"
        for number, payload in enumerate(payloads, 1)
        if not isinstance(payload, dict) or payload.get("choices") is None
    ]
