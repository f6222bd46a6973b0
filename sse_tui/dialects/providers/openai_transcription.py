"""OpenAI's streamed transcription: ``transcript.text.delta``, ``.segment`` (with speakers) and ``.done``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from sse_tui.dialects.base import Delta, Meta, Text, Usage
from sse_tui.dialects.json_events import Reader, TypedDialect
from sse_tui.dialects.payload import count, members, string


class OpenAITranscription(TypedDialect):
    """Reads one transcription. Segments repeat the text with times and speakers, so they add no text."""

    name = "openai-transcription"

    def _delta(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        text = string(payload.get("delta"))
        if text:
            deltas.append(Text(text))

    def _segment(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        deltas.append(Meta("data", payload))

    def _closing(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        if isinstance(payload.get("text"), str):
            deltas.append(Meta("final_text", payload["text"]))
        usage = members(payload.get("usage"))
        tokens_in, tokens_out = count(usage.get("input_tokens")), count(usage.get("output_tokens"))
        if tokens_in is not None or tokens_out is not None:
            deltas.append(Usage(tokens_in, tokens_out))
        self._ended = True

    readers: ClassVar[Mapping[str, Reader[Any]]] = {
        "transcript.text.delta": _delta,
        "transcript.text.segment": _segment,
        "transcript.text.done": _closing,
    }
