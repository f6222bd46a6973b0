"""A finished answer as Markdown: lines of styled text that still know which characters of the data they show."""

from __future__ import annotations

import io
import re
from array import array
from collections.abc import Iterable
from typing import ClassVar, NamedTuple

from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown
from rich.segment import Segment
from rich.style import Style
from rich.syntax import Syntax
from rich.theme import Theme

from sse_tui.tui.drawing.styles import without_background

LIMIT = 200_000
"""Characters; longer answers stay plain: rendering them would block the screen."""

DECORATION = -1
"""Stands for the offset of a character that is not in the data, such as a bullet."""

_WORD = re.compile(r"\S+")
_REACH = 400


class RenderedLine(NamedTuple):
    """`segments` is what is drawn; `offsets` gives for each character its offset in the data, or `DECORATION`."""

    segments: list[Segment]
    text: str
    offsets: array[int]


class _PlainHeading(Heading):
    """A heading on one line at the left, instead of in a centred box."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        self.text.justify = "left"
        yield self.text


class _PlainCode(CodeBlock):
    """A code block without padding, on the pane's own background, set off by an indent."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        code = str(self.text).rstrip()
        yield Syntax(
            code,
            self.lexer_name,
            theme=self.theme,
            word_wrap=True,
            padding=(0, 0, 0, 2),
            background_color="default",
        )


class _PlainMarkdown(Markdown):
    elements: ClassVar = {
        **Markdown.elements,
        "heading_open": _PlainHeading,
        "fence": _PlainCode,
        "code_block": _PlainCode,
    }


def render(
    text: str, width: int, *, start: int = 0, code_theme: str = "monokai", accent: Style | None = None
) -> list[RenderedLine]:
    """Markdown in lines of `width` cells. `text` must be safe to show; its first character is at offset `start`."""
    accented = accent or Style(bold=True)
    theme = Theme(
        {
            "markdown.h1": accented + Style(bold=True, underline=True),
            "markdown.h2": accented + Style(bold=True),
            "markdown.h3": "bold",
            "markdown.h4": "bold italic",
            "markdown.code": accented + Style(bold=True),
            "markdown.item.bullet": accented,
            "markdown.item.number": accented,
            "markdown.block_quote": "italic",
            "markdown.hr": "dim",
        }
    )
    console = Console(
        file=io.StringIO(), width=max(8, width), color_system="truecolor", force_terminal=True, theme=theme,
        legacy_windows=False, highlight=False, emoji=False,
    )  # fmt: skip
    document = _PlainMarkdown(text, code_theme=code_theme, hyperlinks=False)
    lines = [_trim(line) for line in console.render_lines(document, pad=False)]
    return align(lines, text, start)


def _trim(line: list[Segment]) -> list[Segment]:
    """Drop backgrounds, the padding at the end of a line and control codes."""
    kept = [
        Segment(text, without_background(style) if style is not None else None)
        for text, style, control in line
        if not control
    ]
    while kept and not kept[-1].text.strip():
        kept.pop()
    if kept:
        kept[-1] = Segment(kept[-1].text.rstrip(), kept[-1].style)
    return kept


def align(lines: Iterable[list[Segment]], source: str, start: int) -> list[RenderedLine]:
    """Match each rendered character with the character of the source that it shows.

    Markdown drops markup and adds decoration, but keeps words in order: each word is searched for a little way after
    the last one found. A word that is not there as a whole is searched for character by character.
    """
    made: list[RenderedLine] = []
    position = 0
    for segments in lines:
        text = "".join(segment.text for segment in segments)
        offsets = array("q", [DECORATION]) * len(text)
        for match in _WORD.finditer(text):
            position = _locate(match.group(), match.start(), offsets, source, position, start)
        made.append(RenderedLine(segments, text, offsets))
    return made


def _locate(word: str, column: int, offsets: array[int], source: str, position: int, start: int) -> int:
    """Fill in the offsets of a word; gives where in the source to look for the next one."""
    found = source.find(word, position, position + _REACH + len(word))
    if found >= 0:
        for index in range(len(word)):
            offsets[column + index] = start + found + index
        return found + len(word)
    for index, char in enumerate(word):
        found = source.find(char, position, position + 8)
        if found >= 0:
            offsets[column + index] = start + found
            position = found + 1
    return position
