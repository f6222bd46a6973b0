"""Text from the wire, made safe to show: what a terminal would obey becomes a visible sign.

Every character maps to exactly one character, so that offsets in the shown text are offsets in the data.
"""

from __future__ import annotations

_BIDI = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"
_INVISIBLE = "\u200b\u2060\ufeff\u00ad\u2028\u2029"
UNPRINTABLE = "\u2426"
"""Stands for a control character that has no picture of its own (C1, direction marks)."""


def _table(*, keep: str) -> dict[int, str]:
    table = {code: chr(0x2400 + code) for code in range(0x20)}
    table[0x7F] = "\u2421"
    table |= dict.fromkeys(range(0x80, 0xA0), UNPRINTABLE)
    table |= {ord(char): UNPRINTABLE for char in _BIDI}
    table |= {ord(char): "\u00b7" for char in _INVISIBLE}
    table |= dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
    for char in keep:
        del table[ord(char)]
    table.setdefault(0x09, " ")
    return table


_UNTYPED = dict.fromkeys(
    code for code in (*range(0x20), *range(0x7F, 0xA0), *range(0xD800, 0xE000)) if code not in (0x09, 0x0A)
)
_LINES = _table(keep="\n\t")
_ONE_LINE = {**_table(keep=""), 0x0A: "\u21b5"}


def visible(text: str) -> str:
    """Text for a pane of lines: line feeds stay, a tab becomes a space, other controls become their pictures."""
    return text if text.isascii() and text.isprintable() else text.translate(_LINES)


def typed(text: str) -> str:
    """Pasted text as if it had been typed: line ends and tabs stay, what no key types is left out."""
    return text.replace("\r\n", "\n").replace("\r", "\n").translate(_UNTYPED)


def visible_line(text: str) -> str:
    """Text for a single line: line feeds are shown as well."""
    return text if text.isascii() and text.isprintable() else text.translate(_ONE_LINE)
