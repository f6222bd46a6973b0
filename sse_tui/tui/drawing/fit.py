"""One line of parts of different importance: the least important are dropped when the line is too narrow."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size
from rich.style import Style
from rich.text import Text


@dataclass(frozen=True, slots=True)
class LinePart:
    """A part of a line. `rank` 0 always stays; of the others the highest rank is dropped first.

    `shorter` is used in place of `text` before anything of a lower rank is dropped, and has the rank `then` (by
    default the same). `right` puts it at the right end.
    """

    text: str
    style: str | Style = ""
    rank: int = 0
    shorter: str | None = None
    right: bool = False
    then: int | None = None


def fit_line(parts: Iterable[LinePart], width: int, *, gap: int = 2) -> Text:
    """The parts on one line of exactly `width` cells."""
    kept = [part for part in parts if part.text]
    while kept and _needed(kept, gap) > width:
        worst = max(range(len(kept)), key=lambda i: (kept[i].rank, i))
        part = kept[worst]
        if part.shorter is not None and cell_len(part.shorter) < cell_len(part.text):
            rank = part.rank if part.then is None else part.then
            kept[worst] = LinePart(part.shorter, part.style, rank, None, part.right)
        elif part.rank == 0:
            break
        else:
            del kept[worst]
    line = Text(no_wrap=True, end="")
    left = [part for part in kept if not part.right]
    right = [part for part in kept if part.right]
    _append(line, left, gap)
    if right:
        tail = Text(no_wrap=True, end="")
        _append(tail, right, gap)
        line.append(" " * max(gap, width - line.cell_len - tail.cell_len))
        line.append_text(tail)
    line.truncate(width, overflow="ellipsis", pad=True)
    return line


def _needed(parts: list[LinePart], gap: int) -> int:
    return sum(cell_len(part.text) for part in parts) + gap * (len(parts) - 1)


def _append(line: Text, parts: list[LinePart], gap: int) -> None:
    for position, part in enumerate(parts):
        if position:
            line.append(" " * gap)
        line.append(part.text, part.style or None)


def pad(text: str, width: int, *, right: bool = False) -> str:
    """`text` in exactly `width` cells, cut with an ellipsis or padded; `right` aligns numbers."""
    length = cell_len(text)
    if length > width:
        return set_cell_size(text, max(0, width - 1)) + "…" if width > 0 else ""
    return " " * (width - length) + text if right else text + " " * (width - length)
