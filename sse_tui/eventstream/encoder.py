"""Event stream encoder: what a server writes.

A `Parser` returns what was encoded here unchanged, with two exceptions that the format cannot express: CR and CRLF in
data become LF, and an empty type becomes "message".
"""

from __future__ import annotations

import re

from sse_tui.eventstream.errors import FieldError

_LINE_END = re.compile(r"\r\n|\r|\n")


def encode(
    *, data: str | None = None, type: str | None = None, id: str | None = None, retry: int | None = None
) -> bytes:
    """One block: its fields and the blank line. `retry` is in milliseconds.

    Data is written last, so that a reader cut off inside it has already seen the id. Without data the block sets the id
    and the reconnection time, and no event is dispatched. Raises `FieldError` for a line end in `type` or `id`, NUL in
    `id`, a `retry` that is not an integer of at least 0, a lone surrogate anywhere, or no field at all.
    """
    lines: list[str] = []
    if id is not None:
        if "\0" in id:
            raise FieldError("id-has-nul", f"An id cannot contain NUL, readers would ignore it: {id!r}.")
        lines.append(_one_line("id", id))
    if retry is not None:
        if isinstance(retry, bool) or not isinstance(retry, int) or retry < 0:
            raise FieldError(
                "retry-not-ms", f"retry must be an integer of at least 0 (milliseconds), not {retry!r}."
            )
        lines.append(f"retry: {retry}")
    if type is not None:
        lines.append(_one_line("event", type))
    if data is not None:
        lines.extend(f"data: {line}" for line in _LINE_END.split(data))
    if not lines:
        raise FieldError("event-empty", "An event needs at least one of data, type, id and retry.")
    return _utf8("\n".join(lines) + "\n\n")


def comment(text: str = "", *, blank: bool = False) -> bytes:
    """A comment line: a colon, then `text` unchanged, so the usual form is ``comment(" ping")``.

    It ends with a single LF, because many clients take a blank line after an id for another, empty event. `blank` adds
    a blank line, for proxies and clients that do not pass anything on before one.
    """
    if _LINE_END.search(text):
        raise FieldError("comment-has-line-end", f"A comment cannot contain a line end: {text!r}.")
    return _utf8(f":{text}\n\n" if blank else f":{text}\n")


def _one_line(name: str, value: str) -> str:
    if _LINE_END.search(value):
        raise FieldError(f"{name}-has-line-end", f"The {name} field cannot contain a line end: {value!r}.")
    return f"{name}: {value}"


def _utf8(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise FieldError(
            "not-utf-8",
            f"A lone surrogate cannot be encoded as UTF-8: {text[error.start]!r}.",
            "Replace it with U+FFFD, or join the two halves of the pair.",
        ) from None
