"""The endpoint until something ends it: a signal or, as a child process, the end of standard input.

As a child it sends each status to its parent as a line of JSON on standard output. The bearer token comes by the
environment variable ``SSE_TUI_TOKEN``, because arguments can be read by every user of the machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import os
import signal

from sse_tui.errors import SseTuiError, UsageError
from sse_tui.processes import loop
from sse_tui.processes.messages import ErrorMessage
from sse_tui.processes.parent import Parent
from sse_tui.server.run import serve
from sse_tui.server.serve_options import EnsureModel, ServeOptions, make_engine
from sse_tui.server.status import EndpointState, EndpointStatus, StatusWatcher

TOKEN_VARIABLE = "SSE_TUI_TOKEN"
# How long the last status may take to reach a parent that is busy.
_LAST_STATUS_S = 1.0
STOP_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


def run_server(
    options: ServeOptions,
    ensure_model: EnsureModel,
    on_status: StatusWatcher,
    parent: Parent[None] | None = None,
) -> None:
    """Serve until a signal (SIGINT, SIGTERM, SIGHUP) or the end of `parent`.

    Blocks. A second signal ends the process at once. Raises what `serve` raises.
    """

    async def main() -> None:
        running, stop = asyncio.get_running_loop(), asyncio.Event()
        for name in STOP_SIGNALS:
            if hasattr(signal, name):
                running.add_signal_handler(getattr(signal, name), _stop_or_exit, stop)

        def stop_from_thread() -> None:
            # A loop that has ended by itself needs no stopping.
            with contextlib.suppress(RuntimeError):
                running.call_soon_threadsafe(stop.set)

        if parent is not None:
            parent.listen(lambda _command: None, stop_from_thread)

        make = functools.partial(make_engine, options, ensure_model)
        await serve(make, options.settings, stop=stop, on_status=on_status)

    loop.run(main())


def main_supervised(options: ServeOptions, ensure_model: EnsureModel) -> int:
    """Serve for a parent process. Returns the exit code: 0, 2 for wrong usage, 3 when there is no engine."""
    # The parent only holds the pipe: there are no commands.
    parent: Parent[None] = Parent(lambda _line: None)
    failed = False

    def send(status: EndpointStatus) -> None:
        nonlocal failed
        # The states after a failure add nothing to it, and must not hide it.
        if not failed:
            parent.post(status, state=True)
        failed = failed or status.state == EndpointState.FAILED

    try:
        run_server(options, ensure_model, send, parent)
    except SseTuiError as error:
        send(EndpointStatus(state=EndpointState.FAILED, error=ErrorMessage.of(error)))
        return 2 if isinstance(error, UsageError) else 3
    finally:
        parent.flush(_LAST_STATUS_S)
    return 0


def _stop_or_exit(stop: asyncio.Event) -> None:
    if stop.is_set():
        os._exit(130)
    stop.set()
