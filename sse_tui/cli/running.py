"""Runs a command's coroutine so that signals end it in order: it cleans up, then the signal gives the exit code."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Coroutine
from typing import Any, TypeVar

from sse_tui.cli.exits import Terminated

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    """The result of `work`. Raises `KeyboardInterrupt` after SIGINT and `Terminated` after SIGTERM or SIGHUP,
    both once the cancelled coroutine has ended."""
    received: list[int] = []

    async def main() -> T:
        task = asyncio.current_task()
        loop = asyncio.get_running_loop()

        def stop(number: int) -> None:
            received.append(number)
            if task is not None:
                task.cancel()

        for number in (signal.SIGTERM, getattr(signal, "SIGHUP", None)):
            if number is not None:
                try:
                    loop.add_signal_handler(number, stop, number)
                except (NotImplementedError, RuntimeError, ValueError):
                    # Not on this platform, or not in the main thread: the signal keeps its default action.
                    continue
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
