"""Text of others in a report: nothing in it is mark-up, and no control character of it acts on anything."""

from __future__ import annotations

import re
from html import escape

# Each shown as its picture; what turns text around, and lone surrogates, as replacement characters.
_CONTROLS = {code: chr(0x2400 + code) for code in range(0x20) if code not in (0x09, 0x0A)} | {0x7F: "\u2421"}
_ODD = re.compile("[\x80-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


def visible(value: str) -> str:
    """`value` without characters that act on a terminal or turn text around; line feeds and tabs stay."""
    return _ODD.sub("\ufffd", value.translate(_CONTROLS))


def text(value: str) -> str:
    """`value` for the content or an attribute of an element."""
    return escape(visible(value))
