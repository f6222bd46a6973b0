"""Notices of what went wrong."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any

from textual.app import App
from textual.widget import Widget

from sse_tui.errors import SseTuiError

LONG_S = 12
"""How long a notice stays that takes a while to read."""


def notify_error(node: App[Any] | Widget, error: SseTuiError) -> None:
    """A notice with the error's message and hint."""
    node.notify(str(error), title=error.code, severity="error", timeout=LONG_S)


async def attempt(node: App[Any] | Widget, awaitable: Awaitable[object]) -> bool:
    """Await it; False, and a notice, when it failed."""
    try:
        await awaitable
    except SseTuiError as error:
        notify_error(node, error)
        return False
    return True
