"""IBM watsonx.ai's ``/ml/v1/text/generation_stream``: ``results[].generated_text``, counts that grow.

``stop_reason`` is ``not_finished`` until the last event; then the body ends. Its chat endpoint sends OpenAI's
chunks and is read as such.
"""

from __future__ import annotations

from typing import Any

from sse_tui.dialects.base import Delta, Finish, Malformed, Meta, Text, Usage
from sse_tui.dialects.json_events import JsonDialect
from sse_tui.dialects.payload import count, kind_of, members, string
from sse_tui.eventstream.items import Event


class Watsonx(JsonDialect):
    """Reads one generation. Of counts the largest is the one that holds: the first event alone has the input's."""

    name = "watsonx"

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def _take(self, event: Event, payload: dict[str, Any], deltas: list[Delta]) -> None:
        self._names(payload.get("model_id"), None, deltas)
        results = payload.get("results")
        if isinstance(results, list):
            for index, result in enumerate(results):
                self._result(members(result), index, deltas)
        elif results is not None:
            deltas.append(Malformed(f"results: expected an array, got {kind_of(results)}"))
        warnings = members(payload.get("system")).get("warnings")
        if warnings:
            deltas.append(Meta("log", warnings))
        errors = payload.get("errors")
        if isinstance(errors, list) and errors:
            self._fault({"error": errors[0]}, deltas)
        else:
            self._fault(payload, deltas, announced=event.type == "error")

    def _result(self, result: dict[str, Any], index: int, deltas: list[Delta]) -> None:
        text = string(result.get("generated_text"))
        if text:
            deltas.append(Text(text, index))
        before = dict(self._counts)
        for name in ("input_token_count", "generated_token_count"):
            seen = count(result.get(name))
            if seen is not None:
                self._counts[name] = max(seen, self._counts.get(name, 0))
        if self._counts != before:
            known = self._counts
            deltas.append(Usage(known.get("input_token_count"), known.get("generated_token_count")))
        reason = string(result.get("stop_reason"))
        if reason and reason.lower() != "not_finished":
            self._finished = True
            deltas.append(Finish(reason, index))
