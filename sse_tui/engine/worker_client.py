"""The worker as a child process: its pipes, its log's last lines, and how it ended."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections import deque
from collections.abc import AsyncIterator
from pathlib import Path

from sse_tui.engine import ipc

_LOG_LINES = 40
_READ_SIZE = 2**18
_END_S = 2.0
_ROOT = str(Path(__file__).resolve().parents[2])

# The worker must be this same code, from wherever it was imported: with -P nothing of the current directory
# can stand in for a library, and a checkout that is not installed is found by its path.
_MAIN = """
import sys
if sys.argv[1] not in sys.path: sys.path.insert(0, sys.argv[1])
from sse_tui.engine.worker import main
main()
"""


class WorkerProcess:
    """One worker."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._frames = ipc.Frames()
        self._log: deque[str] = deque(maxlen=_LOG_LINES)
        self._logger = asyncio.create_task(self._keep_log(), name="engine worker's log")
        self._pending: deque[bytes] = deque()

    @classmethod
    async def start(cls) -> WorkerProcess:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-c", _MAIN, _ROOT,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={**os.environ, "GGML_NO_BACKTRACE": "1"},
        )  # fmt: skip
        return cls(process)

    @property
    def pid(self) -> int:
        return self._process.pid

    def send(self, message: ipc.Command) -> None:
        """Send a command; to a worker that has just died it is lost, as the worker's generations are."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError, RuntimeError):
            self._process.stdin.write(ipc.frame(message))

    async def reports(self) -> AsyncIterator[ipc.Report | ipc.Steps]:
        """What the worker reports, until it is gone. What was read and not taken is there for the next
        iteration."""
        assert self._process.stdout is not None
        while True:
            while self._pending:
                yield ipc.report(self._pending.popleft())
            data = await self._process.stdout.read(_READ_SIZE)
            if not data:
                return
            self._pending.extend(self._frames.feed(data))

    async def obituary(self) -> str:
        """How the process ended, with the last lines it wrote. Waits for the end, kills what lingers."""
        try:
            await asyncio.wait_for(self._process.wait(), _END_S)
        except TimeoutError:
            self.kill()
            await self._process.wait()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(self._logger), _END_S)
        code = self._process.returncode or 0
        said = " | ".join(last_words(list(self._log)))
        return f"The engine process ended by {signal_name(code)}" + (f": {said}." if said else ".")

    async def end(self) -> None:
        """Close the pipes, which ends the worker; kill it when it does not go. Leaves no process."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), _END_S)
        except TimeoutError:
            self.kill()
            await self._process.wait()
        except asyncio.CancelledError:
            self.kill()
            raise
        self._logger.cancel()
        await asyncio.gather(self._logger, return_exceptions=True)

    def kill(self, why: str = "") -> None:
        """End it at once; `why` goes into its log."""
        if why:
            self._log.append(why)
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()

    async def _keep_log(self) -> None:
        assert self._process.stderr is not None
        rest = b""
        while data := await self._process.stderr.read(_READ_SIZE):
            *lines, rest = (rest + data)[-_READ_SIZE:].split(b"\n")
            self._log.extend(line.decode("utf-8", "replace").strip() for line in lines if line.strip())
        if rest.strip():
            self._log.append(rest.decode("utf-8", "replace").strip())


def last_words(lines: list[str]) -> list[str]:
    """The few lines of a log that tell why its process died: up to the interpreter's note of it, not its
    stack."""
    for place, line in enumerate(lines):
        if line.startswith("Fatal Python error"):
            return lines[max(0, place - 2) : place + 1]
    return lines[-3:]


def signal_name(code: int) -> str:
    """How a process ended, from its return code: a signal's name, or the exit status."""
    if code >= 0:
        return f"exit status {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"
