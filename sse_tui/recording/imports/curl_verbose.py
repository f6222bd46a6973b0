"""``curl -v`` with both of its outputs in one file: what it tells (``*``), sent (``>``) and got (``<``), and the body.

The two outputs are separate streams that meet in one file, so a remark may follow the body's last byte without a
line end between them; the remarks that curl ends with are looked for there. With a progress meter (without ``-s``)
its lines are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

from sse_tui.recording.imports.heads import HEAD_LIMIT, CapturedBody, request_of, response_head
from sse_tui.recording.imports.marked import CutLines, LinePiece
from sse_tui.recording.imports.piece import Piece, malformed
from sse_tui.recording.records import End, Record, Request

_DATA = re.compile(rb"[{}] \[\d+ bytes data\]\r?\n?")
_FAILED = re.compile(rb"curl: \((\d+)\) ([^\r\n]*)")
_METER = re.compile(rb"\s*(?:% Total|Dload  Upload)|\r?\s*\d+\s+[\d.]+[kMGT]?\s+\d+\s+[\d.]+[kMGT]?\s.*--:--")
_LAST_REMARK = re.compile(
    rb"\* (?:Connection #\d+ to host |Closing connection|transfer closed with |Recv failure: |Operation timed out"
    rb"|HTTP/2 stream \d+ was not closed|we are done reading)[^\r\n]*"
)
# First bytes of what curl writes itself: remarks, heads, its meter, "curl: (56)", "HTTP/1.1".
_MARKS = frozenset(bytes([byte]) for byte in b"*<>{}c %\r0123456789H")
_LAST_LINES = 1 << 16
_TLS = re.compile(rb"\* (?:SSL connection using|ALPN: server|using TLS)")
# Exit codes of curl: https://curl.se/libcurl/c/libcurl-errors.html
_REASONS = {18: "incomplete", 28: "timeout", 55: "reset", 56: "reset", 92: "incomplete"}


def records(pieces: Iterable[Piece]) -> Iterator[Record]:
    """The records of the output: a request and its response a connection, all of one turn."""
    verbose = _Verbose()
    t = 0
    for t, data in pieces:
        yield from verbose.feed(t, data)
    yield from verbose.close(t)
    yield End(t=t, reason="imported")


class _Verbose:
    def __init__(self) -> None:
        self._lines = CutLines(self._is_body)
        self._t = 0
        self._conn = 0
        self._scheme = "http"
        self._sent: list[str] = []
        self._got: list[str] = []
        self._dumped: list[str] = []
        self._begun = False
        self._head_bytes = 0
        self._body: CapturedBody | None = None
        self._request: Request | None = None
        self._pending: list[bytes] = []
        self._reason = ("eof", "")

    def feed(self, t: int, data: bytes) -> list[Record]:
        self._t = t
        out: list[Record] = []
        for part in self._lines.feed(data):
            self._part(part, out)
        self._flush(out)
        return out

    def close(self, t: int) -> list[Record]:
        out: list[Record] = []
        for part in self._lines.close():
            self._part(part, out)
        self._flush(out)
        if self._request is not None and self._body is None:
            self._conn += 1
            out.append(msgspec.structs.replace(self._request, conn=self._conn))
        if self._body is not None:
            out += self._body.close(t, *self._reason)
        return out

    def _part(self, part: LinePiece, out: list[Record]) -> None:
        line = part.data
        if not part.begins:
            self._body_part(line)
        elif line.startswith(b"> "):
            self._took(self._sent, line[2:])
            if not line[2:].strip():
                self._flush(out)
                self._asked()
        elif line.startswith(b"< ") and (self._got or line.startswith(b"< HTTP/")):
            self._took(self._got, line[2:])
            if not line[2:].strip():
                self._flush(out)
                lines, self._got = self._got, []
                self._answered(lines, out)
        elif line.startswith(b"* "):
            if _TLS.match(line):
                self._scheme = "https"
        elif failed := _FAILED.match(line):
            self._failed(int(failed[1]), failed[2])
        elif _DATA.fullmatch(line) or _METER.match(line):
            pass
        elif self._dumped or (line.startswith(b"HTTP/") and not (self._begun or self._got)):
            # The head of curl -i, with only a progress meter before it.
            self._took(self._dumped, line)
            if not line.strip():
                lines, self._dumped = self._dumped, []
                self._answered(lines, out)
        else:
            self._body_part(line)

    def _body_part(self, line: bytes) -> None:
        # What stands before the first head is no body: curl's own words, or those of a script around it.
        if self._body is not None:
            self._begun = True
            self._pending.append(_without_remark(line))

    def _is_body(self, beginning: bytes) -> bool:
        """Whether a line that begins so is of a body whose lines end with CR alone: curl's own end with LF."""
        return (
            self._body is not None
            and not self._dumped
            and b"\r" in beginning[:-1]
            and beginning[:1] not in _MARKS
        )

    def _took(self, lines: list[str], line: bytes) -> None:
        self._head_bytes += len(line)
        if self._head_bytes > HEAD_LIMIT:
            raise malformed("head", f"A header section is larger than {HEAD_LIMIT} bytes.")
        lines.append(line.decode("utf-8", "replace").rstrip("\r\n"))

    def _asked(self) -> None:
        if self._sent:
            lines, self._sent = [line for line in self._sent if line], []
            self._head_bytes = 0
            self._request = request_of(lines, t=self._t, turn=1, conn=0, scheme=self._scheme)

    def _answered(self, lines: list[str], out: list[Record]) -> None:
        self._head_bytes = 0
        head = response_head([line for line in lines if line])
        if head.interim:
            return
        if self._body is not None:
            out += self._body.close(self._t)
        self._conn += 1
        if self._request is not None:
            out.append(msgspec.structs.replace(self._request, conn=self._conn))
            self._request = None
        self._body = CapturedBody(head, t=self._t, turn=1, conn=self._conn)
        self._begun = False
        out += self._body.begin()

    def _failed(self, code: int, words: bytes) -> None:
        detail = f"curl: ({code}) {words.decode('utf-8', 'replace')}"
        self._reason = (_REASONS.get(code, "error"), detail)

    def _flush(self, out: list[Record]) -> None:
        data = b"".join(self._pending)
        self._pending.clear()
        if data and self._body is not None:
            out += self._body.feed(self._t, data)


def _without_remark(line: bytes) -> bytes:
    if b"* " not in line or len(line) > _LAST_LINES:
        return line
    found = _LAST_REMARK.search(line)
    return line[: found.start()] if found is not None and not line[found.end() :].strip() else line
