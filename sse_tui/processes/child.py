"""A child process as its parent sees it: start, commands, reports, and the end.

However the parent dies, its end of the child's standard input closes, and the child takes that as the command to end
(`sse_tui.processes.parent`). So no child is left behind, not even when the parent gets SIGKILL.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from sse_tui.errors import StreamError
from sse_tui.processes import messages
from sse_tui.processes.log import Log

R = TypeVar("R")

GRACE_S = 3.0
_LOG_END_S = 1.0
_LOG_READ = 64 * 1024
_ROOT = str(Path(__file__).resolve().parents[2])

# The child must run this same code, wherever it was imported from: a checkout that is not installed is found by its own
# path. And -P, because plain `python -m` puts the current directory first on the path: a json.py there would be run.
_RUN_MODULE = """
import runpy, sys
root, module = sys.argv[1:3]
del sys.argv[1:3]
if root not in sys.path: sys.path.insert(0, root)
runpy.run_module(module, run_name="__main__", alter_sys=True)
"""


class Child(Generic[R]):
    """One child process, whose reports are of the type `R`. Make it with `start`."""

    def __init__(self, process: Process, read: Callable[[bytes], R], log: Log) -> None:
        self._process = process
        self._read = read
        self._log = log
        self._ending = False
        self._logger = asyncio.create_task(self._keep_log(), name="log of a child process")

    @classmethod
    async def start(
        cls,
        module: str,
        *arguments: str,
        reports: Callable[[bytes], R],
        env: Mapping[str, str] | None = None,
        log: Path | None = None,
        pass_fds: Sequence[int] = (),
    ) -> Child[R]:
        """Run ``python -m MODULE ARGUMENTS``.

        `reports` decodes a line of its standard output (see `messages.reader`); its standard error goes to `log`; `env`
        is added to the environment. Raises `StreamError` when the system cannot make a process.
        """
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-P", "-c", _RUN_MODULE, _ROOT, module, *arguments,
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE,
                env={**os.environ, **(env or {})},
                limit=messages.LINE_LIMIT,
                pass_fds=pass_fds,
            )  # fmt: skip
        except OSError as error:
            raise StreamError(
                "process-start",
                f"A helper process cannot be started with {sys.executable}: {error.strerror}.",
                "The system may be out of processes, files or memory (ulimit -a).",
            ) from error
        return cls(process, reports, Log(log))

    @property
    def running(self) -> bool:
        """Whether the process is still there."""
        return self._process.returncode is None

    @property
    def ended_unasked(self) -> bool:
        """True when the process is gone and `end` was not called."""
        return not self.running and not self._ending

    def send(self, message: msgspec.Struct) -> None:
        """Send a command. It is lost when the child has just died, which the end of `reports` shows.

        Raises what msgspec does for a value that JSON cannot hold.
        """
        data = messages.line(message)
        assert self._process.stdin is not None
        with contextlib.suppress(OSError, RuntimeError):
            self._process.stdin.write(data)

    async def reports(self) -> AsyncIterator[R]:
        """The child's reports, until its output ends. Can be iterated again for those that follow.

        A child that sends anything else is killed, since the two no longer understand each other; `exit_text` then
        holds what it sent.
        """
        output = self._process.stdout
        assert output is not None
        try:
            while line := await output.readline():
                yield self._read(line)
        except ValueError as error:  # malformed, or longer than the limit of the stream reader
            self.kill(f"It sent a malformed message: {error}")

    async def exit_text(self) -> str:
        """How the process ended and its last words, as the end of a sentence: ``ended by SIGKILL``, ``ended with exit
        status 1: no memory``.

        Waits for the end, and kills a process that has closed its output and does not end.
        """
        code = await self._wait(GRACE_S)
        if code is None:
            self.kill()
            code = await self._process.wait()
        await self._end_log()
        words = self._log.last_words()
        return exit_name(code) + (f": {words}" if words else "")

    async def end(self, grace_s: float = GRACE_S) -> int:
        """End the child: close its input and wait, then SIGTERM, then SIGKILL. Gives its return code; idempotent."""
        self._ending = True
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            code = await self._wait(grace_s)
            for send_signal in (self._process.terminate, self._process.kill):
                if code is None:
                    with contextlib.suppress(ProcessLookupError):
                        send_signal()
                    code = await self._wait(grace_s)
            if code is None:
                code = await self._process.wait()
            await self._end_log()
        except asyncio.CancelledError:
            self.kill()
            raise
        finally:
            self._logger.cancel()
        return code

    def kill(self, why: str = "") -> None:
        """End it at once. `why` is added to its log, and so to `exit_text`."""
        if why:
            self._log.write(why.encode() + b"\n")
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()

    async def _wait(self, limit_s: float) -> int | None:
        try:
            return await asyncio.wait_for(self._process.wait(), limit_s)
        except TimeoutError:
            return None

    async def _end_log(self) -> None:
        """Read the rest of the log, which lags behind the end of the process. Not for ever: a grandchild may hold it
        open."""
        await asyncio.wait([self._logger], timeout=_LOG_END_S)

    async def _keep_log(self) -> None:
        errors = self._process.stderr
        assert errors is not None
        try:
            while data := await errors.read(_LOG_READ):
                self._log.write(data)
        finally:
            self._log.close()


def exit_name(code: int) -> str:
    """How a process ended, from its return code."""
    if code >= 0:
        return f"ended with exit status {code}"
    try:
        return f"ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"ended by signal {-code}"
