"""A generation as a queue: the engine puts steps in, its reader iterates over them."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable

from sse_tui.engine.interface import Final, Piece, PrefillProgress, Step


class QueuedGeneration:
    """A `Generation` fed by `put`. The engine never waits for the reader: what was not read yet is kept.

    `on_cancel` is called at most once, and not after the `Final`.
    """

    def __init__(self, id: str, on_cancel: Callable[[], None]) -> None:
        self._id = id
        self._on_cancel: Callable[[], None] | None = on_cancel
        self._steps: deque[Step] = deque()
        self._waiter: asyncio.Future[None] | None = None
        self._ended = False
        self._prompt = self._pieces = 0

    @property
    def id(self) -> str:
        return self._id

    @property
    def ended(self) -> bool:
        """Whether the `Final` has been put, even if the reader has not taken it."""
        return self._ended

    def put(self, step: Step) -> None:
        """Add a step; after a `Final` further steps are ignored."""
        if self._ended:
            return
        self._steps.append(step)
        if isinstance(step, Piece):
            self._pieces += 1
        elif isinstance(step, PrefillProgress):
            self._prompt = step.total
        else:
            self._ended = True
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def end(self, finish: str, *, error: str = "", code: str = "") -> None:
        """Put a `Final` for an engine that can no longer make one, with the counts that are known here."""
        self.put(
            Final(
                finish=finish,
                prompt_tokens=self._prompt,
                completion_tokens=self._pieces,
                error=error,
                error_code=code,
            )
        )

    def cancel(self) -> None:
        """Stop within one token; idempotent."""
        on_cancel, self._on_cancel = self._on_cancel, None
        if on_cancel is not None and not self._ended:
            on_cancel()

    async def __aiter__(self) -> AsyncIterator[Step]:
        while True:
            while self._steps:
                step = self._steps.popleft()
                yield step
                if isinstance(step, Final):
                    return
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
