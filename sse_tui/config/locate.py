"""On which line of a TOML text a key is set, for messages; `tomllib` gives values but no places.

A scan of lines, not a second parser: it knows table headers, bare, quoted and dotted keys, and skips
multi-line strings. Keys inside an inline table or an array are found at the line of the key that holds them.
"""

from __future__ import annotations

import re

KeyPath = tuple[str, ...]

_PART = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|'[^']*')"""
_DOTTED = rf"{_PART}(?:\s*\.\s*{_PART})*"
_HEADER = re.compile(rf"\s*\[\[?\s*({_DOTTED})\s*\]\]?\s*(?:#.*)?$")
_ASSIGNMENT = re.compile(rf"\s*({_DOTTED})\s*=")
_PART_RE = re.compile(_PART)


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
            # The tables that a dotted key makes on the way are set here as well.
            for depth in range(len(table) + 1, len(path) + 1):
                lines.setdefault(path[:depth], number)
            closing = _open_string(line[assignment.end() :], "")
    return lines


def line_of(lines: dict[KeyPath, int], path: KeyPath) -> int | None:
    """The line of `path`, or of the nearest key that holds it; None where the text does not name it."""
    for depth in range(len(path), 0, -1):
        if path[:depth] in lines:
            return lines[path[:depth]]
    return None


def dotted(path: KeyPath) -> str:
    """`path` as TOML writes it, with the parts quoted that need it."""
    return ".".join(part if re.fullmatch(r"[A-Za-z0-9_-]+", part) else f'"{part}"' for part in path)


def _parts(text: str) -> KeyPath:
    return tuple(part.strip("\"'") if part[0] in "\"'" else part for part in _PART_RE.findall(text))


def _open_string(line: str, closing: str) -> str:
    """Which delimiter of a multi-line string is still open at the end of `line`, "" for none."""
    position = 0
    while True:
        if closing:
            position = line.find(closing, position)
            if position < 0:
                return closing
            position += 3
            closing = ""
        found = [(line.find(mark, position), mark) for mark in ('"""', "'''")]
        opened = [pair for pair in found if pair[0] >= 0]
        if not opened:
            return ""
        position, closing = min(opened)
        position += 3
