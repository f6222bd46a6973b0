"""Decoding the data of an event as JSON, as leniently as the clients that people use.

msgspec is some four times faster than the standard library and stricter: it rejects NaN and Infinity, numbers
out of range and lone surrogates, all of which Python and JavaScript clients read or nearly read. So what it
rejects goes to the standard library before it counts as broken.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import msgspec

_fast = decode_strictly = msgspec.json.Decoder().decode
NOT_STRICT = (msgspec.MsgspecError, RecursionError, UnicodeError)
"""What `decode_strictly` raises for what is not JSON to strict decoders; `decode_exactly` says what is wrong."""

# The only way a decoded string can hold half of a surrogate pair: an escape in the text, or such a half
# itself.
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")


# What Python writes for numbers that JSON does not have, between strings, which are passed over.
_CONSTANT = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\Z)|(-?Infinity|NaN)', re.S)


class JsonError(ValueError):
    """The text is not JSON; the message names what is wrong and where (columns and lines count from 1)."""


class LenientJsonError(JsonError):
    """The text is JSON to lenient decoders only: `value` is what they read.

    `constant` is a number that JSON does not have (NaN, Infinity, -Infinity), None without one; `halves`: strings may
    hold half of a surrogate pair.
    """

    def __init__(self, text: str, value: Any) -> None:
        found = next((match for match in _CONSTANT.finditer(text) if match[1]), None)
        self.value = value
        self.halves = _SURROGATE.search(text) is not None
        self.constant = found[1] if found is not None else None
        where = f" at column {found.start(1) + 1}" if found is not None else ""
        super().__init__(
            f"the constant {self.constant}{where}" if found is not None else "half a surrogate pair"
        )


def decode(text: str) -> Any:
    """The JSON value in `text`. Raises `JsonError`, and nothing else, when there is none.

    Of a key given twice the last one counts. Lone surrogates become U+FFFD, so that every string can be
    encoded.
    """
    try:
        return _fast(text)
    except NOT_STRICT:
        value = _lenient(text)
        return _read(_scrubbed, value) if _SURROGATE.search(text) else value


def decode_exactly(text: str) -> Any:
    """As `decode`, but raises `LenientJsonError`, with the value as it came, for what strict decoders reject."""
    try:
        return _fast(text)
    except NOT_STRICT:
        value = _lenient(text)
        odd = LenientJsonError(text, value)
        if odd.constant is None and not odd.halves:
            return value  # a number out of range, which every decoder reads in its own way
        raise odd from None


def _lenient(text: str) -> Any:
    return _read(json.loads, text)


def _read(read: Callable[[Any], Any], value: Any) -> Any:
    """What `read` makes of a value, with errors that say where."""
    try:
        return read(value)
    except json.JSONDecodeError as exc:
        line = f"line {exc.lineno} " if exc.lineno > 1 else ""
        raise JsonError(f"{exc.msg} at {line}column {exc.colno}") from None
    except RecursionError:
        raise JsonError("nested too deeply, from column 1") from None
    except ValueError as exc:  # an integer with more digits than the interpreter converts
        raise JsonError(f"{str(exc).split(':')[0]}, from column 1") from None


def scrubbed(value: Any) -> Any:
    """The same value, with lone surrogates as U+FFFD and the halves of a pair joined; None where it is too deep."""
    try:
        return _scrubbed(value)
    except RecursionError:
        return None


def _scrubbed(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_scrubbed(item) for item in value]
    if isinstance(value, dict):
        return {_scrubbed(key): _scrubbed(item) for key, item in value.items()}
    return value


def compact(value: Any) -> str:
    """`value` as JSON without white space, for showing and for arguments that came as an object."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except (ValueError, RecursionError):
        return repr(type(value).__name__)


def kind_of(value: Any) -> str:
    """JSON's own name for the type of a decoded value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a string"
    return "an array" if isinstance(value, list) else "an object"


def string(value: Any) -> str | None:
    """`value` when it is a string with something in it, else None."""
    return value if isinstance(value, str) and value else None


def count(value: Any) -> int | None:
    """`value` when it is a whole number, else None: token counts are never guessed."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    return value if isinstance(value, int) else None


def index_of(value: Any) -> int | None:
    """`value` as an index: a whole number, which some servers write as a string; None for anything else."""
    if isinstance(value, str):
        return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else None
    return count(value)


def members(value: Any) -> dict[str, Any]:
    """`value` when it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    """`value` when it is an array, else an empty one."""
    return value if isinstance(value, list) else []


def arguments_text(value: Any) -> str:
    """The arguments of a call as text: as they are when they came so, compact JSON otherwise, "" for null."""
    return value if isinstance(value, str) else "" if value is None else compact(value)
