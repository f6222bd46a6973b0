"""Converts plain values into configuration values, one leaf at a time, so that a message can say exactly what is wrong.

`msgspec.convert` on the whole document would report a path, but not the line, the origin or the nearest name.
"""

from __future__ import annotations

import functools
import math
import types
import typing
from typing import Any, Literal, Union

import msgspec

from sse_tui.config.schema import Section
from sse_tui.text.nearest import did_you_mean


class LeafError(Exception):
    """A key or value is wrong. `reason` continues a sentence that starts with the key's name; `hint` may be ""."""

    def __init__(self, reason: str, hint: str = "", code: str = "config-bad-value") -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint
        self.code = code


@functools.cache
def fields(table: type[Section]) -> dict[str, Any]:
    """The keys of a table and their types, constraints included."""
    hints = typing.get_type_hints(table, include_extras=True)
    return {name: hints[name] for name in table.__struct_fields__}


def is_table(type_: Any) -> bool:
    """Whether values of `type_` are tables with fixed keys."""
    return isinstance(type_, type) and issubclass(type_, Section)


def is_mapping(type_: Any) -> bool:
    """Whether values of `type_` are tables whose keys the user names."""
    return typing.get_origin(type_) is dict


def step(type_: Any, key: str) -> Any:
    """The type of `key` below a table or a mapping of `type_`. Raises `LeafError` for a wrong name."""
    if is_mapping(type_):
        return typing.get_args(type_)[1]
    known = fields(type_)
    if key in known:
        return known[key]
    hint = did_you_mean(key, known, f"Valid here: {', '.join(known)}.", likeness=0.5)
    raise LeafError("is not a known key", hint, "config-unknown-key")


def table(given: Any) -> None:
    """Raises `LeafError` unless `given` is a table."""
    if not isinstance(given, dict):
        raise LeafError(f"must be a table, not {_shown(given)}")


def value(given: Any, type_: Any) -> Any:
    """`given`, as read from TOML, checked against the type of a leaf. Raises `LeafError`."""
    try:
        return _finite(msgspec.convert(given, type_))
    except msgspec.ValidationError as error:
        raise LeafError(f"must be {expected(type_)}, not {_shown(given)}") from error


def from_text(given: str, type_: Any) -> Any:
    """`given`, the text of an environment variable, converted to the type of a leaf. Raises `LeafError`.

    An empty string unsets an optional value. A list is a JSON array or separated by commas, a table is JSON.
    """
    inner = _without_none(type_)
    if given == "" and inner is not type_:
        return None
    origin = typing.get_origin(inner)
    try:
        if origin in (list, dict) and given.lstrip()[:1] in ("[", "{"):
            return msgspec.json.decode(given.encode(), type=inner)
        if origin is list:
            return [part.strip() for part in given.split(",") if part.strip()]
        return _finite(msgspec.convert(given, type_, strict=False))
    except (msgspec.ValidationError, msgspec.DecodeError) as error:
        raise LeafError(f"must be {expected(type_)}, not {_shown(given)}") from error


def _finite(given: Any) -> Any:
    """Rejects inf and nan, which TOML and `float` accept but no setting does. Raises `msgspec.ValidationError`."""
    if isinstance(given, float) and not math.isfinite(given):
        raise msgspec.ValidationError("not finite")
    return given


def expected(type_: Any) -> str:
    """The type of a leaf in words: "an integer of at least 1"."""
    inner = _without_none(type_)
    origin = typing.get_origin(inner)
    if origin is Literal:
        return "one of " + ", ".join(f'"{choice}"' for choice in typing.get_args(inner))
    if origin is typing.Annotated:
        base, meta = typing.get_args(inner)
        return expected(base) + _bounds(meta)
    if is_table(inner) or origin is dict:
        return "a table"
    if origin is list:
        return "an array of strings"
    return {int: "an integer", float: "a number", str: "a string", bool: "true or false"}[inner]


def _bounds(meta: msgspec.Meta) -> str:
    bounds = (("at least", meta.ge), ("more than", meta.gt), ("at most", meta.le))
    words = [f"{word} {bound}" for word, bound in bounds if bound is not None]
    return " of " + " and ".join(words) if words else ""


def _without_none(type_: Any) -> Any:
    """The type without its None; `type_` itself if None is not one of its values."""
    if typing.get_origin(type_) in (Union, types.UnionType):
        [inner] = [part for part in typing.get_args(type_) if part is not type(None)]
        return inner
    return type_


def _shown(given: Any) -> str:
    """A wrong value as the user wrote it, shortened to fit on one line."""
    if isinstance(given, bool):
        return "true" if given else "false"
    if isinstance(given, dict):
        return "a table"
    text = repr(given) if not isinstance(given, str) else '"' + given.replace("\n", "\\n") + '"'
    return text if len(text) <= 40 else text[:37] + "..."
