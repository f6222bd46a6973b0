"""Event stream encoder: what a server writes.

What is encoded here comes back from a `Parser` as it was given, with two exceptions that the format has no
words for: CR and CRLF in data come back as LF, and an empty type as "message".
"""

from __future__ import annotations

import re

from sse_tui.eventstream.errors import FieldError

_LINE_END = re.compile(r"\r\n|\r|\n")


def encode(
    *, data: str | None = None, type: str | None = None, id: str | None = None, retry: int | None = None
) -> bytes:
    """One block, from its fields to its blank line. `retry` is in milliseconds.

    Data is written last, so that whoever is cut off inside it has not missed the id. Without data the block
    sets the id and the reconnection time, and nothing is dispatched. Raises `FieldError` for a line end in
    `type` or `id`, NUL in `id`, a `retry` that is not a whole number of at least 0, a lone surrogate
    anywhere, or no field.
    """
    lines: list[str] = []
    if id is not None:
        if "\0" in id:
            raise FieldError("id-has-nul", f"Readers ignore an id with NUL in it: {id!r}.")
        lines.append(_one_line("id", id))
    if retry is not None:
        if isinstance(retry, bool) or not isinstance(retry, int) or retry < 0:
            raise FieldError("retry-not-ms", f"retry must be whole milliseconds, 0 or more: {retry!r}.")
        lines.append(f"retry: {retry}")
    if type is not None:
        lines.append(_one_line("event", type))
    if data is not None:
        lines.extend(f"data: {line}" for line in _LINE_END.split(data))
    if not lines:
        raise FieldError("event-empty", "An event needs at least one of data, type, id and retry.")
    return _utf8("\n".join(lines) + "\n\n")


def comment(text: str = "", *, blank: bool = False) -> bytes:
    """A comment line: a colon, then `text` as it is, so ``comment(" ping")`` for the usual form.

    Ended by a single LF, because many clients take a blank line after an id for another, empty event. `blank`
    adds that blank line, for a proxy or a client that passes nothing on before it.
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
            f"A lone surrogate has no UTF-8 form: {text[error.start]!r}.",
            "Replace it with U+FFFD, or join the two halves of the pair.",
        ) from None
