"""Hugging Face's Text Generation Inference, native: ``/generate_stream``.

Each event is a token; the last one has ``generated_text``, and ``details`` where they were asked for. Errors
are events too: ``{"error": "…", "error_type": "…"}``. Written without a space after ``data:`` by older builds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from zlib import crc32

from sse_tui.dialects.base import Delta, Finish, Malformed, Message, Meta, Prepared, Text
from sse_tui.dialects.json_events import JsonDialect
from sse_tui.dialects.payload import kind_of, members, string
from sse_tui.dialects.request import endpoint, mapped, plain_prompt, post, speaker_stop
from sse_tui.dialects.usage import usage_in
from sse_tui.eventstream.items import Event

_NAMES = {
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "max_tokens": "max_new_tokens",
    "seed": "seed",
    "stop": "stop",
}


class TextGenerationInference(JsonDialect):
    """Reads one generation. Special tokens, such as the end of text, are not part of the text."""

    name = "tgi"
    prompt_in = "inputs"

    # Of the tokens' text so far: its length, its checksum without white space around it, white space not in that yet.
    _length: int = 0
    _checksum: int = 0
    _space: str = ""

    def _take(self, event: Event, payload: dict[str, Any], deltas: list[Delta]) -> None:
        token = payload.get("token")
        if isinstance(token, dict):
            text = string(token.get("text"))
            if text and not token.get("special"):
                self._add(text)
                deltas.append(Text(text))
        elif token is not None:
            deltas.append(Malformed(f"token: expected an object, got {kind_of(token)}"))
        generated = payload.get("generated_text")
        if generated is not None:
            self._ended = True
            self._whole(generated, deltas)
        self._details(members(payload.get("details")), deltas)
        self._fault(payload, deltas, announced=event.type == "error")

    def _add(self, text: str) -> None:
        """A token's text; white space around the whole is nobody's: detokenizers differ in it."""
        if not self._length:
            text = text.lstrip()
        self._length += len(text)
        ends = len(text.rstrip())
        if ends:
            self._checksum = crc32((self._space + text[:ends]).encode("utf-8", "replace"), self._checksum)
            self._space = ""
        self._space += text[ends:]

    def _whole(self, generated: Any, deltas: list[Delta]) -> None:
        """The text as a whole: what the tokens said, or, from a server that sends none, all of it."""
        if not isinstance(generated, str) or not generated:
            return
        if not self._length:
            deltas += (Meta("whole-object", "generated_text"), Text(generated))
        elif crc32(generated.strip().encode("utf-8", "replace")) != self._checksum:
            lengths = {"given": self._length, "final": len(generated)}
            deltas.append(Meta("final-text", {"event": "generated_text", **lengths}))

    def _is_whole(self, payload: dict[str, Any]) -> bool:
        return isinstance(payload.get("generated_text"), str) and "token" not in payload

    def _details(self, details: dict[str, Any], deltas: list[Delta]) -> None:
        if string(details.get("finish_reason")):
            deltas.append(Finish(details["finish_reason"]))
        deltas += usage_in(details)

    @classmethod
    def prepare(
        cls, base_url: str, model: str, messages: Sequence[Message], params: Mapping[str, Any]
    ) -> Prepared:
        """POST to ``/generate_stream``; the server has one model, so `model` is not sent.

        TGI refuses a temperature of 0 and a top_p of 1: both mean "do not sample that way", so neither is sent.
        """
        parameters = mapped(params, _NAMES, cls.name)
        if parameters.get("temperature") == 0:
            del parameters["temperature"]
        if parameters.get("top_p") == 1:
            del parameters["top_p"]
        if not {"temperature", "top_p", "top_k"}.isdisjoint(parameters):
            parameters["do_sample"] = True
        parameters = {"details": True, **speaker_stop(messages), **parameters}
        body = {"inputs": plain_prompt(messages), "parameters": parameters}
        return post(endpoint(base_url, "generate_stream", drop="/v1"), body, params)
