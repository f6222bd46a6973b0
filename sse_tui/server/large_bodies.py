"""Parsing of large request bodies: in a thread, one at a time, and never most of the time.

The parser keeps the interpreter's lock while it works, so a thread alone would not keep large bodies from holding up
the event loop, and with it every other client.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from sse_tui.server.api_errors import unavailable

_T = TypeVar("_T")

# A pause lasts so many times as long as the parsing before it.
_REST = 3


class LargeBodies:
    """Parses bodies in turn. At most `limit` bytes of them wait, and one that would exceed it is refused."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held = 0
        self._turn = asyncio.Lock()
        self._thread = ThreadPoolExecutor(1, "large bodies")

    async def parse(self, body: bytearray, parse: Callable[[bytearray], _T]) -> _T:
        """What `parse` makes of the body, and what it raises. Raises 503 when too much is waiting."""
        if self._held and self._held + len(body) > self._limit:
            raise unavailable("overloaded", "Too many large requests came at once.")
        self._held += len(body)
        loop = asyncio.get_running_loop()
        try:
            await self._turn.acquire()
            start = loop.time()
            try:
                return await loop.run_in_executor(self._thread, parse, body)
            finally:
                loop.call_later(_REST * (loop.time() - start), self._turn.release)
        finally:
            self._held -= len(body)
