"""Writer's text completions: ``{"value": "…"}`` and nothing else, no end marker, no counts."""

from __future__ import annotations

from typing import Any

from sse_tui.dialects.base import Delta, Malformed, Text
from sse_tui.dialects.json_events import JsonDialect
from sse_tui.dialects.payload import kind_of
from sse_tui.eventstream.items import Event


class WriterCompletions(JsonDialect):
    """Reads one completion. The end of the body is its only end, so a truncated one looks complete."""

    name = "writer-completions"

    def _take(self, event: Event, payload: dict[str, Any], deltas: list[Delta]) -> None:
        value = payload.get("value")
        if isinstance(value, str):
            if value:
                deltas.append(Text(value))
        elif value is not None:
            deltas.append(Malformed(f"value: expected a string, got {kind_of(value)}"))
        self._fault(payload, deltas, announced=event.type == "error")

    @property
    def complete(self) -> bool | None:
        """False after an error, True after a sentinel; otherwise unknown."""
        return False if self._failed else True if self._ended else None
