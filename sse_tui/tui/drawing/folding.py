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
        part = _slice(runs, first, start + len(line.text))
        made.append(part if number == 0 else [(" " * indent, ""), *part])
    return made


def _slice(runs: list[Run], first: int, last: int) -> list[Run]:
    made: list[Run] = []
    place = 0
    for text, name in runs:
        low, high = max(first - place, 0), min(last - place, len(text))
        if low < high:
            made.append((text[low:high], name))
        place += len(text)
    return made
