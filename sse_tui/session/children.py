"""Starting and ending the processes that a session needs, so that none is ever left behind."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Mapping, Sequence
from pathlib import Path

GRACE_S = 3.0
LINE_LIMIT = 64 * 2**20


async def start(
    arguments: Sequence[str], *, env: Mapping[str, str] | None = None, log: Path | None = None
) -> Process:
    """Start ``python ARGUMENTS`` with pipes for its input and output; its errors go to `log`, or nowhere where
    none is or none can be written.

    The child must exit when its standard input ends: that is what makes it die with us, whatever way we die.
    """
    errors = _log(log) if log is not None else DEVNULL
    try:
        return await asyncio.create_subprocess_exec(
            sys.executable,
            *arguments,
            stdin=PIPE,
            stdout=PIPE,
            stderr=errors,
            env={**os.environ, **(env or {})},
            limit=LINE_LIMIT,
        )
    finally:
        if errors != DEVNULL:
            os.close(errors)


def _log(path: Path) -> int:
    """The log, opened to be appended to; DEVNULL where the folder or the disk does not let us."""
    try:
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    except OSError as error:
        if error.errno in (errno.EMFILE, errno.ENFILE):
            raise
        return DEVNULL


async def end(process: Process, grace_s: float = GRACE_S) -> int:
    """End a child: close its input and wait, then SIGTERM, then SIGKILL. Gives its return code."""
    if process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.close()
    for signal_it in (process.terminate, process.kill):
        try:
            return await asyncio.wait_for(process.wait(), grace_s)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                signal_it()
    return await process.wait()
