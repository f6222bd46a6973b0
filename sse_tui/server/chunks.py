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

    def each(ms: float, n: int) -> float | None:
        return round(ms / n, 4) if n else None

    def rate(ms: float, n: int) -> float | None:
        return round(n * 1000 / ms, 4) if ms else None

    return {
        "queue_ms": round(timings.queue_ms, 3),
        "cache_n": timings.cache_n,
        "prompt_n": timings.prompt_n,
        "prompt_ms": round(timings.prompt_ms, 3),
        "prompt_per_token_ms": each(timings.prompt_ms, timings.prompt_n),
        "prompt_per_second": rate(timings.prompt_ms, timings.prompt_n),
        "predicted_n": timings.predicted_n,
        "predicted_ms": round(timings.predicted_ms, 3),
        "predicted_per_token_ms": each(timings.predicted_ms, timings.predicted_n),
        "predicted_per_second": rate(timings.predicted_ms, timings.predicted_n),
    }


class ChatChunks:
    """The chunks of one answer. With `include_usage`, every chunk but the usage chunk has ``usage: null``."""

    def __init__(
        self, *, id: str, model: str, fingerprint: str, created: int, include_usage: bool = False
    ) -> None:
        self._fields = {"id": id, "created": created, "model": model, "system_fingerprint": fingerprint}
        head = {"id": id, "object": "chat.completion.chunk"} | self._fields
        self._head = json_text(head)[:-1]
        self._usage = ',"usage":null' if include_usage else ""
        self._before_text = f'{self._head},"choices":[{{"index":0,"delta":{{"content":'
        self._after_text = f'}},"logprobs":null,"finish_reason":null}}]{self._usage}}}'

    def role(self) -> str:
        """The first chunk: the role of the answer."""
        delta = '{"role":"assistant","content":"","refusal":null}'
        choice = f'{{"index":0,"delta":{delta},"logprobs":null,"finish_reason":null}}'
        return f'{self._head},"choices":[{choice}]{self._usage}}}'

    def content(self, text: str) -> str:
        """One piece of the answer."""
        return self._before_text + json_text(text) + self._after_text

    def finish(self, final: Final) -> str:
        """The last chunk with a choice: the finish reason, and the engine's timings."""
        reason, timings = json_text(final.finish), json_text(timings_object(final.timings))
        choice = f'{{"index":0,"delta":{{}},"logprobs":null,"finish_reason":{reason}}}'
        return f'{self._head},"choices":[{choice}]{self._usage},"timings":{timings}}}'

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
