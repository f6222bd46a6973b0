"""The items of a body, whatever its form: found out from its first bytes, then read by the reader of that form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

from sse_tui.bodies.aws_frames import AwsFrames
from sse_tui.bodies.body_form import Form, FormFinder
from sse_tui.bodies.json_texts import JsonTexts
from sse_tui.eventstream import Item, Parser


class ItemReader(Protocol):
    """What reads a body: the event stream `Parser`, and readers of other forms."""

    @property
    def last_event_id(self) -> str:
        """The last event ID; what has no IDs keeps the one that it was given."""

    def feed(self, chunk: bytes, /) -> list[Item]:
        """The items that the next bytes complete. Raises `EventTooLarge`."""

    def close(self) -> list[Item]:
        """What is unfinished at the end of the body."""


_Make: TypeAlias = Callable[[int, str], ItemReader]
_READERS: dict[Form, _Make] = {Form.ARRAY: JsonTexts, Form.OBJECT: JsonTexts, Form.FRAMES: AwsFrames}
OWN_READERS = frozenset(_READERS)
"""The forms that an event stream's parser cannot read."""


def reader_of(form: Form, limit: int, last_event_id: str = "") -> ItemReader:
    """The reader of a form: an event stream's parser where the form has none of its own."""
    return _READERS.get(form, Parser)(limit, last_event_id)


class BodyItems:
    """Reads one body; `chosen` is called once with its form and its reader, to which the rest can be fed directly.

    `content_type` is that of the response and can be set until the first bytes come.
    """

    def __init__(
        self,
        limit: int,
        last_event_id: str = "",
        chosen: Callable[[Form, ItemReader], None] | None = None,
    ) -> None:
        self._limit = limit
        self._id = last_event_id
        self._chosen = chosen
        self._finder = FormFinder(limit=limit)
        self._reader: ItemReader | None = None

    def opened(self, content_type: str | None) -> None:
        """The media type of the response, before its body."""
        self._finder = FormFinder(content_type, limit=self._limit)

    @property
    def last_event_id(self) -> str:
        """The last event ID, as that of a `Parser`."""
        return self._reader.last_event_id if self._reader is not None else self._id

    def feed(self, chunk: bytes, /) -> list[Item]:
        """The items that the next bytes complete. Raises `EventTooLarge`."""
        if self._reader is not None:
            return self._reader.feed(chunk)
        form = self._finder.feed(chunk)
        return self._choose(form).feed(bytes(self._finder.held)) if form is not None else []

    def close(self) -> list[Item]:
        """What is unfinished at the end of the body."""
        if self._reader is not None:
            return self._reader.close()
        reader = self._choose(self._finder.close())
        return [*reader.feed(bytes(self._finder.held)), *reader.close()]

    def _choose(self, form: Form) -> ItemReader:
        self._reader = reader = reader_of(form, self._limit, self._id)
        if self._chosen is not None:
            self._chosen(form, reader)
        return reader
