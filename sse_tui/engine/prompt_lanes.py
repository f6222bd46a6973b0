"""Prompts on their way to the scheduler: tokenized beside the decoding, so that a long one holds nobody up.

llama.cpp tokenizes without the GIL. Short prompts have a thread of their own, in which they never wait for a long one.
"""

from __future__ import annotations

import threading
import time
from array import array
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from sse_tui.engine.interface import Final, GenRequest, Timings
from sse_tui.engine.ipc import Steps
from sse_tui.engine.token_text import TextStream
from sse_tui.errors import EngineError

# The characters of a short prompt: some 20 ms in the worst case.
_SHORT = 16 * 2**10


class TokenizedRequest(NamedTuple):
    """A generation that can be queued: its prompt's tokens, and the text that its answer becomes.

    `queued` is when the request came, in seconds.
    """

    key: int
    request: GenRequest
    tokens: array[int]
    text: TextStream
    queued: float


class PromptLanes:
    """Tokenizes with `tokens_of`, which may raise `EngineError`, and gives each result to `post`.

    That is the tokenized request, or the steps that end the generation. The methods may be called from any thread, and
    `post` is called from several.
    """

    def __init__(
        self, tokens_of: Callable[[GenRequest], array[int]], post: Callable[[TokenizedRequest | Steps], None]
    ) -> None:
        self._tokens_of = tokens_of
        self._post = post
        self._short, self._long = (ThreadPoolExecutor(1, f"{kind} prompts") for kind in ("short", "long"))
        # Held while a result is posted, so that a cancel comes either before it or after it.
        self._lock = threading.Lock()
        self._pending: dict[int, float] = {}

    def add(self, key: int, request: GenRequest) -> None:
        """Tokenize a request, which came now."""
        self._pending[key] = time.monotonic()
        if _size(request) <= _SHORT:
            self._short.submit(self._tokenize, key, request)
        else:
            self._long.submit(self._tokenize_and_rest, key, request)

    def cancel(self, key: int) -> bool:
        """End a generation that is not tokenized yet; False when it is, or is not known."""
        with self._lock:
            queued = self._pending.pop(key, None)
            if queued is not None:
                timings = Timings(queue_ms=round((time.monotonic() - queued) * 1000, 3))
                self._post(Steps(finals=[(key, Final(finish="cancelled", timings=timings))]))
        return queued is not None

    def _tokenize_and_rest(self, key: int, request: GenRequest) -> None:
        """Leave the processor and the GIL to the decoding half of the time, however many long prompts wait."""
        start = time.monotonic()
        self._tokenize(key, request)
        time.sleep(time.monotonic() - start)

    def _tokenize(self, key: int, request: GenRequest) -> None:
        queued = self._pending.get(key)
        if queued is None:
            return
        result: TokenizedRequest | Steps
        try:
            result = TokenizedRequest(
                key, request, self._tokens_of(request), TextStream(request.stop), queued
            )
        except EngineError as error:
            result = refused(key, error)
        except Exception as error:
            # Nobody waits for the result of a thread: an error that is not told would leave the request without an end.
            result = refused(
                key, EngineError("engine-failed", f"The prompt could not be tokenized: {error!r}.")
            )
        with self._lock:
            if self._pending.pop(key, None) is not None:
                self._post(result)


def refused(key: int, error: EngineError) -> Steps:
    """The end of a generation that could not begin."""
    return Steps(finals=[(key, Final(finish="error", error=str(error), error_code=error.code))])


def _size(request: GenRequest) -> int:
    """The characters of the prompt, without what the template adds."""
    return len(request.prompt or "") + sum(len(str(message.get("content"))) for message in request.messages)
