"""The capture process: owns the connection, stamps its reads, appends to the recording, does what the TUI commands.

It has no screen to disturb its clock. The TUI starts it, sends it commands and follows the file that it writes; back
it reports only that the file has grown and how turns ended, and never waits for the TUI to read that: a terminal that
nobody reads stops the TUI, and would stop the reading of the stream with it. When the TUI quits or dies, it ends the
recording and exits.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import traceback
from pathlib import Path

from sse_tui.errors import SseTuiError, StreamError, UsageError
from sse_tui.faults import parse_plan
from sse_tui.processes import loop
from sse_tui.processes.messages import ErrorMessage
from sse_tui.processes.parent import Parent
from sse_tui.recording import Redactor
from sse_tui.session.capture import protocol
from sse_tui.session.recorder import Recorder
from sse_tui.transport import SessionClock

# At most one report of the file's growth in this time: the TUI draws no faster.
_NOTIFY_S = 0.01
_STOP_S = 2.0
# How long the last reports may take to reach the TUI.
_LAST_REPORTS_S = 0.5

Commands = asyncio.Queue[protocol.Command | None]


class Capture:
    """The process's state: one recorder, at most one running turn."""

    def __init__(self, parent: Parent[protocol.Command]) -> None:
        self._parent = parent
        self._recorder: Recorder | None = None
        self._turn: asyncio.Task[None] | None = None
        self._notify: asyncio.TimerHandle | None = None

    async def serve(self, commands: Commands) -> None:
        """Carry out commands up to a None, then end the recording."""
        try:
            while (command := await commands.get()) is not None:
                try:
                    self._carry_out(command)
                except SseTuiError as error:
                    self._parent.post(protocol.CommandFailed(ErrorMessage.of(error)))
        finally:
            await self._end()

    def _carry_out(self, command: protocol.Command) -> None:
        if isinstance(command, protocol.Open):
            self._open(command)
            return
        recorder = self._recorder
        if recorder is None:
            raise UsageError("capture-not-open", "The capture process was given a command before a file.")
        match command:
            case protocol.RunTurn():
                if self._turn is not None and not self._turn.done():
                    raise UsageError("turn-running", "An answer is still streaming.", "Stop it first.")
                self._turn = asyncio.ensure_future(self._run(recorder, command))
            case protocol.Stop():
                recorder.stop()
            case protocol.Arm():
                if not recorder.arm(parse_plan(command.plan)):
                    message = f"No stream is running, so {command.plan} was not armed."
                    raise UsageError("nothing-running", message)
            case protocol.Bookmark():
                recorder.note(command.text)
                self._report_growth()

    def _open(self, command: protocol.Open) -> None:
        self._recorder = Recorder(
            Path(command.path),
            redactor=Redactor(command.redact_headers, command.redact_patterns),
            secrets=command.secrets,
            clock=SessionClock(command.origin_ns),
            append=command.origin_ns is not None,
            conns=command.conns,
            max_bytes=command.max_bytes,
        )
        if command.broken is not None:
            self._recorder.broken_off(*command.broken)
        self._parent.post(protocol.Opened(self._recorder.clock.origin_ns))
        self._report_growth()

    async def _run(self, recorder: Recorder, command: protocol.RunTurn) -> None:
        try:
            async for _ in recorder.run(command.number, command.turn):
                if self._notify is None:
                    self._notify = asyncio.get_running_loop().call_later(_NOTIFY_S, self._report_growth)
            error = recorder.error
        except SseTuiError as exc:
            error = exc
        except Exception as exc:
            # A defect of this program: the TUI must show it, and the log must say where it is.
            traceback.print_exc()
            message = f"The capture process failed: {exc!r}."
            error = StreamError("capture-failed", message, "Its log has the traceback.")
        self._report_growth()
        failure = ErrorMessage.of(error) if error is not None else None
        self._parent.post(protocol.Done(failure))

    def _report_growth(self) -> None:
        self._cancel_notify()
        self._parent.post(protocol.Grown(), state=True)

    def _cancel_notify(self) -> None:
        if self._notify is not None:
            self._notify.cancel()
            self._notify = None

    async def _end(self) -> None:
        self._cancel_notify()
        if self._recorder is None:
            return
        self._recorder.stop()
        if self._turn is not None:
            await asyncio.wait([self._turn], timeout=_STOP_S)
        self._recorder.close("quit")


async def _serve() -> None:
    running = asyncio.get_running_loop()
    commands: Commands = asyncio.Queue()

    def put_from_thread(command: protocol.Command | None) -> None:
        # The loop may have closed after SIGTERM.
        with contextlib.suppress(RuntimeError):
            running.call_soon_threadsafe(commands.put_nowait, command)

    for name in (signal.SIGTERM, signal.SIGHUP):
        running.add_signal_handler(name, commands.put_nowait, None)
    # ctrl+c in the terminal goes to the whole group; the TUI decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = Parent(protocol.read_command)
    parent.listen(put_from_thread, lambda: put_from_thread(None))
    await Capture(parent).serve(commands)
    parent.flush(_LAST_REPORTS_S)


if __name__ == "__main__":
    loop.run(_serve())
