"""Runs a command's coroutine so that signals end it in order: it cleans up, then the signal gives the exit code."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Coroutine
from typing import Any, TypeVar, cast

from sse_tui.cli.exits import Terminated

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    """The result of `work`. Raises `KeyboardInterrupt` after SIGINT and `Terminated` after SIGTERM or SIGHUP,
    both once the cancelled coroutine has ended."""
    received: list[int] = []

    async def main() -> T:
        task = cast("asyncio.Task[T]", asyncio.current_task())

        def stop(number: int) -> None:
            received.append(number)
            task.cancel()

        for number in (signal.SIGTERM, signal.SIGHUP):
            # In another thread than the main one the signal keeps its default action.
            with contextlib.suppress(RuntimeError, ValueError):
                asyncio.get_running_loop().add_signal_handler(number, stop, number)
        return await work

    try:
        with asyncio.Runner() as runner:
            return runner.run(main())
    except asyncio.CancelledError:
        if received:
            raise Terminated(received[0]) from None
        raise
    finally:
        # If no event loop could be created, the coroutine was never started: this avoids a warning.
        work.close()
