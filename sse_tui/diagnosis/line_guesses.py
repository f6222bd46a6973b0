"""What a line that no client reads was probably meant to be, by its text alone."""

from __future__ import annotations

import re
from typing import NamedTuple

from sse_tui.diagnosis.reframing import DONE, FIELDS, is_json
from sse_tui.dialects.end_words import odd_end_mark

_INVISIBLE = "\ufeff\x00\u200b\u00a0 \t"
_NAMES = "|".join(FIELDS)


class Misspelling(NamedTuple):
    """A line that was meant to be the field `field`, under the name `written`, with `value`; `how` it is wrong."""

    field: str
    written: str
    value: str
    how: str


# How a field's name gets misspelt: what the line looks like, and what is wrong with it. The first that fits counts.
_MISSPELLINGS = tuple(
    (re.compile(pattern, flags), how)
    for pattern, flags, how in (
        (rf"({_NAMES})[ \t]+:(.*)", 0, "with a space before the colon"),
        (rf"[{_INVISIBLE}]+({_NAMES})\s?:(.*)", 0, "with an indentation or invisible characters in front"),
        (rf"({_NAMES})\s?:(.*)", re.I, "in other letters"),
        (rf"({_NAMES})\s?=>?(.*)", 0, "with '=' instead of a colon"),
        (rf"({_NAMES})：(.*)", 0, "with a full-width colon"),
        (rf"({_NAMES});(.*)", 0, "with a semicolon instead of a colon"),
        (rf"""["']({_NAMES})["']\s?:(.*?),?""", 0, "in quotes"),
        (rf"({_NAMES})\s+([{{\[].*)", 0, "without a colon"),
    )
)
_LIKE_A_FIELD = re.compile(rf"[{_INVISIBLE}\"']*(?:{_NAMES})", re.I)
_OTHER_NAME = re.compile(r"([A-Za-z][\w-]{1,40}): ?([{\[].*)")


def misspelling(line: str) -> Misspelling | None:
    """The field that a line was meant to be; None where it does not look like one."""
    for pattern, how in _MISSPELLINGS if _LIKE_A_FIELD.match(line) else ():
        found = pattern.fullmatch(line)
        if found is not None:
            return Misspelling(
                found[1].lower(), line[: found.end(1)].strip(_INVISIBLE), found[2].lstrip(" "), how
            )
    found = _OTHER_NAME.fullmatch(line)
    if found is None or found[1].lower() == "error" or not is_json(found[2]):
        return None
    return Misspelling("data", found[1], found[2], "under another name")


DATA_STREAM = (
    "these are parts of the AI SDK's data stream protocol, version 1 (0 is text, 3 an error, d the end)"
)
"""What lines like ``0:"Hello"`` are: a protocol of its own, and no event stream."""
END_MARK = "it is an end marker without 'data:' in front"
_CHUNK_SIZE = r"[0-9a-f]{1,8}(?:;.*)?$"
_HEAD = r"HTTP/\d|(?:content-\w+|transfer-encoding|cache-control|connection|date|server|(?:x|access)-[\w-]+):"
_OF_HTTP = re.compile(rf"\s*$|{_CHUNK_SIZE}|{_HEAD}", re.I)
# What else gets into a body, by the beginning of a line. The first that fits counts.
_STRAY = tuple(
    (re.compile(pattern, re.I), guess)
    for pattern, guess in (
        (r"\s+$", "it is a line of white space, which does not end an event as a blank line would"),
        (r'[0-9a-k]:(?:["{\[]|-?\d)', DATA_STREAM),
        (r'\s*[{\["}]', "it is raw JSON without 'data:' in front"),
        (r"\s*error\s*(?::|$)", "it is an error written as a field of its own"),
        (r"\s*<", "it is HTML, for example a proxy's error page"),
        (_CHUNK_SIZE, "it looks like the size of a chunk: the chunked coding may have been applied twice"),
        (_HEAD, "it looks like the head of a response, written into the body"),
        (
            r"Traceback |  File \"|\w+(?:Error|Exception)\b",
            "it looks like an exception that was printed into the body",
        ),
    )
)


def stray(line: str) -> str:
    """What a line may be that is not a field, in words."""
    if line.strip() == DONE or odd_end_mark(line):
        return END_MARK
    for pattern, guess in _STRAY:
        if pattern.match(line):
            return guess
    return "perhaps a line of the data was sent without 'data:' in front"


def ends_a_payload(line: str) -> bool:
    """Whether a line after a blank one is something else than more of the payload before it."""
    return _OF_HTTP.match(line) is not None
