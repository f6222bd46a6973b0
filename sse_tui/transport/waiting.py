"""Waits that another part of the program can cut short.

Stopping, and faults armed while a stream runs, must act at once, whatever the driver is waiting for.
`asyncio.timeout` already knows how to interrupt a wait without losing what it waited for; waking is moving
its deadline to now.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")


class Woken(Exception):  # noqa: N818 - not an error: a reason to look again
    """The wait was cut short by `wake`."""


class Waiter:
    """One waiter at a time. `wake` may come between waits; the next wait then ends at once."""

    def __init__(self) -> None:
        self._scope: asyncio.Timeout | None = None
        self._woken = False

    def wake(self) -> None:
        """End the running or the next wait with `Woken`. To be called in the loop's thread."""
        self._woken = True
        if self._scope is not None and not self._scope.expired():
            self._scope.reschedule(asyncio.get_running_loop().time())

    async def wait(self, awaitable: Awaitable[T], seconds: float | None = None) -> T:
        """Await it for at most `seconds`. Raises TimeoutError or Woken; what is awaited is then cancelled."""
        try:
            async with asyncio.timeout(0 if self._woken else seconds) as scope:
                self._scope = scope
                return await awaitable
        except TimeoutError:
            if scope.expired() and self._woken:
                self._woken = False
                raise Woken from None
            raise
        finally:
            self._scope = None
