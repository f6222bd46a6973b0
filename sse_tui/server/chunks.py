"""OpenAI's chat completion objects as JSON text: the chunks of a stream, and the whole answer.

The constant part of a chunk is built once, so that a token costs one JSON string and two concatenations. Objects and
keys are OpenAI's, ``timings`` is llama-server's.
"""

from __future__ import annotations

from typing import Any

import msgspec

from sse_tui.engine.interface import Final, Timings


def json_text(value: Any) -> str:
    """JSON on one line, with Unicode's line separators escaped: some clients split lines at them."""
    text = msgspec.json.encode(value).decode()
    if not text.isascii():
        text = text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").replace("\x85", "\\u0085")
    return text


def usage_object(final: Final) -> dict[str, Any]:
    """OpenAI's ``usage``."""
    return {
        "prompt_tokens": final.prompt_tokens,
        "completion_tokens": final.completion_tokens,
        "total_tokens": final.prompt_tokens + final.completion_tokens,
        "prompt_tokens_details": {"cached_tokens": final.timings.cache_n},
    }


def timings_object(timings: Timings) -> dict[str, Any]:
    """llama-server's ``timings``: counts, milliseconds, and the rates they give."""
    shown: dict[str, Any] = {"queue_ms": round(timings.queue_ms, 3), "cache_n": timings.cache_n}
    for part, n, ms in (
        ("prompt", timings.prompt_n, timings.prompt_ms),
        ("predicted", timings.predicted_n, timings.predicted_ms),
    ):
        shown |= {
            f"{part}_n": n,
            f"{part}_ms": round(ms, 3),
            f"{part}_per_token_ms": round(ms / n, 4) if n else None,
            f"{part}_per_second": round(n * 1000 / ms, 4) if ms else None,
        }
    return shown


class ChatChunks:
    """The chunks of one answer. With `include_usage`, every chunk but the usage chunk has ``usage: null``."""

    def __init__(
        self, *, id: str, model: str, fingerprint: str, created: int, include_usage: bool = False
    ) -> None:
        self._fields = {"id": id, "created": created, "model": model, "system_fingerprint": fingerprint}
        head = {"id": id, "object": "chat.completion.chunk"} | self._fields
        self._head = json_text(head)[:-1]
        self.include_usage = include_usage
        # NUL is never in JSON text, which escapes it.
        self._before_text, self._after_text = self._chunk('{"content":\0}').split("\0")

    def _chunk(self, delta: str, reason: str = "null", tail: str = "") -> str:
        choice = f'{{"index":0,"delta":{delta},"logprobs":null,"finish_reason":{reason}}}'
        usage = ',"usage":null' if self.include_usage else ""
        return f'{self._head},"choices":[{choice}]{usage}{tail}}}'

    def role(self) -> str:
        """The first chunk: the role of the answer."""
        return self._chunk('{"role":"assistant","content":"","refusal":null}')

    def content(self, text: str) -> str:
        """One piece of the answer."""
        return self._before_text + json_text(text) + self._after_text

    def finish(self, final: Final) -> str:
        """The last chunk with a choice: the finish reason, and the engine's timings."""
        timings = json_text(timings_object(final.timings))
        return self._chunk("{}", json_text(final.finish), f',"timings":{timings}')

    def usage(self, final: Final) -> str:
        """The usage chunk, after the finish chunk."""
        return f'{self._head},"choices":[],"usage":{json_text(usage_object(final))}}}'

    def whole(self, text: str, final: Final) -> bytes:
        """The answer of a request without streaming."""
        message = {"role": "assistant", "content": text, "refusal": None}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": final.finish}
        head = {"id": self._fields["id"], "object": "chat.completion"} | self._fields
        tail = {"usage": usage_object(final), "timings": timings_object(final.timings)}
        return msgspec.json.encode(head | {"choices": [choice]} | tail)
