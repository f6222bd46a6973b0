"""What shows only in the raw bytes: byte order marks, bad UTF-8, lost characters, line ends, missing spaces, secrets.

Whole reads are searched with the C routines of `bytes`, a handful of calls a read, so that a healthy stream costs next
to nothing per event.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sse_tui.secret_names import KEY_FORMS

_NO_SPACE = re.compile(rb"[\r\n](data|event|id|retry):[^ \r\n]")
_FIELDS = (b"data:", b"\nevent:", b"\nid:")
# U+FFFD as a server sends it, as UTF-8 or as an escape: not what a decoder on this side made of bad bytes.
_REPLACED = re.compile(rb"\xef\xbf\xbd|\\ufffd|\\uFFFD")
_BLANK_LINES = re.compile(rb"(?>\r\n|\r|\n){3}")
_LONE_CR = re.compile(rb"\r(?!\n)")
_LF_CR = re.compile(rb"\n\r(?!\n)")
_SEPARATORS_ASCII = (b"\x0b", b"\x0c", b"\x1c", b"\x1d", b"\x1e")
_SEPARATORS = (b"\xe2\x80\xa8", b"\xe2\x80\xa9", b"\xc2\x85")
_OVERLAP = 64
_SMALL = 4096
_STYLE = 64 * 1024  # bytes: how a server writes its fields shows at the beginning of a body
_NO_KEY = 512  # bytes: a usual event up to this size holds a token or two and has no room for a key
_PLAIN = bytes([0x09, *range(0x20, 0x5C), *range(0x5D, 0x7F), *range(0x80, 0x100)])
_BLOCK_OF_THREE = re.compile(rb"(?:(?:data|event|id): [^\n]*\n){3}\n")
_STARTS = (b"data: ", b"event: ", b"id: ")
_MATCHES_A_READ = 4

_SECRET_STARTS = (b"sk-", b"AIza", b"ghp_", b"xoxb-", b"Bearer ")
SECRET = re.compile(KEY_FORMS.encode())


class ByteMatch(NamedTuple):
    """Something found in the bytes: `kind` is the part of its trigger after the colon."""

    kind: str
    start: int
    end: int
    evidence: Mapping[str, Any]


@dataclass(slots=True)
class Scanner:
    """Searches one body, read by read."""

    offset: int = 0
    crlfs: int = 0
    crs: int = 0
    lfs: int = 0
    split_crlf: int = 0  # CRLFs that two reads shared
    split_characters: int = 0  # characters that two reads shared
    replaced: int = 0  # times that U+FFFD came in the data
    separators_to: int = 0  # offset up to which there may be characters that some clients take for line ends
    _partial: bytes = b""
    _tail: bytes = b"\n"
    _cr_held: bool = False
    _blank_lines: int = 0
    _reported: set[str] = field(default_factory=set)

    @property
    def within_character(self) -> bool:
        """Whether the bytes so far end inside a character."""
        return self._partial != b""

    def feed(self, data: bytes, more: bool = False) -> list[ByteMatch]:
        """What is found in the next bytes of the body; `more`: of the same read as those before."""
        matches: list[ByteMatch] = []
        if not more and data:
            self.split_characters += self._partial != b"" and 0x80 <= data[0] < 0xC0
            self.split_crlf += self._cr_held and data[0] == 0x0A
        if len(self._tail) > _OVERLAP:
            self._tail = self._tail[-_OVERLAP:]
        if self.offset < 3 and (self._tail[1:] + data)[:3] == b"\xef\xbb\xbf":
            matches.append(ByteMatch("bom", 0, 3, {}))
        view = self._tail + data
        at = self.offset - len(self._tail)
        if self._partial or not data.isascii():
            self._utf8(data, matches)
            if any(separator in view for separator in _SEPARATORS):
                self.separators_to = self.offset + len(data)
        for separator in _SEPARATORS_ASCII:
            if separator in data:
                self.separators_to = self.offset + len(data)
        if b"\xef\xbf\xbd" in view or b"\\ufffd" in view or b"\\uFFFD" in view:
            self._replacements(view, at, matches)
        if self._cr_held or b"\r" in data:
            self._ends(data, matches)
        elif not self.lfs or self.crlfs or self.crs:
            self.lfs += data.count(b"\n")
            self._mixed(matches)
        self._lines(view, at, matches)
        self.offset += len(data)
        self._tail = view[-_OVERLAP:]
        return matches

    def close(self) -> list[ByteMatch]:
        """What is found at the end of the body."""
        matches: list[ByteMatch] = []
        if self._cr_held and self.crlfs and not self.crs and not self.lfs:
            self._cr_held = False  # half of a CRLF: the body ends with it, and is whole without the LF
        elif self._cr_held:
            self.crs += 1
            self._cr_held = False
            self._report_first("cr", self.offset - 1, 1, matches)
            self._mixed(matches)
        if self._partial:
            start = self.offset - len(self._partial)
            matches.append(ByteMatch("utf8", start, self.offset, {"hex": self._partial.hex(), "cut": True}))
            self._partial = b""
        return matches

    def passes(self, data: bytes) -> bool:
        """Skip a read that is one whole block of plain lines in which there is nothing to find.

        False, with nothing done, for any other read: that has to go to `feed`.
        """
        if len(data) > _SMALL or self._partial or self._cr_held or self.crlfs or not self.lfs:
            return False
        # One pass in C leaves only line ends, control characters and backslashes; a plain block of one or two fields
        # leaves two or three LFs. Three fields leave four, and so would a blank line too many: those are matched in
        # full. Each further call costs more than it seems, since it is made once a read.
        ends = data.translate(None, _PLAIN)
        if data[-2:] != b"\n\n" or not data.startswith(_STARTS):
            return False
        if ends != b"\n\n":
            if 0x5C in ends:
                if b"\\ufffd" in data or b"\\uFFFD" in data:
                    return False
                ends = ends.replace(b"\\", b"")
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

    def _utf8(self, data: bytes, matches: list[ByteMatch]) -> None:
        # Adjacent errors are one match: a decoder reports the bytes of one bad character piece by piece.
        rest = self._partial + data
        at = self.offset - len(self._partial)
        self._partial = b""
        for _ in range(_MATCHES_A_READ):
            try:
                rest.decode("utf-8")
            except UnicodeDecodeError as error:
                if error.reason == "unexpected end of data" and error.end == len(rest):
                    self._partial = rest[error.start :]
                    return
                bad = rest[error.start : error.end]
                start = at + error.start
                if matches and matches[-1].kind == "utf8" and matches[-1].end == start:
                    earlier = matches.pop()
                    start, bad = earlier.start, bytes.fromhex(earlier.evidence["hex"]) + bad
                matches.append(ByteMatch("utf8", start, at + error.end, {"hex": bad.hex()}))
                at += error.end
                rest = rest[error.end :]
            else:
                return
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        decoder.decode(rest)
        self._partial = decoder.getstate()[0]

    def _replacements(self, view: bytes, at: int, matches: list[ByteMatch]) -> None:
        """Count what was not counted with the read before."""
        found = [match for match in _REPLACED.finditer(view) if at + match.end() > self.offset]
        if found:
            self.replaced += len(found)
            start, end = at + found[0].start(), at + found[0].end()
            matches.append(ByteMatch("replaced", start, end, {"count": len(found)}))

    def _ends(self, data: bytes, matches: list[ByteMatch]) -> None:
        """Count the line ends of a read in which there is a CR, or that follows one."""
        at = self.offset
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
        if (twice := data.find(b"\r\r\n")) >= 0:
            self._report_first("cr-crlf", at + twice, 3, matches)
            self._reported |= {"crlf", "cr", "lf-cr", "mixed"}  # which say the same
        if (found := _LF_CR.search(data)) is not None:
            self._report_first("lf-cr", at + found.start(), 2, matches)
            self._reported |= {"crlf", "cr", "mixed"}
        if crlfs:
            self._report_first("crlf", at + data.find(b"\r\n"), 2, matches)
        if (found := _LONE_CR.search(data)) is not None:
            self._report_first("cr", at + found.start(), 1, matches)
        self._mixed(matches)

    def _mixed(self, matches: list[ByteMatch]) -> None:
        if (self.crlfs > 0) + (self.crs > 0) + (self.lfs > 0) > 1:
            self._report_first("mixed", self.offset, 0, matches)

    def _report_first(self, kind: str, start: int, size: int, matches: list[ByteMatch]) -> None:
        """Report the first line end of a kind."""
        if kind not in self._reported:
            self._reported.add(kind)
            counts = {"kind": kind, "crlf": self.crlfs, "cr": self.crs, "lf": self.lfs}
            matches.append(ByteMatch("ends", start, start + size, counts))

    def _lines(self, view: bytes, at: int, matches: list[ByteMatch]) -> None:
        if (
            at < _STYLE
            and "no-space" not in self._reported
            and any(view.count(name) != view.count(name + b" ") for name in _FIELDS)
            and (found := _NO_SPACE.search(view)) is not None
        ):
            self._reported.add("no-space")
            evidence = {"field": found[1].decode()}
            matches.append(ByteMatch("no-space", at + found.start() + 1, at + found.end(), evidence))
        if b"\n\n\n" in view or b"\r" in view:
            blank = _BLANK_LINES.search(view)
            if blank is not None and at + blank.end() > self.offset and self._blank_lines < _MATCHES_A_READ:
                self._blank_lines += 1
                matches.append(ByteMatch("blank-lines", max(0, at + blank.start()), at + blank.end(), {}))
        for start in () if "secret" in self._reported else _SECRET_STARTS:
            if start in view and (found := SECRET.search(view)) is not None:
                self._reported.add("secret")
                evidence = {"masked": mask(found[1])}
                matches.append(ByteMatch("secret", max(0, at + found.start()), at + found.end(), evidence))
                break


def mask(secret: bytes) -> str:
    """Enough of a secret to recognise it, and no more."""
    text = secret.decode("ascii", "replace")
    return f"{text[:4]}... ({len(text)} characters)"


def _is_plain_text(data: bytes) -> bool:
    """Whether it is UTF-8 without U+FFFD and characters that some clients take for line ends."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return (
        b"\xe2\x80\xa8" not in data
        and b"\xe2\x80\xa9" not in data
        and b"\xc2\x85" not in data
        and b"\xef\xbf\xbd" not in data
    )
