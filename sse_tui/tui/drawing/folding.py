"""Breaking lines of styled runs to a width."""

from __future__ import annotations

from sse_tui.tui.detail.detail_lines import Run
from sse_tui.tui.drawing.wrapping import Wrapper


def fold(runs: list[Run], width: int) -> list[list[Run]]:
    """Break a line of runs to the width; continuation lines have the indent of the first and two more."""
    text = "".join(part for part, _ in runs)
    if len(text) <= width // 2:
        return [runs]
    indent = min(len(text) - len(text.lstrip(" ")) + 2, width // 2)
    wrapper = Wrapper(width - indent)
    wrapper.feed(text[indent:])
    if len(wrapper.lines) == 1 and len(text) <= width:
        return [runs]
    made: list[list[Run]] = []
    for number, line in enumerate(wrapper.lines):
        start = line.start + indent
        first = 0 if number == 0 else start
        cut = _slice(runs, first, start + len(line.text))
        made.append(cut if number == 0 else [(" " * indent, ""), *cut])
    return made


def _slice(runs: list[Run], first: int, last: int) -> list[Run]:
    made: list[Run] = []
    start = 0
    for text, style in runs:
        low, high = max(first - start, 0), min(last - start, len(text))
        if low < high:
            made.append((text[low:high], style))
        start += len(text)
    return made
