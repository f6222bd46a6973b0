"""HTTP header fields: lookup, valid names and values, and media types (RFC 9110).

Fields are pairs of a name and a value in the order of the message, as in records. Names are case-insensitive.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeAlias

Fields: TypeAlias = Iterable[tuple[str, str]]

EVENT_STREAM = "text/event-stream"

_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_UNSENDABLE = re.compile("[\0\r\n\ud800-\udfff]")
# From the beginning of a name only: trying the rest of each name as well would take quadratic time.
_PARAMETER = re.compile(r'(?<![^=;\s])([^=;\s]++)\s*+=\s*("(?:[^"\\]|\\.)*"|[^;]*)')


def first(fields: Fields, name: str) -> str | None:
    """The value of the first field called `name`; None if there is none."""
    wanted = name.lower()
    return next((value for given, value in fields if given.lower() == wanted), None)


def has(fields: Fields, name: str) -> bool:
    """Whether there is a field called `name`."""
    return first(fields, name) is not None


def without(fields: Fields, *names: str) -> list[tuple[str, str]]:
    """The fields with other names than these."""
    unwanted = {name.lower() for name in names}
    return [field for field in fields if field[0].lower() not in unwanted]


def elements(fields: Fields, name: str) -> list[str]:
    """The non-empty elements of all fields called `name`, which are comma-separated lists (section 5.6.1)."""
    wanted = name.lower()
    lists = (value.split(",") for given, value in fields if given.lower() == wanted)
    return [element for one in lists for part in one if (element := part.strip())]


def is_token(text: str) -> bool:
    """Whether `text` is a token, as methods and field names must be (section 5.6.2)."""
    return _TOKEN.fullmatch(text) is not None


def is_value(text: str) -> bool:
    """Whether `text` can be sent as a field value: without line ends, NUL (section 5.5) and lone surrogates."""
    return _UNSENDABLE.search(text) is None


def essence(content_type: str | None) -> str:
    """A media type without its parameters, in lower case; "" for None."""
    return (content_type or "").partition(";")[0].strip().lower()


def parameters(content_type: str | None) -> dict[str, str]:
    """The parameters of a media type by name in lower case; of several with one name, the first (section 5.6.6)."""
    found: dict[str, str] = {}
    for match in _PARAMETER.finditer((content_type or "").partition(";")[2]):
        name, value = match[1].lower(), match[2].strip()
        if value.startswith('"'):
            value = re.sub(r"\\(.)", r"\1", value[1:-1])
        found.setdefault(name, value)
    return found
