"""The capture process: owns the connection, stamps its reads, appends to the recording, obeys a pipe.

It has no screen to disturb its clock. The TUI starts it, sends it commands on its standard input and follows the
file it writes; on its standard output it only says how far the file has grown and how turns ended. When the pipe
closes, because the TUI quit or died, it ends the recording and exits.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import traceback
from pathlib import Path

import msgspec

from sse_tui.errors import SseTuiError, StreamError, UsageError
from sse_tui.faults import parse_plan
from sse_tui.recording import Redactor
from sse_tui.session.capture import protocol
from sse_tui.session.recorder import Recorder
from sse_tui.transport import SessionClock

NOTIFY_S = 0.01
MAX_COMMAND = 64 * 2**20


class Capture:
    """The process's state: one recorder, at most one running turn."""

    def __init__(self, out: int) -> None:
        self._out = out
        self._recorder: Recorder | None = None
        self._task: asyncio.Task[None] | None = None
        self._notify: asyncio.TimerHandle | None = None

    async def serve(self, commands: asyncio.StreamReader) -> None:
        """Obey commands until "quit" or the end of the pipe, then end the recording."""
        try:
            while line := await commands.readline():
                command = protocol.decode_command(line)
                if isinstance(command, protocol.Quit):
                    break
                try:
                    self._obey(command)
                except SseTuiError as error:
                    self._say(protocol.Failed(protocol.pack_error(error)))
        finally:
            await self._end()

    def _obey(self, command: protocol.Command) -> None:
        if isinstance(command, protocol.Open):
            redactor = Redactor(command.redact_headers, command.redact_patterns)
            for secret in command.secrets:
                redactor.learn(secret)
            self._recorder = Recorder(
                Path(command.path),
                redactor=redactor,
                clock=SessionClock(command.origin_ns),
                append=command.origin_ns is not None,
                conns=command.conns,
            )
            if command.broken is not None:
                self._recorder.broken_off(*command.broken)
            self._say(protocol.Opened(command.path, self._recorder.clock.origin_ns))
            self._grown()
            return
        if self._recorder is None:
            raise UsageError("capture-not-open", "The capture process was given a command before a file.")
        if isinstance(command, protocol.Run):
            if self._task is not None and not self._task.done():
                raise UsageError("turn-running", "An answer is still streaming.", "Stop it first.")
            self._task = asyncio.ensure_future(self._turn(self._recorder, command))
        elif isinstance(command, protocol.Stop):
            self._recorder.stop()
        elif isinstance(command, protocol.Arm):
            if not self._recorder.arm(parse_plan(command.plan)):
                raise UsageError("nothing-running", f"No stream is running, so {command.plan} was not armed.")
        elif isinstance(command, protocol.Bookmark):
            self._recorder.note(command.text)
            self._grown()

    async def _turn(self, recorder: Recorder, command: protocol.Run) -> None:
        error: SseTuiError | None = None
        try:
            async for _ in recorder.run(command.number, command.turn):
                if self._notify is None:
                    self._notify = asyncio.get_running_loop().call_later(NOTIFY_S, self._grown)
            error = recorder.error
        except SseTuiError as exc:
            error = exc
        except Exception as exc:
            # A fault of this program: the TUI must hear of it, and the log must hold where it was.
            traceback.print_exc()
            error = StreamError(
                "capture-failed", f"The capture process failed: {exc!r}.", "Its log says where."
            )
        self._grown()
        packed = protocol.pack_error(error) if error is not None else None
        self._say(protocol.Done(command.number, recorder.outcome, packed))

    def _grown(self) -> None:
        if self._notify is not None:
            self._notify.cancel()
            self._notify = None
        if self._recorder is not None:
            self._say(protocol.Grown(self._recorder.size))

    def _say(self, report: protocol.Report) -> None:
        with contextlib.suppress(BrokenPipeError):
            os.write(self._out, protocol.encode(report) + b"\n")

    async def _end(self) -> None:
        if self._notify is not None:
            self._notify.cancel()
        if self._recorder is None:
            return
        self._recorder.stop()
        if self._task is not None:
            await asyncio.wait([self._task], timeout=2)
        self._recorder.close("quit")


async def _serve() -> None:
    loop = asyncio.get_running_loop()
    # The reports keep the real standard output to themselves: a stray print must not garble the protocol.
    out = os.dup(1)
    os.dup2(2, 1)
    reader = asyncio.StreamReader(limit=MAX_COMMAND)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(os.dup(0), "rb"))
    for name in (signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(name, reader.feed_eof)
    # ctrl+c in the terminal goes to the whole group; the TUI decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        await Capture(out).serve(reader)
    except (msgspec.DecodeError, ValueError) as exc:
        sys.stderr.write(f"capture: bad command: {exc}\n")


def main() -> None:
    """Entry point of ``python -m sse_tui.session.capture.process``."""
    try:
        import uvloop
    except ImportError:
        asyncio.run(_serve())
    else:
        uvloop.run(_serve())


if __name__ == "__main__":
    main()
