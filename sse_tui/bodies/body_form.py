"""What a body is, by its media type and first bytes: an event stream, or what came in its place."""

from __future__ import annotations

import re
from enum import Enum

from sse_tui import fields
from sse_tui.bodies.aws_frames import PRELUDE, is_prelude
from sse_tui.bodies.json_scan import JsonScan
from sse_tui.bodies.stream_types import AWS_FRAMES
from sse_tui.limits import MAX_EVENT_BYTES


class Form(Enum):
    """What a body is: `words` after "the body is"; `text`: its bytes can be read as text, line by line."""

    EVENTS = "an event stream", True
    LINES = "JSON lines", True
    ARRAY = "a JSON array", True
    OBJECT = "a JSON object", True
    FRAMES = "AWS event stream frames", False
    PROSE = "plain text", True
    HTML = "an HTML page", True
    XML = "XML", True
    MULTIPART = "a multipart body", True
    GZIP = "gzip data", False
    ZLIB = "zlib (deflate) data", False
    ZSTD = "zstd data", False
    CODED = "compressed data", False  # by the Content-Encoding, which cannot be undone here
    UTF16 = "UTF-16 text", False
    GRPC = "gRPC frames", False
    BINARY = "binary data", False

    def __init__(self, words: str, text: bool) -> None:
        self.words = words
        self.text = text


_BOM = b"\xef\xbb\xbf"
_ENOUGH = 64  # bytes: a page, XML and the first line of prose show within these
_MAGIC = (
    (b"\x1f\x8b", Form.GZIP),
    (b"\x28\xb5\x2f\xfd", Form.ZSTD),
    (b"\x78\x01", Form.ZLIB),
    (b"\x78\x9c", Form.ZLIB),
    (b"\x78\xda", Form.ZLIB),
    (b"\xff\xfe", Form.UTF16),
    (b"\xfe\xff", Form.UTF16),
)
_UTF16 = re.compile(rb"(?:[\x20-\x7e\r\n]\0){2}|(?:\0[\x20-\x7e\r\n]){2}")
_SPACE = b" \t\r\n"
# A field of the standard, as servers misspell it too, or a comment.
_FIELD = re.compile(
    rb"""(?:b?['"])?(?:[ \t\0]|\xef\xbb\xbf|\xe2\x80\x8b|\xc2\xa0){0,8}(?:data|event|id|retry|error)['"]?[ \t\0]*"""
    rb"(?:[:=;]|\xef\xbc\x9a|[{\[])|:|(?:data|event|id|retry)[ \t]*[\r\n]|[a-z][\w-]{0,40}: ?[{\[]",
    re.I,
)
_ARRAY = re.compile(rb"\[[ \t\r\n]{0,64}[\[{\"\]]")
_OPENED = re.compile(rb"\{[ \t\r\n]{0,64}([^ \t\r\n])")
_XML = re.compile(rb"<\?xml|<(?:Error|soap|s|env|[a-z]+:)[ >:]", re.I)
_PART = re.compile(rb"--[^\r\n]{1,100}\r?\n(Content-|.{8})?", re.I | re.S)
_LINE_END = re.compile(rb"[\r\n]")
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c\x1d\x1f]")


class FormFinder:
    """Finds the form of one body; `content_type` and `coding` are those of its response, "" for none.

    `coding` is a content coding that was not undone. `held` are the bytes that came before the form was known, at most
    `limit` of them. The form depends on the bytes alone, not on how they were cut into reads.
    """

    def __init__(
        self, content_type: str | None = None, coding: str = "", limit: int = MAX_EVENT_BYTES
    ) -> None:
        self._kind = fields.essence(content_type)
        self._coding = coding
        self._limit = limit
        self.held = bytearray()
        self._scan: JsonScan | None = None
        self._scanned = 0

    def feed(self, data: bytes) -> Form | None:
        """The form, once these bytes show it."""
        self.held += data
        return self._find(whole=False)

    def close(self) -> Form:
        """The form of a body that ended before it showed: what an event stream's parser makes of it is all there is."""
        return self._find(whole=True) or Form.EVENTS

    def _find(self, *, whole: bool) -> Form | None:
        if self._scan is not None:
            return self._json(whole)
        first = bytes(self.held[: 4 * _ENOUGH])
        if not whole and len(first) < len(_BOM) and _BOM.startswith(first):
            return None
        first = first.removeprefix(_BOM)
        if not first:
            return None
        if self._kind == AWS_FRAMES and first[0] == 0:
            return Form.FRAMES
        if self._kind.startswith(("application/grpc", "application/connect+")) and first[0] < 0x20:
            return Form.GRPC
        for magic, form in _MAGIC:
            if first.startswith(magic):
                return form
            if not whole and magic.startswith(first):
                return None
        if 0 in first[:2] or (len(first) < 2 and not whole):
            return self._with_nuls(first, whole)
        text = first.lstrip(_SPACE)
        if not text:
            return Form.EVENTS if len(first) > _ENOUGH else None
        return self._text(text, whole)

    def _with_nuls(self, first: bytes, whole: bool) -> Form | None:
        """UTF-16, a frame, or other data that is no text."""
        if _UTF16.match(first):
            return Form.UTF16
        if len(first) < (PRELUDE if first[0] == 0 else 4) and not whole:
            return None
        return Form.FRAMES if is_prelude(first) else self._unknown()

    def _unknown(self) -> Form:
        return Form.CODED if self._coding else Form.BINARY

    def _text(self, text: bytes, whole: bool) -> Form | None:
        char = text[:1]
        if char == b"{":
            opened = _OPENED.match(text)
            if opened is None:
                return Form.EVENTS if whole or len(text) > _ENOUGH else None
            if opened[1] in b'"}':
                self._scan, self._scanned = JsonScan(), self.held.index(b"{")
                return self._json(whole)
        elif char == b"[":
            if _ARRAY.match(text):
                return Form.ARRAY
            return None if not whole and not text[1:].strip() and len(text) <= _ENOUGH else Form.EVENTS
        elif char == b"\x1e":
            return Form.LINES
        elif char == b"<":
            if len(text) < _ENOUGH and not whole:
                return None
            return Form.XML if _XML.match(text) else Form.HTML
        elif char == b"-" and self._kind.startswith("multipart/"):
            return Form.MULTIPART
        elif _FIELD.match(text):
            return Form.EVENTS
        elif (part := _PART.match(text)) and not (part[1] is None and not whole):
            return Form.MULTIPART if (part[1] or b"").lower() == b"content-" else Form.PROSE
        elif text.startswith(b"--") and len(text) <= 2 * _ENOUGH and not whole:
            return None
        return self._line(text, whole)

    def _line(self, text: bytes, whole: bool) -> Form | None:
        """A first line that is not a field: prose, or no text at all, which shows with its end or its first bytes."""
        end = _LINE_END.search(text, 0, _ENOUGH)
        if end is None and len(text) < _ENOUGH and not whole:
            return None
        line = text[: end.start() if end is not None else _ENOUGH]
        strange = len(_CONTROLS.findall(line))
        return Form.PROSE if strange * 10 <= len(line) and _is_text(line) else self._unknown()

    def _json(self, whole: bool) -> Form | None:
        """Lines, one or more objects that are no lines, or no JSON at all."""
        assert self._scan is not None
        held = self.held
        end = self._scan.end(held, self._scanned)
        if self._scan.line_end:
            return Form.OBJECT if self._scan.line_end == "outside" else Form.EVENTS
        if end < 0:
            self._scanned = len(held)
            if len(held) > self._limit:
                return Form.EVENTS
            return Form.OBJECT if whole else None
        after = held[end : end + _ENOUGH].lstrip(b" \t")[:1]
        if not after and not whole and len(held) <= end + _ENOUGH:
            self._scan, self._scanned = (
                JsonScan(),
                held.index(b"{"),
            )  # what follows the object shows whether it is a line
            return None
        return Form.LINES if after and after in b"\r\n" else Form.OBJECT


def _is_text(line: bytes) -> bool:
    """Whether it is UTF-8, perhaps cut off within a character."""
    try:
        line.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data"
    return True
