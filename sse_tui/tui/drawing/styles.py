"""The styles of a widget's component classes, blended with what is behind them."""

from __future__ import annotations

from functools import lru_cache

from rich.style import Style
from textual.widget import Widget


def component_style(widget: Widget, name: str) -> Style:
    """The style of a component class as text to draw: its own background only where it sets one.

    Colours with an alpha are blended with the background; Textual's partial styles would drop the alpha.
    """
    style = widget.get_component_rich_style(name)
    if widget.get_component_styles(name).background.a > 0:
        return style
    return without_background(style)


@lru_cache(maxsize=1024)
def without_background(style: Style) -> Style:
    return Style(
        color=style.color, bold=style.bold, dim=style.dim, italic=style.italic, underline=style.underline,
        strike=style.strike, reverse=style.reverse,
    )  # fmt: skip
