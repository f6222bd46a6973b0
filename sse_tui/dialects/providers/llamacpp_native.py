"""llama.cpp's own ``/completion``: pieces of content, the last one with ``"stop": true`` and no ``[DONE]``.

The last event repeats the request's settings and has the token counts and the server's own ``timings``. With
``return_progress`` the prompt's processing is reported first. The server keeps generating for a request with
``X-Conversation-Id`` and replays from a byte offset.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from sse_tui.bounded import Seen
from sse_tui.dialects.base import Delta, Finish, Message, Meta, Prepared, Progress, Resume, Text
from sse_tui.dialects.json_events import JsonDialect, add_text
from sse_tui.dialects.payload import count, members, string
from sse_tui.dialects.request import endpoint, mapped, plain_prompt, post, speaker_stop
from sse_tui.dialects.usage import usage_of
from sse_tui.eventstream.items import Event

_NAMES = {
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "min_p": "min_p",
    "max_tokens": "n_predict",
    "seed": "seed",
    "stop": "stop",
}

# What the last event said before there was a ``stop_type``.
_STOPPED = {"stopped_eos": "eos", "stopped_word": "word", "stopped_limit": "limit"}


class LlamaCppNative(JsonDialect):
    """Reads one completion; prompts sent together are choices."""

    name = "llamacpp-native"
    prompt_in = "prompt"
    resume: ClassVar[Resume] = "byte-offset"

    def __init__(self) -> None:
        self._running = Seen[int]()

    def _take(self, event: Event, payload: dict[str, Any], deltas: list[Delta]) -> None:
        index = payload.get("index")
        if type(index) is not int:
            index = 0
        self._names(payload.get("model"), payload.get("id"), deltas)
        progress = members(payload.get("prompt_progress"))
        done, total = count(progress.get("processed")), count(progress.get("total"))
        if done is not None and total is not None:
            deltas.append(Progress(done, total))
        if isinstance(payload.get("content"), str):
            self._running.add(index)
        add_text(Text, payload.get("content"), "content", deltas, index)
        if payload.get("stop") is True:
            self._stopped(payload, index, deltas)
        if payload.get("timings"):
            deltas.append(Meta("timings", payload["timings"]))
        self._fault(payload, deltas, announced=event.type == "error")

    def _stopped(self, payload: dict[str, Any], index: int, deltas: list[Delta]) -> None:
        reason = string(payload.get("stop_type"))
        if reason is None:
            reason = next((said for flag, said in _STOPPED.items() if payload.get(flag) is True), None)
        if reason is not None:
            deltas.append(Finish(reason, index))
        deltas += usage_of(payload.get("tokens_evaluated"), payload.get("tokens_predicted"))
        self._running.discard(index)
        self._ended = not self._running

    @classmethod
    def prepare(
        cls, base_url: str, model: str, messages: Sequence[Message], params: Mapping[str, Any]
    ) -> Prepared:
        """POST to ``/completion``, with the prompt's progress reported."""
        body: dict[str, Any] = {"prompt": plain_prompt(messages), "stream": True, "return_progress": True}
        if model and model != "default":
            body["model"] = model  # only a router with several models reads it
        body.update(speaker_stop(messages))
        body.update(mapped(params, _NAMES, cls.name))
        return post(endpoint(base_url, "completion", drop="/v1"), body, params)
