"""Finds the line of a TOML text on which a key is set, for messages: `tomllib` returns values without positions.

This scans lines and is not a second parser: it knows table headers, bare, quoted and dotted keys, and skips
multi-line strings. A key inside an inline table or an array is reported at the line of the key that contains it.
"""

from __future__ import annotations

import re

KeyPath = tuple[str, ...]

# A quote that does not close runs to the end of the line: it is not tried again from its middle.
_PART = r"""(?:[A-Za-z0-9_-]++|"(?:[^"\\]|\\.)*+(?:"|\\?$)|'[^']*+(?:'|$))"""
_DOTTED = rf"{_PART}(?:\s*+\.\s*+{_PART})*+"
_HEADER = re.compile(rf"\s*\[\[?\s*({_DOTTED})\s*\]\]?\s*(?:#.*)?$")
_ASSIGNMENT = re.compile(rf"\s*({_DOTTED})\s*=")
_PART_RE = re.compile(_PART)
_DELIMITER = re.compile(r"\"{3}|'{3}")


def key_lines(text: str) -> dict[KeyPath, int]:
    """The line, from 1, of every table header and every assignment in `text`; the first one wins."""
    lines: dict[KeyPath, int] = {}
    table: KeyPath = ()
    closing = ""
    for number, line in enumerate(text.split("\n"), start=1):
        if closing:
            closing = _open_string(line, closing)
            continue
        if header := _HEADER.match(line):
            table = _parts(header[1])
            lines.setdefault(table, number)
        elif assignment := _ASSIGNMENT.match(line):
            path = table + _parts(assignment[1])
            # A dotted key sets the tables on its path, too.
            for depth in range(len(table) + 1, len(path) + 1):
                lines.setdefault(path[:depth], number)
            closing = _open_string(line[assignment.end() :], "")
    return lines


def line_of(lines: dict[KeyPath, int], path: KeyPath) -> int | None:
    """The line of `path`, or of the innermost key that contains it; None if the text does not mention it."""
    for depth in range(len(path), 0, -1):
        if path[:depth] in lines:
            return lines[path[:depth]]
    return None


def dotted(path: KeyPath) -> str:
    """`path` in TOML notation, with quotes around the parts that need them."""
    return ".".join(part if re.fullmatch(r"[A-Za-z0-9_-]+", part) else f'"{part}"' for part in path)


def _parts(text: str) -> KeyPath:
    return tuple(part.strip("\"'") if part[0] in "\"'" else part for part in _PART_RE.findall(text))


def _open_string(line: str, closing: str) -> str:
    """The delimiter of the multi-line string that is still open at the end of `line`, "" for none."""
    for delimiter in _DELIMITER.findall(line):
        closing = "" if delimiter == closing else closing or delimiter
    return closing
