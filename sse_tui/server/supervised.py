"""The endpoint as a child process: its state as JSON lines on standard output, until standard input ends.

The parent reads ``{"status": ..., "url": ..., ...}``, one object a line, for every state: starting,
downloading (`done` of `total` bytes), loading, ready (`model`, `engine`), failed (`error`), stopping and
stopped. Whatever way the parent ends, its end of the pipe closes, and so this process ends too.

The bearer token comes by the environment variable ``SSE_TUI_TOKEN``, because arguments can be read by every
user of the machine.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
import threading
from typing import Any

import msgspec

from sse_tui.errors import SseTuiError, UsageError
from sse_tui.server.backend import Backend, StateWatcher, error_object
from sse_tui.server.run import serve
from sse_tui.server.serve_options import EnsureModel, ServeOptions, local_model, make_engine
from sse_tui.server.settings import ServerSettings

TOKEN_VARIABLE = "SSE_TUI_TOKEN"
STOP_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


def run_server(
    options: ServeOptions,
    ensure_model: EnsureModel,
    on_status: StateWatcher,
    *,
    stdin_stops: bool = False,
) -> None:
    """Serve until a signal (SIGINT, SIGTERM, SIGHUP) or, with `stdin_stops`, the end of standard input.

    Blocks. A second signal ends the process at once. Raises what `serve` raises.
    """

    async def main() -> None:
        loop, stop = asyncio.get_running_loop(), asyncio.Event()
        for name in STOP_SIGNALS:
            if hasattr(signal, name):
                loop.add_signal_handler(getattr(signal, name), _stop_or_exit, stop)
        if stdin_stops:
            threading.Thread(target=_watch_stdin, args=(loop, stop), name="stdin", daemon=True).start()

        async def make(backend: Backend) -> Any:
            return await make_engine(options, ensure_model, backend)

        await serve(make, options.settings, stop=stop, on_status=on_status)

    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(main())


def main_supervised(options: ServeOptions, ensure_model: EnsureModel) -> int:
    """Serve for a parent process. Returns the exit code: 0, 2 for wrong usage, 3 when no engine was had."""
    with _StatusLines() as say:
        try:
            run_server(options, ensure_model, say, stdin_stops=True)
        except SseTuiError as error:
            if say.last != "failed":
                say("failed", {"error": error_object(error)})
            return 2 if isinstance(error, UsageError) else 3
    return 0


class _StatusLines:
    """Standard output, kept for the status lines alone: whatever else prints goes to standard error."""

    def __init__(self) -> None:
        self.last = ""
        self._fd = -1

    def __enter__(self) -> _StatusLines:
        sys.stdout.flush()
        self._fd = os.dup(1)
        os.dup2(2, 1)
        return self

    def __exit__(self, *_: object) -> None:
        os.dup2(self._fd, 1)
        os.close(self._fd)

    def __call__(self, state: str, details: dict[str, Any]) -> None:
        # The end after a failure is no news, and must not hide the failure.
        if self.last == "failed":
            return
        self.last = state
        line = msgspec.json.encode({"status": state} | details) + b"\n"
        try:
            os.write(self._fd, line)
        except BrokenPipeError:
            # The parent is gone; the end of standard input says so too.
            return


def _stop_or_exit(stop: asyncio.Event) -> None:
    if stop.is_set():
        os._exit(130)
    stop.set()


def _watch_stdin(loop: asyncio.AbstractEventLoop, stop: asyncio.Event) -> None:
    """A thread, because standard input may be a file or a device, which event loops cannot watch."""
    try:
        while os.read(0, 4096):
            pass
    except OSError:
        pass
    try:
        loop.call_soon_threadsafe(stop.set)
    except RuntimeError:
        # The loop has ended by itself.
        return


def _loop_factory() -> Any:
    """uvloop where it is installed, else the platform's own loop."""
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop


def _arguments(arguments: list[str]) -> ServeOptions:
    parser = argparse.ArgumentParser(prog="python -m sse_tui.server.supervised", description=__doc__)
    parser.add_argument("--engine", choices=["llamacpp", "scripted"], default="llamacpp")
    parser.add_argument("--model", help="a GGUF file")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--n-gpu-layers", type=int, default=-1)
    parser.add_argument("--n-ctx", type=int, default=4096)
    parser.add_argument("--n-seq", type=int, default=4)
    parser.add_argument("--n-threads", type=int)
    parser.add_argument("--script", help="the text of the scripted engine")
    parser.add_argument("--ttft-ms", type=float, default=200.0)
    parser.add_argument("--gap-ms", type=float, default=20.0)
    given = vars(parser.parse_args(arguments))
    settings = ServerSettings(
        host=given.pop("host"), port=given.pop("port"), token=os.environ.get(TOKEN_VARIABLE)
    )
    return ServeOptions(settings=settings, **given)


if __name__ == "__main__":
    sys.exit(main_supervised(_arguments(sys.argv[1:]), local_model))
