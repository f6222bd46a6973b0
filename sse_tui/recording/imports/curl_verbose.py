"""``curl -v`` with both of its outputs in one file: remarks (``*``), sent (``>``) and received (``<``) heads, the body.

The two outputs are separate streams that meet in one file, so a remark may follow the body's last byte without a
line end between them; therefore the end of the body is searched for the remarks that curl ends with. The lines of a
progress meter (without ``-s``) are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sse_tui.recording.imports.cut_lines import LineImporter
from sse_tui.recording.imports.heads import HEAD_LIMIT, CapturedTurn, head_too_large, request_of
from sse_tui.recording.records import Record

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


class CurlVerbose(LineImporter):
    """A request and its response on each connection, all of one turn."""

    def __init__(self) -> None:
        super().__init__()
        self._turn = CapturedTurn()
        self._scheme = "http"
        # The lines of unfinished heads: sent, received, and dumped by -i.
        self._sent: list[str] = []
        self._got: list[str] = []
        self._dumped: list[str] = []
        self._head_bytes = 0
        self._pending: list[bytes] = []
        self._reason = ("eof", "")

    def _feed(self, t: int, data: bytes) -> Iterator[Record]:
        self._t = self._turn.t = t
        yield from super()._feed(t, data)
        yield from self._flush()

    def _close(self) -> Iterator[Record]:
        yield from super()._close()
        yield from self._flush()
        yield from self._turn.close(*self._reason)

    def _take(self, begins: bool, line: bytes) -> Iterator[Record]:
        body = self._turn.body
        if not begins:
            self._take_body(line)
        elif line.startswith(b"> "):
            if (head := self._head(self._sent, line[2:])) is not None:
                yield from self._flush()
                self._turn.request = request_of(head, t=self._t, scheme=self._scheme)
        elif line.startswith(b"< ") and (self._got or line.startswith(b"< HTTP/")):
            if head := self._head(self._got, line[2:]):
                yield from self._flush()
                yield from self._turn.answer(head)
        elif line.startswith(b"* "):
            if _TLS.match(line):
                self._scheme = "https"
        elif failed := _FAILED.match(line):
            detail = f"curl: ({failed[1].decode()}) {failed[2].decode('utf-8', 'replace')}"
            self._reason = (_REASONS.get(int(failed[1]), "error"), detail)
        elif _DATA.fullmatch(line) or _METER.match(line):
            pass
        elif self._dumped or (line.startswith(b"HTTP/") and not (self._got or (body and body.begun))):
            # The head of curl -i, with only a progress meter before it.
            if head := self._head(self._dumped, line):
                yield from self._turn.answer(head)
        else:
            self._take_body(line)

    def _is_plain(self, beginning: bytes) -> bool:
        """Whether a line is part of a body whose lines end with CR alone: curl's own lines end with LF."""
        return (
            self._turn.body is not None
            and not self._dumped
            and b"\r" in beginning[:-1]
            and beginning[:1] not in _MARKS
        )

    def _take_body(self, line: bytes) -> None:
        # Text before the first head is not a body: curl's own words, or those of a script that runs it.
        if self._turn.body is not None:
            self._turn.body.begun = True
            self._pending.append(_without_remark(line))

    def _head(self, lines: list[str], line: bytes) -> list[str] | None:
        """Add a line to a head; the head at the empty line that ends it."""
        self._head_bytes += len(line)
        if self._head_bytes > HEAD_LIMIT:
            raise head_too_large()
        lines.append(line.decode("utf-8", "replace").rstrip("\r\n"))
        if line.strip():
            return None
        self._head_bytes = 0
        head = [line for line in lines if line]
        lines.clear()
        return head

    def _flush(self) -> Iterator[Record]:
        data = b"".join(self._pending)
        self._pending.clear()
        if data:
            yield from self._turn.more(data)


def _without_remark(line: bytes) -> bytes:
    if b"* " not in line or len(line) > _LAST_LINES:
        return line
    found = _LAST_REMARK.search(line)
    return line[: found.start()] if found is not None and not line[found.end() :].strip() else line
