"""Errors in what is no event: a line that the standard ignores, a block without data, the rest of a cut body.

Servers and proxies that fail while they stream write what they have: ``error: {…}`` as a field of its own, JSON without
``data:``, perhaps over several lines, a bare ``upstream error: …``, gRPC's trailers. No conforming client ever sees it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import unquote

from sse_tui.dialects.base import Delta, Dialect, StreamFault
from sse_tui.dialects.error_names import announces
from sse_tui.dialects.error_text import fault_in_text
from sse_tui.dialects.inband import (
    Setting,
    fault_alone,
    fault_behind,
    fault_in,
    fault_in_any,
    fault_in_unknown,
    named,
)
from sse_tui.dialects.payload import JsonError, decode, string
from sse_tui.eventstream.items import Event, Ignored, Item, NoData, Tail

_LINES = 64
"""Lines of one JSON text that are waited for."""
_LENGTH = 16_384

_BLOCK = re.compile(r"(?:data|event|id)(?::|$)", re.M)
_MEMBER = re.compile(r'\s*"(?:error|errors|error_type|detail|fault)"\s*:\s*(.*?),?\s*$', re.S)
_OPENS = ("{", "[")
_PART_3 = re.compile(r'3:("(?:[^"\\]|\\.)+")\s*')  # the error of the AI SDK's first data stream protocol

# https://grpc.github.io/grpc/core/md_doc_statuscodes.html
_GRPC = (
    *("OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS"),
    *(
        "PERMISSION_DENIED",
        "RESOURCE_EXHAUSTED",
        "FAILED_PRECONDITION",
        "ABORTED",
        "OUT_OF_RANGE",
        "UNIMPLEMENTED",
    ),
    *("INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED"),
)


def _of_part(text: str) -> StreamFault | None:
    """The error in a JSON string."""
    try:
        return StreamFault(None, None, string(decode(text)))
    except JsonError:
        return None


def stray_text(item: Item) -> str:
    """What an item that is no event holds for `Dialect.read_ignored`; "" for nothing."""
    if isinstance(item, Ignored):
        return item.line
    if isinstance(item, Tail):
        return item.text
    return f"event: {item.type}" if isinstance(item, NoData) and announces(item.type) else ""


class StrayLines(Dialect):
    """A dialect of event streams, which recognises errors in what does not belong to any event."""

    # Whether an event came before, and whether such a line did: a text at the very beginning is none of an answer.
    _begun: bool = True
    _strayed: bool = False
    # The lines of a JSON text that is not complete, and what gRPC's trailers have said.
    _held: tuple[str, ...] = ()
    _grpc: StreamFault | None = None

    def read_ignored(self, line: str) -> Sequence[Delta]:
        """The error in a line, or in the rest of a body; nothing else in them has a meaning."""
        fault = _in_block(line) if _BLOCK.match(line) else self._in_line(line)
        if fault is None:
            return ()
        self._failed = True
        return (fault,)

    def fault_of(self, event: Event) -> StreamFault | None:
        """The error that an event is in which the dialect found nothing."""
        fault = fault_outside(event.type, event.data, Setting.EXPECTED)
        if fault is None and self.json_due:
            try:
                fault = fault_in_any(decode(event.data))
            except JsonError:
                fault = fault_behind(event.data) or fault_in_text(event.data)
        self._failed = self._failed or fault is not None
        return fault

    def _in_line(self, line: str) -> StreamFault | None:
        name, colon, value = line.partition(":")
        if colon and name.rstrip().lower() in ("error", "exception"):
            self._held = ()
            return _announced(value.strip(), name.rstrip().lower())
        if colon and name.startswith("grpc-"):
            return self._trailer(name, value.strip())
        if name == "3" and (part := _PART_3.fullmatch(line)) is not None:
            return _of_part(part[1])
        text = line.strip()
        if self._held or text.startswith(_OPENS) or _MEMBER.match(line):
            return self._json(line)
        if line[:1].isspace():
            return None  # the line of a text that was to be data
        if line.startswith("<") and not self._begun:
            return None  # the whole body is a page
        first, self._strayed = not (self._begun or self._strayed), True
        return fault_in_text(line, exact=not (self.json_due or first))

    def _json(self, line: str) -> StreamFault | None:
        """A line of a JSON text. The member that is the error counts at once: the body may end before the text does."""
        member = _MEMBER.match(line)
        first = not self._held
        if first and member is not None:
            self._held = ("{",)  # the line before was the data of an event
        held = (*self._held, line)
        self._held = held if len(held) <= _LINES and sum(map(len, held)) <= _LENGTH else ()
        text = "\n".join(held)
        if line.rstrip(" \t,").endswith(("}", "]")):
            for whole in (text, text + "}") if first else (text,):
                fault = _in_json(whole.rstrip(" \t,"))
                if fault is not _NO_JSON:
                    self._held = ()
                    return fault if isinstance(fault, StreamFault) else None
        if member is None or not member[1]:
            return None
        if member[1] in _OPENS:
            return StreamFault(None, None, None)  # what it says follows
        fault = _in_json("{" + line.strip().rstrip(",") + "}")
        return fault if isinstance(fault, StreamFault) else None

    def _trailer(self, name: str, value: str) -> StreamFault | None:
        """gRPC's status and message, one after the other in either order."""
        kind, code, message = self._grpc or StreamFault(None, None, None)
        if name == "grpc-message":
            message = unquote(value) or None
        elif name == "grpc-status" and value.isdecimal() and len(value) <= 3:
            code = int(value)
            kind = _GRPC[code] if code < len(_GRPC) else None
        self._grpc = StreamFault(kind, code, message)
        return self._grpc if code else None


_NO_JSON = object()


def _in_json(text: str) -> Any:
    """The error that a JSON text outside any event reports, or None; `_NO_JSON` where the text is not JSON."""
    try:
        payload = decode(text)
    except JsonError:
        try:
            payload = decode(text.replace("\n", " "))  # a line feed inside a string, as C++ servers leave it
        except JsonError:
            return _NO_JSON
    return fault_in_unknown(payload, Setting.OTHERS) if isinstance(payload, dict) else fault_in_any(payload)


def _in_block(text: str) -> StreamFault | None:
    """The error of an event that was not dispatched: the rest of a body, or a block without data."""
    kind, data = "", []
    for line in text.split("\n"):
        name, _, value = line.partition(":")
        if name == "event":
            kind = value.strip()
        elif name == "data":
            data.append(value.removeprefix(" "))
    return fault_outside(kind, "\n".join(data))


def fault_outside(kind: str, data: str, setting: Setting = Setting.UNKNOWN) -> StreamFault | None:
    """The error that an event of this type and data reports, where it is no part of the stream that came before."""
    if announces(kind):
        return _announced(data, kind)
    try:
        payload = decode(data)
    except JsonError:
        return None
    return fault_in(payload) or fault_alone(payload, setting) if isinstance(payload, dict) else None


def _announced(value: str, name: str) -> StreamFault:
    """The error of a field, or an event, that is named so."""
    try:
        payload = decode(value)
    except JsonError:
        payload = value
    if not isinstance(payload, dict):
        return named(StreamFault(None, None, str(payload or "") or None), name)
    fault = fault_in(payload, announced=True)
    return named(fault if fault is not None else StreamFault(None, None, value), name)
