"""Waits that another part of the program can cut short.

A stop, or a fault armed while a stream runs, must take effect at once, whatever the driver is waiting for.
`asyncio.timeout` already tells its own cancellation from one that comes from outside, so waking is nothing but moving
its deadline to now. What is awaited is cancelled and must not lose anything by that: a result that is ready when the
cancellation comes is gone. Reads of a body are made for it (see `tcp` and `fallback`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")


class Woken(Exception):  # noqa: N818 - not an error, only a reason to look again
    """The wait was cut short by `wake`."""


class Waiter:
    """For one wait at a time. `wake` may come between two waits; the next one then ends at once."""

    def __init__(self) -> None:
        self._scope: asyncio.Timeout | None = None
        self._woken = False

    def wake(self) -> None:
        """End the current or the next wait with `Woken`. To be called in the loop's thread."""
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
