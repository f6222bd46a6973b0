"""Keeps control characters of other people's data from acting on the user's terminal."""

from __future__ import annotations

import re

ESC = 0x1B
_CONTROLS = {code: chr(0x2400 + code) for code in range(0x20) if code not in (0x09, 0x0A)}
_CONTROLS[0x7F] = "\u2421"
_CONTROLS |= {code: f"\\x{code:02x}" for code in range(0x80, 0xA0)}
# JSON encoders escape C0 themselves; DEL and C1 they leave, and C1 holds an 8-bit CSI.
_JSON_CONTROLS = {code: f"\\u{code:04x}" for code in range(0x7F, 0xA0)}
_SURROGATES = re.compile("[\ud800-\udfff]")


def printable(text: str) -> str:
    """`text` with C0 and C1 controls shown as symbols (``\\u241b`` for escape), line feed and tab kept."""
    return text.translate(_CONTROLS)


def printable_json(line: str) -> str:
    """A JSON text with the same value and no control character in it."""
    return line.translate(_JSON_CONTROLS)


def one_line(text: str) -> str:
    """`text` as one printable line: white space of any kind collapsed."""
    return printable(" ".join(text.split()))


def encodable(text: str) -> str:
    """`text` with lone surrogates, which JSON escapes can make, replaced by U+FFFD."""
    return _SURROGATES.sub("\ufffd", text)
