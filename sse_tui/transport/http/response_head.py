"""The head of an HTTP/1.1 response, and how the end of its body is found (RFC 9112).

What curl reads is read, with a note of what is not regular; what it refuses, and what could be read in two ways, is an
error. A strict parser would keep the very responses from a reader that are to be looked into.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from sse_tui.recording.content import DECODABLE
from sse_tui.recording.records import Irregularity

_STATUS = re.compile(rb"HTTP/(1\.\d|2(?:\.0)?)[ \t]+(\d{3})(?:[ \t]+(.*)|)", re.IGNORECASE | re.DOTALL)
_REGULAR_STATUS = re.compile(rb"HTTP/1\.[01] \d{3}(?: .*)?", re.DOTALL)
_TOKEN = re.compile(rb"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_CONTROL = re.compile(rb"[\x01-\x08\x0a-\x1f\x7f]")
_DIGITS = re.compile(rb"\d{1,18}")
_NO_BODY = {204, 304}
_TRANSFER_CODINGS = {b"chunked", b"identity", *(coding.encode() for coding in DECODABLE)}


class Http1Error(Exception):
    """What came is not HTTP/1.1, or beyond a limit."""


class HeadError(Http1Error):
    """An HTTP response that cannot be read: clients refuse it."""


class Head(NamedTuple):
    """A response's status line and headers, as they were sent; `irregular` is what clients are lenient about."""

    status: int
    reason: bytes
    http_version: str
    headers: list[tuple[bytes, bytes]]
    irregular: frozenset[Irregularity] = frozenset()

    @property
    def interim(self) -> bool:
        """Whether another head follows instead of a body (1xx, except 101 Switching Protocols)."""
        return self.status < 200 and self.status != 101


class Framing(NamedTuple):
    """How the end of a body is found: it is `chunked`, it has `length` bytes, or else it goes on until the close."""

    chunked: bool = False
    length: int | None = None
    irregular: frozenset[Irregularity] = frozenset()


def parse_head(raw: bytes) -> Head:
    """The head with these lines, blank line included. Raises Http1Error."""
    irregular: set[Irregularity] = set()
    lines = raw.split(b"\n")[:-2]
    if not all(line.endswith(b"\r") for line in lines) or not raw.endswith(b"\r\n"):
        irregular.add(Irregularity.LF_IN_HEAD)
    lines = [line.removesuffix(b"\r") for line in lines]
    status = status_line(lines[0])
    if not _REGULAR_STATUS.fullmatch(lines[0]):
        irregular.add(Irregularity.STATUS_LINE)
    headers = _headers(lines[1:], irregular)
    version = status[1].decode("ascii")
    return Head(int(status[2]), status[3] or b"", f"HTTP/{version}", headers, frozenset(irregular))


def status_line(line: bytes) -> re.Match[bytes]:
    """The version, the status and the reason in a status line. Raises Http1Error for anything else."""
    match = _STATUS.fullmatch(line.removesuffix(b"\r"))
    if match is None:
        raise Http1Error("its first line is not a status line")
    return match


def _headers(lines: list[bytes], irregular: set[Irregularity]) -> list[tuple[bytes, bytes]]:
    fields: list[tuple[bytes, list[bytes]]] = []
    for line in lines:
        if b"\0" in line:
            raise HeadError("a header contains NUL")
        if line[:1] in (b" ", b"\t"):
            if not fields:
                raise HeadError("a continuation line follows the status line")
            irregular.add(Irregularity.OBS_FOLD)
            value = line
            fields[-1][1].append(line.strip(b" \t"))
        else:
            name, colon, value = line.partition(b":")
            if not colon:
                raise HeadError(f"the header line {line[:40]!r} has no colon")
            bare = name.rstrip(b" \t")
            if bare != name:
                irregular.add(Irregularity.SPACE_BEFORE_COLON)
            if not _TOKEN.fullmatch(bare):
                irregular.add(Irregularity.HEADER_NAME)
            fields.append((bare, [value.strip(b" \t")]))
        if _CONTROL.search(value):
            irregular.add(Irregularity.CONTROL_CHARACTER)
    return [(name, b" ".join(parts)) for name, parts in fields]


def framing_of(head: Head, method: str) -> Framing:
    """How the body of the response to a request of this method ends (section 6.3). Raises HeadError."""
    if method == "HEAD" or head.status in _NO_BODY:
        return Framing(length=0)
    codings = [coding.lower() for coding in _elements(head, b"transfer-encoding")]
    lengths = _elements(head, b"content-length")
    if codings:
        irregular = {Irregularity.TRANSFER_CODINGS} if codings != [b"chunked"] else set()
        for coding in codings:
            if coding not in _TRANSFER_CODINGS:
                raise HeadError(f"its transfer coding {coding[:40].decode('latin-1')!r} is not supported")
        if b"chunked" in codings:
            # It overrides Content-Length, although both together may be an attempt at smuggling.
            if lengths:
                irregular.add(Irregularity.LENGTH_AND_CHUNKED)
            return Framing(chunked=True, irregular=frozenset(irregular))
    else:
        irregular = set()
    if not lengths:
        return Framing(irregular=frozenset(irregular))
    if len(set(lengths)) > 1:
        values = " and ".join(value[:20].decode("latin-1") for value in sorted(set(lengths))[:2])
        raise HeadError(f"its Content-Length fields contradict each other ({values})")
    if not _DIGITS.fullmatch(lengths[0]):
        raise HeadError(f"its Content-Length is {lengths[0][:40].decode('latin-1')!r}")
    if len(lengths) > 1:
        irregular.add(Irregularity.REPEATED_LENGTH)
    return Framing(length=int(lengths[0]), irregular=frozenset(irregular))


def _elements(head: Head, name: bytes) -> list[bytes]:
    """The elements of all fields of that name; an empty Content-Length is an element, for it means nothing."""
    values = [value for given, value in head.headers if given.lower() == name]
    parts = [part.strip(b" \t") for value in values for part in value.split(b",")]
    return parts if name == b"content-length" else [part for part in parts if part]
