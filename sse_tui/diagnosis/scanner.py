"""What only the raw bytes tell: marks, bad UTF-8, line ends, missing spaces, secrets.

Everything is searched in whole reads with the C routines of `bytes`, a handful of them a read, so that a healthy stream
costs next to nothing an event.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

_NO_SPACE = re.compile(rb"[\r\n](data|event|id|retry):[^ \r\n]")
_FIELDS = (b"data:", b"\nevent:", b"\nid:")
_BLANK_LINES = re.compile(rb"(?>\r\n|\r|\n){3}")
_LONE_CR = re.compile(rb"\r(?!\n)")
_LF_CR = re.compile(rb"\n\r(?!\n)")
_SEPARATORS_ASCII = (b"\x0b", b"\x0c", b"\x1c", b"\x1d", b"\x1e")
_SEPARATORS = (b"\xe2\x80\xa8", b"\xe2\x80\xa9", b"\xc2\x85")
_OVERLAP = 64
_SMALL = 4096
_STYLE = 64 * 1024  # a writer's habits show in the beginning of a body
_NO_KEY = 512  # a usual event up to this size is a token or two, and no place for a key
_PLAIN = bytes([0x09, *range(0x20, 0x7F), *range(0x80, 0x100)])
_BLOCK_OF_THREE = re.compile(rb"(?:(?:data|event|id): [^\n]*\n){3}\n")
_STARTS = (b"data: ", b"event: ", b"id: ")
_MARKS_A_READ = 4

# Keys whose form is unmistakable; what is already masked does not match.
_SECRET_STARTS = (b"sk-", b"AIza", b"ghp_", b"xoxb-", b"Bearer ")
SECRET = re.compile(
    rb"(?<![A-Za-z0-9_-])(sk-(?:proj-|ant-|or-)?[A-Za-z0-9_-]{24,}|AIza[A-Za-z0-9_-]{35}|ghp_[A-Za-z0-9]{36}"
    rb"|xoxb-[0-9A-Za-z-]{24,}|Bearer [A-Za-z0-9._~+/-]{24,})"
)


class Mark(NamedTuple):
    """Something found in the bytes: `kind` is the part of its trigger after the colon."""

    kind: str
    start: int
    end: int
    evidence: Mapping[str, Any]


class Scanner:
    """Looks through one body, read by read."""

    __slots__ = (
        *("_blank_lines", "_cr_held", "_no_space", "_partial", "_tail", "_told", "crs", "crlfs"),
        *("lfs", "offset", "separators_to", "split_crlf"),
    )

    def __init__(self) -> None:
        self.offset = 0
        self.crlfs = 0
        self.crs = 0
        self.lfs = 0
        self.split_crlf = 0  # CRLFs that two reads shared
        self.separators_to = 0  # up to where a character that is no line end, but taken for one, may stand
        self._partial = b""
        self._tail = b"\n"
        self._cr_held = False
        self._no_space = False
        self._blank_lines = 0
        self._told: set[str] = set()

    def feed(self, data: bytes) -> list[Mark]:
        """The marks in the next bytes of the body."""
        marks: list[Mark] = []
        if len(self._tail) > _OVERLAP:
            self._tail = self._tail[-_OVERLAP:]
        if self.offset < 3:
            self._bom(data, marks)
        view = self._tail + data
        at = self.offset - len(self._tail)
        if self._partial or not data.isascii():
            self._utf8(data, marks)
            if any(separator in view for separator in _SEPARATORS):
                self.separators_to = self.offset + len(data)
        for separator in _SEPARATORS_ASCII:
            if separator in data:
                self.separators_to = self.offset + len(data)
        if self._cr_held or b"\r" in data:
            self._ends(data, marks)
        elif not self.lfs or self.crlfs or self.crs:
            self.lfs += data.count(b"\n")
            self._mixed(marks)
        self._lines(view, at, marks)
        self.offset += len(data)
        self._tail = view[-_OVERLAP:]
        return marks

    def close(self) -> list[Mark]:
        """The marks that the end of the body makes."""
        marks: list[Mark] = []
        if self._cr_held:
            self.crs += 1
            self._cr_held = False
            self._tell("cr", self.offset - 1, 1, marks)
            self._mixed(marks)
        if self._partial:
            start = self.offset - len(self._partial)
            marks.append(Mark("utf8", start, self.offset, {"hex": self._partial.hex(), "cut": True}))
            self._partial = b""
        return marks

    def passes(self, data: bytes) -> bool:
        """Pass over a read that is one whole block, of plain lines, in which there is nothing to find.

        False, and nothing done, for any other: it has to be fed.
        """
        if len(data) > _SMALL or self._partial or self._cr_held or self.crlfs or not self.lfs:
            return False
        ends = data.translate(None, _PLAIN)
        if data[-2:] != b"\n\n" or not data.startswith(_STARTS):
            return False
        if ends == b"\n\n\n":
            if not data.startswith(_STARTS, data.find(b"\n") + 1):
                return False
        elif ends != b"\n\n" and not (ends == b"\n\n\n\n" and _BLOCK_OF_THREE.fullmatch(data)):
            return False
        if len(data) > _NO_KEY and any(key in data for key in _SECRET_STARTS):
            return False
        if not (data.isascii() or _is_plain_text(data)):
            return False
        self.offset += len(data)
        self._tail = data
        return True

    def _bom(self, data: bytes, marks: list[Mark]) -> None:
        first = (self._tail[1:] + data)[:3] if self.offset else data[:3]
        if first == b"\xef\xbb\xbf":
            marks.append(Mark("bom", 0, 3, {}))

    def _utf8(self, data: bytes, marks: list[Mark]) -> None:
        rest = self._partial + data
        at = self.offset - len(self._partial)
        self._partial = b""
        for _ in range(_MARKS_A_READ):
            try:
                rest.decode("utf-8")
            except UnicodeDecodeError as error:
                if error.reason == "unexpected end of data" and error.end == len(rest):
                    self._partial = rest[error.start :]
                    return
                bad = rest[error.start : error.end]
                start = at + error.start
                if marks and marks[-1].kind == "utf8" and marks[-1].end == start:
                    earlier = marks.pop()
                    start, bad = earlier.start, bytes.fromhex(earlier.evidence["hex"]) + bad
                marks.append(Mark("utf8", start, at + error.end, {"hex": bad.hex()}))
                at += error.end
                rest = rest[error.end :]
            else:
                return
        self._partial = _unfinished(rest)

    def _ends(self, data: bytes, marks: list[Mark]) -> None:
        """Count the line ends of a read in which there is a CR, or that follows one."""
        at = self.offset
        if self._cr_held and data[:1] == b"\n":
            self.split_crlf += 1
        if self._cr_held:
            data = b"\r" + data
            at -= 1
        self._cr_held = data.endswith(b"\r")
        if self._cr_held:
            data = data[:-1]
        crlfs = data.count(b"\r\n")
        self.crlfs += crlfs
        self.crs += data.count(b"\r") - crlfs
        self.lfs += data.count(b"\n") - crlfs
        if crlfs:
            self._tell("crlf", at + data.find(b"\r\n"), 2, marks)
        if (found := _LF_CR.search(data)) is not None:
            self._tell("lf-cr", at + found.start(), 2, marks)
        if (found := _LONE_CR.search(data)) is not None:
            self._tell("cr", at + found.start(), 1, marks)
        self._mixed(marks)

    def _mixed(self, marks: list[Mark]) -> None:
        if (self.crlfs > 0) + (self.crs > 0) + (self.lfs > 0) > 1:
            self._tell("mixed", self.offset, 0, marks)

    def _tell(self, kind: str, start: int, size: int, marks: list[Mark]) -> None:
        """Mark the first line end of a kind."""
        if kind not in self._told:
            self._told.add(kind)
            counts = {"kind": kind, "crlf": self.crlfs, "cr": self.crs, "lf": self.lfs}
            marks.append(Mark("ends", start, start + size, counts))

    def _lines(self, view: bytes, at: int, marks: list[Mark]) -> None:
        if (
            not self._no_space
            and at < _STYLE
            and any(view.count(name) != view.count(name + b" ") for name in _FIELDS)
        ):
            found = _NO_SPACE.search(view)
            if found is not None:
                self._no_space = True
                field = found[1].decode()
                marks.append(Mark("no-space", at + found.start() + 1, at + found.end(), {"field": field}))
        if b"\n\n\n" in view or b"\r" in view:
            blank = _BLANK_LINES.search(view)
            if blank is not None and at + blank.end() > self.offset and self._blank_lines < _MARKS_A_READ:
                self._blank_lines += 1
                marks.append(Mark("blank-lines", max(0, at + blank.start()), at + blank.end(), {}))
        for start in _SECRET_STARTS:
            if start in view:
                self._secrets(view, at, marks)
                return

    def _secrets(self, view: bytes, at: int, marks: list[Mark]) -> None:
        found = SECRET.search(view)
        if found is not None and "secret" not in self._told:
            self._told.add("secret")
            marks.append(
                Mark("secret", max(0, at + found.start()), at + found.end(), {"masked": mask(found[1])})
            )


def mask(secret: bytes) -> str:
    """Enough of a secret to know it again, and no more."""
    text = secret.decode("ascii", "replace")
    return f"{text[:4]}... ({len(text)} characters)"


def _is_plain_text(data: bytes) -> bool:
    """Whether it is UTF-8 without a character that some take for a line end."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return b"\xe2\x80\xa8" not in data and b"\xe2\x80\xa9" not in data and b"\xc2\x85" not in data


def _unfinished(rest: bytes) -> bytes:
    """The character under way at the end of `rest`, b"" for none."""
    for size in (3, 2, 1):
        try:
            rest[-size:].decode("utf-8")
        except UnicodeDecodeError as error:
            if (
                error.start == 0
                and error.reason == "unexpected end of data"
                and error.end == len(rest[-size:])
            ):
                return rest[-size:]
    return b""
