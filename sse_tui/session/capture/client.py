"""The TUI's end of the capture process: start it, command it, know when its file has grown."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from sse_tui.config import state_dir
from sse_tui.errors import RecordingError, SseTuiError, StreamError
from sse_tui.processes.child import Child
from sse_tui.recording import new_path, prune
from sse_tui.session.capture import protocol
from sse_tui.session.requests import TurnSpec
from sse_tui.session.spec import SessionSpec

START_S = 20.0


def recording_path(spec: SessionSpec) -> Path:
    """A new file for the session; the oldest recordings beyond the configured number are removed, but not kept ones.

    Raises `RecordingError` when the folder of recordings cannot be made.
    """
    if spec.record_to is not None:
        return spec.record_to
    recording = spec.config.recording
    folder = Path(recording.dir).expanduser() if recording.dir else state_dir() / "recordings"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise RecordingError(
            "cannot-create",
            f"The folder of recordings {folder} cannot be made: {error.strerror}.",
            "Record elsewhere with --record FILE or dir in the [recording] table, or not at all with --no-record.",
        ) from error
    prune(folder, keep=recording.keep - 1)
    return new_path(folder, datetime.now(UTC).isoformat(), spec.mode)


class CaptureClient:
    """One capture process. `changed` is called in the loop on every report; `error` is the last turn's or command's."""

    def __init__(self, spec: SessionSpec, changed: Callable[[], None]) -> None:
        self._spec = spec
        self._changed = changed
        self._child: Child[protocol.Report] | None = None
        self._listener: asyncio.Task[None] | None = None
        self._opened: asyncio.Future[protocol.Opened] | None = None
        self._origin_ns = 0
        self._recording = False
        self.path: Path | None = None
        self.busy = False
        self.error: SseTuiError | None = None

    async def start(self) -> Path:
        """Start the process and its recording; gives the file's path. What it raises is in `error`, too."""
        return await self._launch()

    async def restart(self, conns: int, broken: tuple[int, int] | None) -> Path:
        """Start another process for the recording after the first one died.

        `conns` counts the connections so far, `broken` is the turn and number of the one that was open.
        """
        await self.close()
        self._recording, self.error = False, None
        if self.path is None:
            return await self.start()
        return await self._launch(self._origin_ns, conns, broken)

    async def _launch(
        self, origin_ns: int | None = None, conns: int = 0, broken: tuple[int, int] | None = None
    ) -> Path:
        try:
            path = self.path or recording_path(self._spec)
            self._origin_ns = await self._open(path, origin_ns, conns, broken)
        except SseTuiError as error:
            self.error = error
            raise
        self.path, self._recording = path, True
        return path

    async def _open(
        self, path: Path, origin_ns: int | None, conns: int, broken: tuple[int, int] | None
    ) -> int:
        """Start a process that writes to `path`; gives the start of the session's clock."""
        self._opened = asyncio.get_running_loop().create_future()
        # Whoever waits for it may have been cancelled; its failure is in `error` too.
        self._opened.add_done_callback(lambda future: future.cancelled() or future.exception())
        self._child = await Child.start(
            "sse_tui.session.capture.process", reports=protocol.read_report, log=state_dir() / "capture.log"
        )
        self._listener = asyncio.ensure_future(self._listen(self._child))
        redaction = self._spec.config.recording
        self.send(
            protocol.Open(
                str(path),
                redaction.redact_headers,
                redaction.redact_patterns,
                list(self._spec.secrets),
                origin_ns,
                conns,
                broken,
                redaction.max_bytes,
            )
        )
        try:
            opened = await asyncio.wait_for(asyncio.shield(self._opened), START_S)
        except TimeoutError:
            self._child.kill(f"It did not start within {START_S:g} s.")
            opened = await self._opened
        return opened.origin_ns

    @property
    def gone(self) -> bool:
        """True when the process ended and nobody had asked it to, or could not start."""
        if not self._recording:
            return self.error is not None
        return self._child is not None and self._child.ended_unasked

    def now(self) -> int:
        """The session clock, ns: the processes of one machine share its monotonic clock."""
        return time.monotonic_ns() - self._origin_ns

    def turn(self, number: int, turn: TurnSpec, *, plan: str = "") -> None:
        """Run a turn, `plan` armed from its start."""
        self.error = None
        self.send(protocol.RunTurn(number, replace(turn, plan=plan or turn.plan)))
        self.busy = True
        self._changed()

    async def close(self) -> None:
        """End the recording and the process. Idempotent."""
        if self._child is not None:
            await self._child.end()
        if self._listener is not None:
            await self._listener

    def send(self, command: protocol.Command) -> None:
        """Send a command. Raises `StreamError` when the process is gone."""
        if self._child is None or not self._child.running:
            raise _gone()
        self._child.send(command)

    async def _listen(self, child: Child[protocol.Report]) -> None:
        async for report in child.reports():
            self._take(report)
            self._changed()
        end = await child.exit_text()
        if child.ended_unasked:
            self.busy = False
            self._fail(_gone(end))
            self._changed()

    def _take(self, report: protocol.Report) -> None:
        match report:
            case protocol.Grown():
                pass  # the caller wakes the reader of the file
            case protocol.Opened():
                assert self._opened is not None
                self._opened.set_result(report)
            case protocol.Done():
                self.busy = False
                if report.error is not None:
                    self.error = report.error.error()
            case protocol.CommandFailed():
                self._fail(report.error.error())

    def _fail(self, error: SseTuiError) -> None:
        self.error = error
        if self._opened is not None and not self._opened.done():
            self._opened.set_exception(error)


def _gone(end: str = "") -> SseTuiError:
    how = f": it {end.rstrip('.')}" if end else ""
    return StreamError(
        "capture-gone",
        f"The capture process is no longer running{how}. What it recorded is intact.",
        f"Its log is {state_dir() / 'capture.log'}. F8 restarts it, and the recording continues.",
    )
