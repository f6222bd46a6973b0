"""Turns a pipe into a recording that the TUI can follow while it grows: ``curl -N ... | sse-tui open -``.

Another process reads the pipe, so that rendering does not disturb the times of its reads.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from sse_tui.cli import narration
from sse_tui.errors import RecordingError, SseTuiError
from sse_tui.processes.child import Child
from sse_tui.processes.messages import ErrorMessage, reader
from sse_tui.processes.parent import Parent


class Spool(msgspec.Struct, tag="spool", frozen=True):
    """The one command: write what comes on the file descriptor `fd` to a recording at `path`."""

    path: str
    fd: int


class SpoolBegun(msgspec.Struct, tag="begun", frozen=True):
    """The recording is there, and grows."""


class SpoolFailed(msgspec.Struct, tag="failed", frozen=True):
    """The input could not be read or the recording not be written; the process ends after it."""

    error: ErrorMessage


_read_command: Callable[[bytes], Spool] = reader(Spool)
_read_report: Callable[[bytes], SpoolBegun | SpoolFailed] = reader(SpoolBegun | SpoolFailed)


@contextlib.contextmanager
def spooled(path: Path) -> Iterator[None]:
    """Spool our stdin to a recording at `path`, which has begun when the body runs, and grows until it ends.

    Raises the error of the process that spools, when the input is not a stream for one.
    """
    # The TUI has an event loop of its own: this one only runs before and after it.
    with asyncio.Runner() as runner:
        with narration.Status("waiting for the first bytes on stdin ..."):
            child = runner.run(_begin(path))
        try:
            yield
        finally:
            runner.run(child.end())


async def _begin(path: Path) -> Child[SpoolBegun | SpoolFailed]:
    # The child's standard input is the pipe that tells it of our end, so the data come by another number.
    fd = os.dup(0)
    try:
        child = await Child.start("sse_tui.cli.spooling", reports=_read_report, pass_fds=[fd])
        child.send(Spool(str(path), fd))
    finally:
        os.close(fd)
    try:
        async for report in child.reports():
            if isinstance(report, SpoolFailed):
                raise report.error.error()
            return child
        raise RecordingError("stdin-lost", f"The process that reads stdin {await child.exit_text()}.")
    except BaseException:
        await child.end()
        raise


def main() -> None:
    """The process. It ends with its parent, wherever it is."""
    # The terminal sends it to the whole group; the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    from sse_tui.offline.opening import Piped
    from sse_tui.recording import Redactor, Writer

    parent = Parent(_read_command)
    command = parent.commands().get()
    try:
        piped = Piped(command.fd)
        with Writer(Path(command.path), piped.header, Redactor()) as writer:
            parent.send(SpoolBegun())
            for record in piped:
                writer.write(record)
    except SseTuiError as error:
        parent.send(SpoolFailed(ErrorMessage.of(error)))


if __name__ == "__main__":
    main()
