"""Masks secrets that a model spells out over several events, a few characters each.

No event has the secret. So the text of all of them is searched, and of each event that has a part of the secret the
characters of this part are replaced by asterisks in its JSON, size kept. What cannot be located there stays: the proof
of the bundle then finds it.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from sse_tui.analysis.analysis import Analysis
from sse_tui.recording.coded_body import CodedBody
from sse_tui.recording.content import ContentDecoder
from sse_tui.recording.masking import KnownSecrets
from sse_tui.recording.records import Chunk, Record, Response, chunk

Span = tuple[int, int]

# A longer text in one event does not spell a key out, and would make a long pattern.
_LONGEST = 2000


class _Part(NamedTuple):
    """What an event wrote: the event's span in its body, and the text with where it begins, in bytes of its channel."""

    conn: int
    event: Span
    text: str
    at: int


class _Edit(NamedTuple):
    """A text in an event, and which of its characters are a part of a secret."""

    event: Span
    text: str
    secret: list[bool]


def secret_spans(
    records: Iterable[Record], analysis: Analysis, secrets: Sequence[str], again: Iterable[Record]
) -> dict[int, list[Span]]:
    """By connection, the spans of its decoded body that are to be masked.

    `records` are read by `analysis`, which is new; `again` are the same.
    """
    known = KnownSecrets()
    for secret in secrets:
        known.learn(secret)
    edits = defaultdict[int, list[_Edit]](list)
    for parts in _parts(records, analysis):
        text = "".join(part.text for part in parts)
        masked = known.mask_text(text, None).encode("utf-8", "surrogatepass")
        plain = text.encode("utf-8", "surrogatepass")
        if masked == plain:
            continue
        for part in parts:
            edit = _edit(part, plain, masked)
            if any(edit.secret) and len(part.text) <= _LONGEST:
                edits[part.conn].append(edit)
    return _located(again, edits) if edits else {}


def blanked(records: Iterable[Record], spans: dict[int, list[Span]]) -> Iterator[Record]:
    """The records with these spans of their decoded bodies replaced by asterisks."""
    bodies: dict[int, _Blanks] = {}
    coded: dict[int, CodedBody] = {}
    for record in records:
        conn = record.conn
        if conn in spans and isinstance(record, Response):
            bodies[conn] = _Blanks(spans[conn])
            coded[conn] = CodedBody(record.headers, bodies[conn])
        elif conn in spans and isinstance(record, Chunk):
            mask = coded[conn].masked if conn in coded and not coded[conn].plain else None
            data = (mask or bodies.setdefault(conn, _Blanks(spans[conn])))(record.data)
            yield chunk(record.t, data, turn=record.turn, conn=conn, clock=record.clock)
            continue
        yield record


class _Blanks:
    """Replaces spans of a body, which are in order, by asterisks, as its bytes come."""

    def __init__(self, spans: list[Span]) -> None:
        self._spans = deque(spans)
        self._at = 0

    def __call__(self, data: bytes) -> bytes:
        out = bytearray(data)
        after = self._at + len(data)
        while self._spans and self._spans[0][0] < after:
            start, end = self._spans.popleft()
            first, last = max(start - self._at, 0), min(end, after) - self._at
            out[first:last] = b"*" * (last - first)
            if end > after:
                self._spans.appendleft((after, end))
                break
        self._at = after
        return bytes(out)


def _parts(records: Iterable[Record], analysis: Analysis) -> Iterable[list[_Part]]:
    """What the events wrote, by turn and channel."""
    parts = defaultdict[tuple[int, str], list[_Part]](list)
    sizes = defaultdict[tuple[int, str], int](int)
    for record in records:
        for entry in analysis.feed(record):
            turn = analysis.turn
            if entry.span is None or entry.item is None or turn is None:
                continue
            left = entry.span[1] - entry.span[0]
            for passage in turn.transcript.since(entry.span[0]):
                text = passage.text[:left]
                left -= len(text)
                where = entry.turn, passage.channel
                span = entry.item.start, entry.item.end
                parts[where].append(_Part(entry.conn, span, text, sizes[where]))
                sizes[where] += len(text.encode("utf-8", "surrogatepass"))
                if not left:
                    break
    return parts.values()


def _edit(part: _Part, plain: bytes, masked: bytes) -> _Edit:
    secret, at = [], part.at
    for character in part.text:
        end = at + len(character.encode("utf-8", "surrogatepass"))
        secret.append(plain[at:end] != masked[at:end])
        at = end
    return _Edit(part.event, part.text, secret)


def _located(records: Iterable[Record], edits: dict[int, list[_Edit]]) -> dict[int, list[Span]]:
    """Find the characters of the edits in the bodies. Those of a connection are in the order of their events."""
    spans = defaultdict[int, list[Span]](list)
    decoders: dict[int, ContentDecoder] = {}
    bodies: dict[int, tuple[int, bytes]] = {}
    waiting = {conn: list(reversed(some)) for conn, some in edits.items()}
    for record in records:
        conn = record.conn
        if isinstance(record, Response):
            decoders[conn] = ContentDecoder(record.headers)
        if not isinstance(record, Chunk) or not waiting.get(conn):
            continue
        begin, body = bodies.get(conn, (0, b""))
        body += decoders[conn].decode(record.data) if conn in decoders else record.data
        while waiting[conn] and waiting[conn][-1].event[1] <= begin + len(body):
            edit = waiting[conn].pop()
            start, end = edit.event
            spans[conn] += _characters(edit, body[start - begin : end - begin], start)
        # What lies before the next event that is looked for is not needed any more.
        keep = waiting[conn][-1].event[0] if waiting[conn] else begin + len(body)
        done = min(max(keep - begin, 0), len(body))
        bodies[conn] = begin + done, body[done:]
    return {conn: sorted(some) for conn, some in spans.items()}


def _characters(edit: _Edit, event: bytes, begin: int) -> Iterator[Span]:
    """The spans of the characters to be masked, wherever the text is the value of a field."""
    forms = [_forms(character) for character in edit.text]
    text = b"".join(b"(?:" + b"|".join(map(re.escape, some)) + b")" for some in forms)
    for found in re.finditer(rb'[:\[,]\s*+"(' + text + rb')"', event):
        at = found.start(1)
        for some, secret in zip(forms, edit.secret, strict=True):
            size = next(len(form) for form in some if event.startswith(form, at))
            if secret:
                yield begin + at, begin + at + size
            at += size


def _forms(character: str) -> list[bytes]:
    """How a character may stand in a JSON string."""
    forms = {json.dumps(character)[1:-1], json.dumps(character, ensure_ascii=False)[1:-1]}
    forms |= {f"\\u{ord(character):04x}", f"\\u{ord(character):04X}"} if ord(character) < 0x10000 else set()
    forms |= {"\\/"} if character == "/" else set()
    return [form.encode("utf-8", "surrogatepass") for form in sorted(forms, key=len, reverse=True)]
