"""The app's own colours, a dark and a light theme, and what the Markdown of an answer takes from any theme."""

from __future__ import annotations

from textual.theme import Theme

DARK = Theme(
    name="sse-dark",
    primary="#7aa2c8",
    secondary="#8fb2a6",
    accent="#d9a860",
    foreground="#d3d7de",
    background="#14171c",
    surface="#181c22",
    panel="#20252d",
    success="#86b886",
    warning="#d9a860",
    error="#d77a7a",
    dark=True,
    variables={"footer-key-foreground": "#d9a860", "input-selection-background": "#7aa2c8 35%"},
)

LIGHT = Theme(
    name="sse-light",
    primary="#2f6690",
    secondary="#3d7a68",
    accent="#9a5b00",
    foreground="#22262d",
    background="#fbfaf7",
    surface="#f5f3ee",
    panel="#eae7df",
    success="#2f7a3a",
    warning="#9a5b00",
    error="#b3372f",
    dark=False,
    variables={"footer-key-foreground": "#9a5b00", "input-selection-background": "#2f6690 25%"},
)

OWN = (DARK, LIGHT)


def code_theme(dark: bool) -> str:
    """The name of the Pygments style for code in answers."""
    return "nord-darker" if dark else "friendly"
