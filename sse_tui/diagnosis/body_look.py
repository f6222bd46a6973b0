"""What a body is, as far as its bytes and items show it, and what has to wait until they do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from sse_tui import fields
from sse_tui.bodies import Form, FormFinder
from sse_tui.diagnosis.scanner import ByteMatch
from sse_tui.diagnosis.view import EntryView
from sse_tui.eventstream import Ignored, Item, Tail
from sse_tui.recording.content import ContentDecoder

_UNCERTAIN = frozenset({Form.LINES, Form.PROSE})
_HEAD = 4096  # bytes
_MATCHES_KEPT = 16
_LINES_KEPT = 4


@dataclass(slots=True)
class BodyLook:
    """Takes the reads of one body until it is known to be an event stream, and all of them where it is none.

    JSON lines and plain text become an event stream with the first event, comment or field. What was found in them
    until then is kept back: rules about lines do not apply to what is no event stream.
    """

    form: Form | None = None  # None before the first bytes show it
    head: bytes = b""  # the first bytes
    coding: str = ""  # a content coding that cannot be undone here
    named: bool = False  # that it is no event stream has been reported
    first_lines: list[EntryView] = field(default_factory=list)  # those before the first field
    _finder: FormFinder = field(default_factory=FormFinder)
    _withheld: list[ByteMatch] = field(default_factory=list)

    def opened(self, headers: Sequence[tuple[str, str]]) -> None:
        """The headers of the response, before the body."""
        decoder = ContentDecoder(headers)
        self.coding = ", ".join(decoder.codings) if decoder.damage else ""
        self._finder = FormFinder(fields.first(headers, "content-type"), self.coding)

    def take(self, data: bytes, matches: Iterable[ByteMatch] = ()) -> list[ByteMatch]:
        """The next bytes, and what is found in them; gives what counts in a body of this form."""
        if len(self.head) < _HEAD:
            self.head += data[: _HEAD - len(self.head)]
        if self.form is None:
            self.form = self._finder.feed(data)
        found, self._withheld = [*self._withheld, *matches], []
        if self.form is Form.EVENTS:
            return found
        if self.form is None:
            self._withheld = found[:_MATCHES_KEPT]
            return []
        if self.form in _UNCERTAIN:
            self._withheld = [match for match in found if match.kind != "secret"][:_MATCHES_KEPT]
        return [match for match in found if match.kind == "secret"]

    def shown(self, entry: EntryView, item: Item | ByteMatch) -> tuple[list[ByteMatch], list[EntryView]]:
        """An item of the body. Gives what was kept back where it shows that this is an event stream after all."""
        if self.form is None:  # it showed only with the end of the body
            self.form = self._finder.close()
        if self.form in _UNCERTAIN and not isinstance(item, Ignored | Tail):
            self.form = Form.EVENTS
        if self.form is Form.EVENTS:
            lines, self.first_lines = self.first_lines, []
            return self.take(b""), lines
        if self.form is not Form.LINES and len(self.first_lines) < _LINES_KEPT:
            self.first_lines.append(entry)
        return [], []

    def close(self, matches: Iterable[ByteMatch]) -> list[ByteMatch]:
        """The end of the body, and what is found there; gives what counts in a body of this form."""
        self.form = self.form or self._finder.close()
        return self.take(b"", matches)
