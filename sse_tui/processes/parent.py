"""The parent as a child process sees it: commands on standard input, reports on what was standard output.

The end of standard input means that the parent is gone, or wants the child to end.
"""

from __future__ import annotations

import os
import queue
import select
import sys
import threading
import time
from collections.abc import Callable
from typing import Generic, NoReturn, TypeVar

import msgspec

from sse_tui.processes import messages
from sse_tui.processes.messages import MalformedMessageError
from sse_tui.processes.outbox import Outbox

C = TypeVar("C")

_READ_SIZE = 64 * 1024
# How often it is asked whether the parent is still there while its pipe is open, and while this process is ending.
_POLL_S = 2.0
_END_POLL_S = 0.1
# How long this process may go on without a parent, to end its work in order.
_ORPHAN_S = 0.6


def exit_now() -> NoReturn:
    """End this process at once, whatever it is doing."""
    os._exit(0)


class Parent(Generic[C]):
    """The pipes to the parent; commands are of the type `C`. Make one per process, before anything else prints.

    From then on the real standard output is for the reports alone: what a library prints goes to standard error, which
    the parent logs.
    """

    def __init__(self, commands: Callable[[bytes], C]) -> None:
        self._read = commands
        sys.stdout.flush()
        self._out = Outbox(os.dup(1))
        os.dup2(2, 1)
        # Asked now: once the parent is gone, this process has another one.
        self._pid = os.getppid()

    def listen(self, on_command: Callable[[C], None], on_end: Callable[[], None] = exit_now) -> None:
        """Call `on_command` with each command, and `on_end` when no more will come, both in another thread. Where the
        parent is gone, the process then has a moment to end in order.

        A thread, because the end must be noticed in the middle of a long call too, and because standard input may be a
        file or a device, which event loops cannot watch.
        """
        threading.Thread(target=self._listen, args=(on_command, on_end), name="commands", daemon=True).start()

    def commands(self) -> queue.SimpleQueue[C]:
        """The commands as a queue, for a process that exits at once when its parent is gone."""
        commands: queue.SimpleQueue[C] = queue.SimpleQueue()
        self.listen(commands.put)
        return commands

    def send(self, report: msgspec.Struct) -> None:
        """Send a report, and wait until the parent has taken it. It is lost when the parent is gone, which the end of
        standard input shows."""
        self.post(report)
        self._out.flush()

    def post(self, report: msgspec.Struct, *, state: bool = False) -> None:
        """As `send`, without waiting. A report of a `state` replaces an earlier one of its type that still waits."""
        self._out.put(messages.line(report), type(report).__name__ if state else "")

    def flush(self, limit_s: float) -> None:
        """Wait at most this long until the parent has taken what was posted: before the process ends."""
        self._out.flush(limit_s)

    def _listen(self, on_command: Callable[[C], None], on_end: Callable[[], None]) -> None:
        buffer = bytearray()
        try:
            while data := self._more():
                buffer += data
                # Split only when a line ends in the new bytes: a long command takes very many reads.
                if b"\n" in data:
                    *lines, rest = bytes(buffer).split(b"\n")
                    buffer = bytearray(rest)
                    for line in lines:
                        on_command(self._read(line))
                if len(buffer) > messages.LINE_LIMIT:
                    raise MalformedMessageError(f"longer than {messages.LINE_LIMIT} bytes")
        except MalformedMessageError as error:
            print(f"malformed command: {error}", file=sys.stderr)  # noqa: T201  (the parent's log)
        finally:
            on_end()
            self._outlive_nobody()

    def _outlive_nobody(self) -> None:
        """End the process when it still runs a moment after its parent: `on_end` may ask a loop that never turns."""
        while os.getppid() == self._pid:
            time.sleep(_END_POLL_S)
        time.sleep(_ORPHAN_S)
        exit_now()

    def _more(self) -> bytes:
        """The next bytes on standard input; none when the parent is gone."""
        try:
            while not select.select([0], [], [], _POLL_S)[0]:
                # Another process that the parent forked may have inherited the other end of the pipe and keep it open.
                if os.getppid() != self._pid:
                    return b""
            return os.read(0, _READ_SIZE)
        except OSError:
            return b""
