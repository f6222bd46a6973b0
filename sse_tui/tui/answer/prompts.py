"""The prompt of a turn, read back from the recorded request."""

from __future__ import annotations

from sse_tui import dialects
from sse_tui.analysis.turn import Turn
from sse_tui.errors import SseTuiError


def prompt_of(turn: Turn) -> str | None:
    """The prompt of a turn's first request; None for a request that has none, such as a GET."""
    request = next((conn.request for conn in turn.connections if conn.request is not None), None)
    if request is None or not request.body:
        return None
    try:
        dialect = dialects.create(request.dialect or "openai-chat")
    except SseTuiError:
        return None
    return dialect.prompt_of(request.body)
