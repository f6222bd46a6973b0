"""What is wrong with the arguments of a tool call, as a text that should be one JSON object."""

from __future__ import annotations

import json
from bisect import bisect_left
from typing import Any, NamedTuple

from sse_tui.dialects.payload import JsonError, decode, kind_of
from sse_tui.text.wording import many

_SHOWN = 60
_STARTS = 64  # places at which a repeated beginning is looked for
_LONGEST = 200_000  # characters: what is longer is only checked for being JSON

_scan = json.JSONDecoder().raw_decode


class Flaw(NamedTuple):
    """What is wrong, as the rest of a sentence that begins with the arguments; `kind` is the word for programs.

    `meant` is what the arguments should probably have been, "" where that cannot be told.
    """

    kind: str
    words: str
    meant: str = ""


def flaw_of(arguments: str) -> Flaw | None:
    """What is wrong with the finished arguments of a call; None where they are one JSON object."""
    text = arguments.strip()
    if not text:
        return Flaw("empty", "were never sent: clients that decode them as JSON fail on the empty text")
    try:
        return _whole(text, decode(text))
    except JsonError as error:
        return _broken(text, str(error))


def unfinished(arguments: str) -> bool:
    """Whether the arguments of a call that was cut off are not whole."""
    text = arguments.strip()
    if not text:
        return True
    try:
        decode(text)
    except JsonError:
        return True
    return False


def same_value(one: str, other: str) -> bool:
    """Whether two texts are JSON and hold the same."""
    value = _decoded(one)
    return value is not None and bool(value == _decoded(other))


def _whole(text: str, value: Any) -> Flaw | None:
    if isinstance(value, dict):
        return None
    if isinstance(value, str):
        inner = _decoded(value)
        if isinstance(inner, dict | list):
            words = f"were encoded twice: they are a JSON string that holds {kind_of(inner)} as JSON, {cut(value)}"
            return Flaw("encoded-twice", words, value)
    return Flaw("not-an-object", f"are {kind_of(value)}, {cut(text)}, not an object")


def _broken(text: str, why: str) -> Flaw:
    texts = _texts(text) if len(text) <= _LONGEST else []
    if len(texts) > 1:
        return _several([part for part, _ in texts], [value for _, value in texts])
    whole, beginnings = _grown(text) if len(text) <= _LONGEST else ("", 0)
    if beginnings > 1:
        words = (
            f"are not JSON: each piece holds everything before it, and the last one all of them, {cut(whole)}"
        )
        return Flaw("cumulative", words, whole)
    if whole:
        beginning = text[: len(text) - len(whole)]
        words = f"are not JSON: after their beginning, {cut(beginning)}, all of them were sent, {cut(whole)}"
        return Flaw("sent-twice", words, whole)
    hint = "; they look like a Python literal" if text.startswith(("{'", "['")) else ""
    return Flaw("not-json", f"are not JSON: {why}{hint}")


def _several(parts: list[str], values: list[Any]) -> Flaw:
    """Several JSON texts, one after another."""
    first = values[0]
    if len(values) == 2 and first in ({}, None) and values[1] != first:
        words = f"are not JSON: {parts[0]} was sent before them, {cut(parts[1])}"
        return Flaw("sent-twice", words, parts[1])
    if all(value == first for value in values):
        times = "twice" if len(values) == 2 else f"{len(values)} times"
        return Flaw(
            "sent-twice", f"were sent {times}: the same {_noun(first)} {times}, {cut(parts[0])}", parts[0]
        )
    if all(value == first or (isinstance(value, str) and _decoded(value) == first) for value in values):
        words = f"were sent twice: {kind_of(first)}, and then the same encoded as a string, {cut(parts[0])}"
        return Flaw("sent-twice", words, parts[0])
    shown = " and ".join(map(cut, parts[:2]))
    words = f"are {many(len(parts), 'JSON text')} run together, {shown}: they may be those of several calls"
    return Flaw("several", words)


def _texts(text: str) -> list[tuple[str, Any]]:
    """The JSON texts that `text` consists of, with their values; [] where a part of it is none."""
    found: list[tuple[str, Any]] = []
    at = 0
    try:
        while at < len(text):
            value, end = _scan(text, at)
            found.append((text[at:end], value))
            at = end + len(text[end:]) - len(text[end:].lstrip())
    except (ValueError, RecursionError):
        return []
    return found


def _grown(text: str) -> tuple[str, int]:
    """The end of `text` that is a JSON text, where all before it are beginnings of that, and how many; "" and 0."""
    at = len(text)
    for _ in range(_STARTS):
        at = text.rfind(text[0], 1, at)
        if at < 0:
            break
        whole = text[at:]
        if isinstance(_decoded(whole), dict | list) and (beginnings := _beginnings(text[:at], whole)):
            return whole, beginnings
    return "", 0


def _beginnings(text: str, whole: str) -> int:
    """Of how many beginnings of `whole` a text consists; 0 where it consists of anything else."""
    count = at = 0
    while at < len(text):
        length = _agreement(text[at : at + len(whole)], whole)
        if not length or count == _STARTS:
            return 0
        at += length
        count += 1
    return count


def _agreement(text: str, whole: str) -> int:
    """How many characters `text` and `whole` have in common at their beginning."""

    def differs(length: int) -> bool:
        return not whole.startswith(text[: length + 1])

    return bisect_left(range(len(text)), True, key=differs)


def _decoded(text: str) -> Any:
    """The value of a JSON text; None where it is none."""
    try:
        return decode(text)
    except JsonError:
        return None


def _noun(value: Any) -> str:
    return kind_of(value).split()[-1] if isinstance(value, dict | list) else "value"


def cut(text: str) -> str:
    """Arguments for a sentence, the beginning of long ones."""
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
