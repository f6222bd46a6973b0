"""OpenAI's streamed transcription: ``transcript.text.delta``, ``.segment`` (with speakers) and ``.done``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from sse_tui.dialects.base import Delta, Meta, Text
from sse_tui.dialects.json_events import Reader, TypedDialect, passed_on
from sse_tui.dialects.payload import members, string
from sse_tui.dialects.usage import usage_in


class OpenAITranscription(TypedDialect):
    """Reads one transcription. Segments repeat the text with times and speakers, so they add no text."""

    name = "openai-transcription"
    sentinel = "follows"
    silent = True  # as the recording may be

    def _delta(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        text = string(payload.get("delta"))
        if text:
            deltas.append(Text(text))

    def _closing(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        if isinstance(payload.get("text"), str):
            deltas.append(Meta("final_text", payload["text"]))
        usage = members(payload.get("usage"))
        deltas += usage_in(usage)
        self._ended = True

    readers: ClassVar[Mapping[str, Reader]] = {
        "transcript.text.delta": _delta,
        "transcript.text.segment": passed_on("data"),
        "transcript.text.done": _closing,
    }
