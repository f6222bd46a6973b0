"""Writer's text completions: ``{"value": "…"}`` and nothing else, no end marker, no counts."""

from __future__ import annotations

from typing import Any

from sse_tui.dialects.base import Delta, Text
from sse_tui.dialects.json_events import JsonDialect, add_text
from sse_tui.eventstream.items import Event


class WriterCompletions(JsonDialect):
    """Reads one completion. The end of the body is its only end, so a truncated one looks complete."""

    name = "writer-completions"
    _marks_end = False

    def _take(self, event: Event, payload: dict[str, Any], deltas: list[Delta]) -> None:
        add_text(Text, payload.get("value"), "value", deltas)
        self._fault(payload, deltas, announced=event.type == "error")
