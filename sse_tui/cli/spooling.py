"""Turns a pipe into a recording that the TUI can follow while it grows: ``curl -N ... | sse-tui open -``.

A process of its own reads the pipe, so that the stamps of its reads are not disturbed by rendering.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from sse_tui.cli import narration
from sse_tui.cli.exits import exit_of
from sse_tui.errors import SseTuiError

POLL_S = 0.02


@contextlib.contextmanager
def spooled(path: Path) -> Iterator[int]:
    """Spool our stdin to `path`. Gives 0 once the recording has begun, and ends the process that writes it.

    When the input is no stream, the process has said so on stderr, and its exit code is given instead of 0.
    """
    with subprocess.Popen([sys.executable, "-m", "sse_tui.cli.spooling", str(path)]) as process:
        try:
            while not path.exists() and process.poll() is None:
                time.sleep(POLL_S)
            yield 0 if path.exists() else process.wait()
        finally:
            process.terminate()


def main(path: Path) -> int:
    """The process: stdin to a recording at `path`, each read as it comes; the exit code."""
    from sse_tui.offline.opening import Piped
    from sse_tui.recording import Redactor, Writer

    try:
        with narration.Status("waiting for the first bytes on stdin ..."):
            piped = Piped(0)
        with Writer(path, piped.header, Redactor()) as writer:
            # From here on the screen is the TUI's.
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            for record in piped:
                writer.write(record)
    except SseTuiError as error:
        narration.error(error)
        return exit_of(error)
    except KeyboardInterrupt:
        # The terminal sends it to both of us; the other one says so.
        return 0
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
